package io.penstock.server.lifecycle;

import io.penstock.core.cluster.ShownSlots;
import io.penstock.core.observe.FailoverHoldReport;
import io.penstock.core.observe.Label;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.observe.UpstreamStatus;
import io.penstock.core.observe.UpstreamStatus.NodeStatus;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.Shard;
import io.penstock.core.upstream.UnknownPlacement;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Logs outages of nodes: one line when an outage begins, one a minute while it lasts, and one when
 * it ends. The last line names the node that serves the slots now and counts the requests of the
 * failover hold. Reports of several event loops about one node are one outage.
 *
 * <p>An outage begins when a failover hold on the node starts or the health check finds the node
 * down. It ends when the node answers again or another node is master of its slots, not when the
 * last held request has failed.
 *
 * <p>Events arrive on event loops and on the topology thread, which must not block. They are
 * handled in order on a thread of this class; all state is confined to that thread.
 */
final class OutageLog implements ProxyEvents {

  private static final Logger LOG = LoggerFactory.getLogger(OutageLog.class);

  private static final long REPEAT_NANOS = Duration.ofMinutes(1).toNanos();
  private static final long QUIET_NANOS = Duration.ofSeconds(10).toNanos();

  private static final ThreadFactory THREADS =
      Thread.ofVirtual().name("penstock-outage-log").factory();

  private final String prefix;
  private final LongSupplier nanoTime;
  private final Executor inOrder;
  private final Map<String, Outage> outages = new TreeMap<>(); // by name of the node
  private final Set<Endpoint> connected = new HashSet<>(); // until a connection is lost
  private final Map<Endpoint, Long> lossLoggedAt = new HashMap<>(); // of a connection
  private final Map<Endpoint, String> reasons = new HashMap<>(); // of the latest failure
  private Placement topology = UnknownPlacement.INSTANCE;

  OutageLog() {
    this(System::nanoTime, Executors.newSingleThreadExecutor(THREADS));
  }

  private OutageLog(Label upstream, OutageLog shared) {
    this.prefix = upstream.prefix();
    this.nanoTime = shared.nanoTime;
    this.inOrder = shared.inOrder;
  }

  /** Outages of each upstream are their own, also if two have the same nodes. */
  @Override
  public ProxyEvents ofUpstream(Label upstream) {
    return new OutageLog(upstream, this);
  }

  /**
   * @param inOrder runs tasks one at a time, in order
   */
  OutageLog(LongSupplier nanoTime, Executor inOrder) {
    this.prefix = Label.ONLY.prefix();
    this.nanoTime = nanoTime;
    this.inOrder = inOrder;
  }

  @Override
  public void backendConnected(Endpoint node) {
    inOrder.execute(() -> connected(node));
  }

  private void connected(Endpoint node) {
    reasons.remove(node);
    connected.add(node);
    Outage outage = outages.get(name(node));
    if (outage != null) {
      outage.isReached = true;
    }
  }

  @Override
  public void backendDisconnected(Endpoint node, Throwable cause) {
    inOrder.execute(() -> lost(node, cause));
  }

  private void lost(Endpoint node, Throwable cause) {
    reasons.put(node, String.valueOf(cause.getMessage()));
    long now = nanoTime.getAsLong();
    Long loggedAt = lossLoggedAt.get(node);
    if (connected.remove(node) && (loggedAt == null || now - loggedAt > QUIET_NANOS)) {
      lossLoggedAt.put(node, now);
      LOG.info("{}Connection to {} lost: {}", prefix, node, cause.getMessage());
    }
  }

  @Override
  public void failoverHoldBegan(@Nullable Endpoint node) {
    inOrder.execute(() -> began(node));
  }

  private void began(@Nullable Endpoint node) {
    Outage outage = outages.computeIfAbsent(name(node), _ -> newOutage(node));
    outage.holding++;
    logIfDue(outage);
  }

  @Override
  public void failoverHoldEnded(@Nullable Endpoint node, FailoverHoldReport report) {
    inOrder.execute(() -> ended(node, report));
  }

  private void ended(@Nullable Endpoint node, FailoverHoldReport report) {
    Outage outage = outages.computeIfAbsent(name(node), _ -> newOutage(node));
    outage.holding = Math.max(0, outage.holding - 1);
    outage.add(report, nanoTime.getAsLong());
    removeEnded();
  }

  @Override
  public void topologyRefreshed(
      RefreshTrigger trigger, Duration took, Placement now, @Nullable Throwable failure) {
    inOrder.execute(() -> refreshed(now));
  }

  private void refreshed(Placement now) {
    topology = now;
    removeEnded();
  }

  @Override
  public void healthChecked(UpstreamStatus status) {
    inOrder.execute(() -> checked(status));
  }

  private void checked(UpstreamStatus status) {
    topology = status.topology();
    forgetOthers(status);
    for (NodeStatus node : status.nodes()) {
      Outage outage = outages.get(name(node.node()));
      if (node.up()) {
        if (outage != null) {
          outage.answered(node.lastAnswer());
        }
      } else if (node.failure() != null || node.lastAnswer() != null) {
        if (node.failure() != null) {
          reasons.put(node.node(), node.failure());
        }
        Outage down = outages.computeIfAbsent(name(node.node()), _ -> newOutage(node.node()));
        down.markDown(
            node.lastAnswer() == null ? Duration.ZERO : UpstreamStatus.FRESH, nanoTime.getAsLong());
        logIfDue(down);
      }
    }
    if (!topology.isFullyCovered() && !topology.shards().isEmpty()) {
      logIfDue(outages.computeIfAbsent(name(null), _ -> newOutage(null)));
    }
    removeEnded();
  }

  private void forgetOthers(UpstreamStatus status) {
    Set<Endpoint> known = status.nodes().stream().map(NodeStatus::node).collect(Collectors.toSet());
    reasons.keySet().retainAll(known);
    lossLoggedAt.keySet().retainAll(known);
    connected.retainAll(known);
  }

  private Outage newOutage(@Nullable Endpoint node) {
    int shard = node == null ? Placement.UNCOVERED : topology.indexOfMaster(node);
    boolean hasSlots = node == null || shard >= 0;
    List<String> slots = // of the node, or those without a master
        hasSlots ? ShownSlots.rangesOf(topology, shard) : List.of();
    int firstPartition = shard < 0 ? Placement.UNCOVERED : topology.firstPartitions()[shard];
    return new Outage(node, subject(node, slots), slots, firstPartition, nanoTime.getAsLong());
  }

  private String subject(@Nullable Endpoint node, List<String> slots) {
    String ranges = String.join(",", slots);
    if (node == null) {
      return "No master for slots " + ranges;
    }
    if (!slots.isEmpty()) {
      return "Master " + node + " of slots " + ranges;
    }
    return (topology.contains(node) ? "Replica " : "Node ") + node;
  }

  /** Logs an outage when it begins, and then once a minute. */
  private void logIfDue(Outage outage) {
    long now = nanoTime.getAsLong();
    if (outage.isLogged && now - outage.loggedAt < REPEAT_NANOS) {
      return;
    }
    String failure = outage.node == null ? null : reasons.get(outage.node);
    String reason = failure == null ? "" : " (" + failure + ")";
    if (outage.isLogged) {
      LOG.warn(
          "{}{}{}{}{}{}",
          prefix,
          outage.subject,
          outage.node == null ? " for " : " still does not answer after ",
          seconds(now - outage.beganAt),
          reason,
          outage.counts());
    } else {
      LOG.warn(
          "{}{}{}{}{}",
          prefix,
          outage.subject,
          outage.node == null ? "" : " does not answer",
          reason,
          outage.holding > 0 ? "; failover hold started" : "");
    }
    outage.isLogged = true;
    outage.loggedAt = now;
  }

  private void removeEnded() {
    outages.values().removeIf(this::logIfEnded);
  }

  /** Logs the end of an outage. Returns false if requests are held or the outage lasts. */
  private boolean logIfEnded(Outage outage) {
    String end = outage.holding > 0 ? null : end(outage);
    if (end == null) {
      return false;
    }
    LOG.atLevel(outage.failed > 0 ? Level.WARN : Level.INFO)
        .log(
            "{}{} after {}{}",
            prefix,
            end,
            seconds(outage.lasted(nanoTime.getAsLong())),
            outage.counts());
    return true;
  }

  /** Returns what ended the outage, or null while it lasts. */
  private @Nullable String end(Outage outage) {
    Endpoint node = outage.node;
    if (node == null) {
      return topology.isFullyCovered() ? "All slots have a master again" : null;
    }
    Shard now = outage.firstPartition < 0 ? null : topology.shardOf(outage.firstPartition);
    if (now != null && !now.master().equals(node)) {
      return "Failover: "
          + now.master()
          + " replaced "
          + node
          + " as master of slots "
          + String.join(",", outage.slots);
    }
    if (outage.answersAgain && outage.isReached) {
      return outage.subject + " answers again";
    }
    return topology.contains(node) ? null : outage.subject + " has left the topology";
  }

  private static String name(@Nullable Endpoint node) {
    return node == null ? "" : node.toString();
  }

  private static String seconds(long nanos) {
    return String.format(Locale.ROOT, "%.1f s", nanos / 1e9);
  }

  /** One node that cannot be reached, or the slots that have no master. */
  private static final class Outage {

    private final @Nullable Endpoint node;
    private final String subject;
    private final List<String> slots;
    private final int firstPartition; // negative if the node is not a master
    private final Instant began = Instant.now();
    private long beganAt;
    private int holding; // event loops with a failover hold
    private long heldUntil; // when the last failover hold ended
    private boolean isDown; // the health check found it down at least once
    private boolean isLogged;
    private long loggedAt; // only valid if logged
    private boolean answersAgain; // to the health check
    private boolean isReached = true; // by event loops; false after a failed attempt
    private long held;
    private long served;
    private long failed;

    Outage(
        @Nullable Endpoint node,
        String subject,
        List<String> slots,
        int firstPartition,
        long beganAt) {
      this.node = node;
      this.subject = subject;
      this.slots = slots;
      this.firstPartition = firstPartition;
      this.beganAt = beganAt;
    }

    void add(FailoverHoldReport report, long now) {
      began(now - report.lasted().toNanos());
      heldUntil = now;
      held += report.requests();
      served += report.served();
      failed += report.failed();
      isReached &= report.failed() == 0 || report.served() > 0;
    }

    /** Records that the health check found it down, since {@code atLeast} ago or longer. */
    void markDown(Duration atLeast, long now) {
      isDown = true;
      answersAgain = false;
      began(now - atLeast.toNanos());
    }

    private void began(long at) {
      beganAt = at - beganAt < 0 ? at : beganAt;
    }

    void answered(@Nullable Instant at) {
      answersAgain |= at != null && at.isAfter(began);
    }

    long lasted(long now) {
      return (isDown || held == 0 ? now : heldUntil) - beganAt;
    }

    String counts() {
      return held == 0
          ? ""
          : String.format(
              Locale.ROOT,
              "; failover hold: %d request%s, %d served, %d failed",
              held,
              held == 1 ? "" : "s",
              served,
              failed);
    }
  }
}
