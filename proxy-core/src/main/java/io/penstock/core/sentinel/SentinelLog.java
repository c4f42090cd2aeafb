package io.penstock.core.sentinel;

import io.penstock.core.control.Outage;
import io.penstock.core.observe.LogPrefix;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.Shard;
import io.penstock.core.upstream.TopologyStatus;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs refreshes: the first failure and then at most one a minute, the end of an outage, each
 * change, and sentinels that do not answer. Confined to the topology thread.
 */
final class SentinelLog {

  private static final Logger LOG = LoggerFactory.getLogger(SentinelTopology.class);

  private final SentinelSettings settings;
  private final LogPrefix prefix;
  private final Outage outage;
  private final Outage minority;
  private Answering answering = Answering.ALL; // as logged
  private Answering latest = Answering.ALL;
  private @Nullable Shard last;
  private boolean localAddressLogged;

  SentinelLog(SentinelSettings settings, LongSupplier nanoTime) {
    this.settings = settings;
    this.prefix = settings.logPrefix();
    this.outage = new Outage(nanoTime);
    this.minority = new Outage(nanoTime);
  }

  /** How many of the sentinels answer, the best first. */
  private enum Answering {
    ALL,
    MAJORITY,
    MINORITY
  }

  void failed(Throwable failure) {
    if (!outage.recordFailure()) {
      LOG.debug("Refresh failed again: {}", failure.getMessage());
    } else if (last == null) {
      LOG.warn(
          "{}Waiting for the sentinels {} to name the master {} ({} so far): {}",
          prefix,
          settings.sentinels(),
          settings.masterName(),
          Outage.failedRefreshes(outage.failures()),
          failure.getMessage());
    } else {
      LOG.warn(
          "{}Cannot refresh the topology ({} so far), keeping the last one: {}",
          prefix,
          Outage.failedRefreshes(outage.failures()),
          failure.getMessage());
    }
  }

  /**
   * @param voters how many sentinels there are
   */
  void succeeded(RefreshTrigger trigger, Claim claim, int voters, Shard now) {
    int failures = outage.recordSuccess();
    if (failures > 0) {
      LOG.info("{}The sentinels answer again after {}", prefix, Outage.failedRefreshes(failures));
    }
    Shard before = last;
    last = now;
    if (before == null
        || !before.master().equals(now.master())
        || !before.replicas().equals(now.replicas())) {
      LOG.info(
          "{}Topology refreshed from {} (trigger: {}): {}; {} of {} sentinels agree",
          prefix,
          claim.views().getFirst().source(),
          trigger.description(),
          change(before, now),
          claim.views().size(),
          voters);
    }
    logLocalAddress(claim);
  }

  /**
   * Logs, after a refresh that succeeded, when sentinels stop answering and when they answer again.
   * A worse state is logged when two refreshes in a row have found it: one answer may be late.
   */
  void sentinels(TopologyStatus.Sentinels now) {
    Answering found =
        now.answering() >= now.known()
            ? Answering.ALL
            : now.answering() >= now.majority() ? Answering.MAJORITY : Answering.MINORITY;
    Answering before = answering;
    answering = found.compareTo(latest) < 0 ? found : latest;
    latest = found;
    if (answering == Answering.MINORITY) {
      if (minority.recordFailure()) {
        LOG.warn(
            "{}Too few sentinels of {} answer for a failover: {} of {}, and it needs {}; {}",
            prefix,
            now.master(),
            now.answering(),
            now.known(),
            now.majority(),
            reasons(now));
      }
      return;
    }
    minority.recordSuccess();
    if (answering != before) {
      logAnswering(now);
    }
  }

  private void logAnswering(TopologyStatus.Sentinels now) {
    if (answering == Answering.ALL) {
      LOG.info("{}All {} sentinels of {} answer again", prefix, now.known(), now.master());
    } else {
      LOG.warn(
          "{}Some sentinels of {} do not answer: {} of {} do, enough for a failover; {}",
          prefix,
          now.master(),
          now.answering(),
          now.known(),
          reasons(now));
    }
  }

  private static String reasons(TopologyStatus.Sentinels now) {
    return now.failures().entrySet().stream()
        .map(failure -> failure.getKey() + ": " + failure.getValue())
        .collect(Collectors.joining("; "));
  }

  private String change(@Nullable Shard before, Shard now) {
    String replicas = now.replicas().isEmpty() ? "no replicas" : "replicas " + now.replicas();
    String name = "master of " + settings.masterName();
    if (before == null) {
      return name + " is " + now.master() + ", " + replicas;
    }
    return before.master().equals(now.master())
        ? name + " unchanged, " + replicas
        : name + " is now " + now.master() + ", was " + before.master() + ", " + replicas;
  }

  /** Logs, once, a master that only programs on the sentinel's machine can reach. */
  private void logLocalAddress(Claim claim) {
    Endpoint sentinel = claim.views().getFirst().source();
    if (!localAddressLogged && isLocal(claim.master()) && !isLocal(sentinel)) {
      localAddressLogged = true;
      LOG.warn(
          "{}Sentinel {} names {} as the master, an address that is valid on its own machine only."
              + " Have the sentinels monitor an address that Penstock can reach, and set"
              + " replica-announce-ip on the nodes",
          prefix,
          sentinel,
          claim.master());
    }
  }

  private static boolean isLocal(Endpoint node) {
    String host = node.host();
    return host.startsWith("127.") || host.equals("::1") || host.equals("localhost");
  }

  void staleAccepted(Claim claim, long knownEpoch, int refreshes) {
    LOG.warn(
        "{}Using {} as the master of {} although its configuration epoch {} is lower than the known"
            + " one, {}: {} refreshes in a row agree with it. Were the sentinels reset or"
            + " restored?",
        prefix,
        claim.master(),
        settings.masterName(),
        claim.epoch(),
        knownEpoch,
        refreshes);
  }

  /** A better claim was not believed, because its node does not confirm it. */
  void rejected(Endpoint master, String reason) {
    LOG.debug("Sentinels name {} as the master, but {}", master, reason);
  }
}
