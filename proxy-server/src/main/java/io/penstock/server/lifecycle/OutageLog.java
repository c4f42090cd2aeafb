package io.penstock.server.lifecycle;

import static io.penstock.core.control.Outage.reason;

import io.penstock.core.backend.BackendException;
import io.penstock.core.cluster.ShownSlots;
import io.penstock.core.observe.FailoverHoldReport;
import io.penstock.core.observe.Label;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.observe.UpstreamStatus;
import io.penstock.core.observe.UpstreamStatus.NodeStatus;
import io.penstock.core.observe.UpstreamStatus.Trouble;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.UnknownPlacement;
import java.time.Duration;
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
 * <p>An outage begins when a failover hold on the node starts or the health check finds that the
 * node does not serve. The lines say whether the node does not answer or rejects requests. It ends
 * when the node serves again or another node is master of its slots, not when the last held request
 * has failed.
 *
 * <p>Events arrive on event loops and on the topology thread, which must not block. They are
 * handled in order on a thread of this class; all state is confined to that thread.
 */
final class OutageLog implements ProxyEvents {

  private static final Logger LOG = LoggerFactory.getLogger(OutageLog.class);

  private static final long REPEAT_NANOS = Duration.ofMinutes(1).toNanos();
  private static final long QUIET_NANOS = Duration.ofSeconds(10).toNanos();
  private static final Trouble SILENT = new Trouble("no reply while requests are in flight", false);

  /** A node that has not answered for {@link UpstreamStatus#FRESH}, and no timeout has passed. */
  private static final Trouble UNANSWERED = new Trouble("no reply in time", false);

  private static final ThreadFactory THREADS =
      Thread.ofVirtual().name("penstock-outage-log").factory();

  private final String prefix;
  private final LongSupplier nanoTime;
  private final Executor inOrder;
  private final Map<String, Outage> outages = new TreeMap<>(); // by name of the node
  private final Set<Endpoint> connected = new HashSet<>(); // until a connection is lost
  private final Map<Endpoint, Long> lossLoggedAt = new HashMap<>(); // of a connection
  private final Map<Endpoint, Trouble> unreached = new HashMap<>(); // the latest attempt failed
  private Placement topology = UnknownPlacement.INSTANCE;
  private long uncoveredSince; // when slots lost their master; only valid while some have none

  OutageLog() {
    this(System::nanoTime, Executors.newSingleThreadExecutor(THREADS));
  }

  private OutageLog(Label upstream, OutageLog shared) {
    this.prefix = upstream.prefix();
    this.nanoTime = shared.nanoTime;
    this.inOrder = shared.inOrder;
    this.uncoveredSince = nanoTime.getAsLong();
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
    this.uncoveredSince = nanoTime.getAsLong();
  }

  @Override
  public void backendConnected(Endpoint node) {
    inOrder.execute(() -> connected(node));
  }

  private void connected(Endpoint node) {
    unreached.remove(node);
    connected.add(node);
    Outage outage = outages.get(name(node));
    if (outage != null) {
      outage.connected(nanoTime.getAsLong());
      removeEnded();
    }
  }

  @Override
  public void backendDisconnected(Endpoint node, Throwable cause) {
    inOrder.execute(() -> lost(node, cause));
  }

  private void lost(Endpoint node, Throwable cause) {
    Trouble trouble = troubleOf(cause);
    unreached.put(node, trouble);
    long now = nanoTime.getAsLong();
    Outage outage = outages.get(name(node));
    if (outage != null) {
      outage.connectingFailed(trouble, now);
    }
    Long loggedAt = lossLoggedAt.get(node);
    if (connected.remove(node) && (loggedAt == null || now - loggedAt > QUIET_NANOS)) {
      lossLoggedAt.put(node, now);
      LOG.info("{}Connection to {} lost: {}", prefix, node, reason(cause));
    }
  }

  private static Trouble troubleOf(Throwable cause) {
    String rejection = cause instanceof BackendException of ? of.handshakeError() : null;
    return rejection == null ? new Trouble(reason(cause), false) : new Trouble(rejection, true);
  }

  @Override
  public void backendSilent(Endpoint node) {
    inOrder.execute(() -> silent(node));
  }

  /** Logs nothing yet: the node may be busy. The health check decides, or a failover. */
  private void silent(Endpoint node) {
    outageOf(node).silent(SILENT, nanoTime.getAsLong());
  }

  @Override
  public void failoverHoldBegan(@Nullable Endpoint node, @Nullable String rejection) {
    inOrder.execute(() -> began(node, rejection));
  }

  private void began(@Nullable Endpoint node, @Nullable String rejection) {
    if (node == null && topology.isFullyCovered()) {
      return; // they have a master again, or reads wait for a replica, which ReplicaLog logs
    }
    Outage outage = outageOf(node);
    Trouble trouble =
        rejection != null
            ? new Trouble(rejection, true)
            : node == null ? null : unreached.get(node);
    outage.holdBegan(trouble, nanoTime.getAsLong());
    logIfDue(outage);
  }

  @Override
  public void failoverHoldEnded(@Nullable Endpoint node, FailoverHoldReport report) {
    inOrder.execute(() -> ended(node, report));
  }

  private void ended(@Nullable Endpoint node, FailoverHoldReport report) {
    Outage outage = outages.get(name(node));
    if (outage != null) {
      outage.holdEnded(report, nanoTime.getAsLong());
      removeEnded();
    }
  }

  @Override
  public void topologyRefreshed(
      RefreshTrigger trigger, Duration took, Placement now, @Nullable Throwable failure) {
    inOrder.execute(() -> refreshed(now));
  }

  private void refreshed(Placement now) {
    adopt(now);
    removeEnded();
  }

  private void adopt(Placement now) {
    if (topology.isFullyCovered() && !now.isFullyCovered()) {
      uncoveredSince = nanoTime.getAsLong();
    }
    topology = now;
  }

  @Override
  public void healthChecked(UpstreamStatus status) {
    inOrder.execute(() -> checked(status));
  }

  private void checked(UpstreamStatus status) {
    adopt(status.topology());
    forgetOthers(status);
    status.nodes().forEach(this::checked);
    if (!topology.isFullyCovered() && !topology.shards().isEmpty()) {
      logIfDue(outageOf(null));
    }
    removeEnded();
  }

  private void checked(NodeStatus node) {
    long now = nanoTime.getAsLong();
    Trouble trouble = node.trouble();
    if (!node.serves() && (trouble != null || node.lastServed() != null)) {
      Outage outage = outageOf(node.node());
      Duration since = node.lastServed() == null ? Duration.ZERO : UpstreamStatus.FRESH;
      outage.foundByHealthCheck(trouble == null ? UNANSWERED : trouble, since, now);
      logIfDue(outage);
      return;
    }
    Outage outage = outages.get(name(node.node()));
    if (outage != null && trouble != null) {
      outage.foundByHealthCheck(trouble, Duration.ZERO, now);
    } else if (outage != null) {
      outage.served(node.lastServed(), now);
    }
  }

  private void forgetOthers(UpstreamStatus status) {
    Set<Endpoint> known = status.nodes().stream().map(NodeStatus::node).collect(Collectors.toSet());
    unreached.keySet().retainAll(known);
    lossLoggedAt.keySet().retainAll(known);
    connected.retainAll(known);
  }

  /**
   * Returns the outage of a node, or of the slots without a master; begins one if there is none.
   */
  private Outage outageOf(@Nullable Endpoint node) {
    return outages.computeIfAbsent(name(node), _ -> newOutage(node));
  }

  private Outage newOutage(@Nullable Endpoint node) {
    int shard = node == null ? Placement.UNCOVERED : topology.indexOfMaster(node);
    boolean hasSlots = (node == null || shard >= 0) && ShownSlots.areReal(topology);
    List<String> slots = // of the node, or those without a master
        hasSlots ? ShownSlots.rangesOf(topology, shard) : List.of();
    long began = node == null ? uncoveredSince : nanoTime.getAsLong();
    return new Outage(
        node, subject(node, shard, slots), slots, new Outage.Place(topology, shard), began);
  }

  private String subject(@Nullable Endpoint node, int shard, List<String> slots) {
    if (node == null) {
      return slots.isEmpty() ? "No master is known" : "No master for slots " + ranges(slots);
    }
    if (shard >= 0) {
      return "Master " + node + (slots.isEmpty() ? "" : " of slots " + ranges(slots));
    }
    return (topology.contains(node) ? "Replica " : "Node ") + node;
  }

  private static String ranges(List<String> slots) {
    return String.join(",", slots);
  }

  /** Logs an outage when it begins, when the node behaves otherwise, and then once a minute. */
  private void logIfDue(Outage outage) {
    long now = nanoTime.getAsLong();
    if (!outage.isLogged()) {
      logBegin(outage);
      return;
    }
    long quiet = outage.hasChangedSinceLogged() ? QUIET_NANOS : REPEAT_NANOS;
    if (outage.sinceLogged(now) < quiet) {
      return;
    }
    LOG.warn(
        "{}{}{}{}{}{}",
        prefix,
        outage.subject(),
        outage.node() == null ? " for " : " " + stateAgain(outage) + " after ",
        seconds(outage.lasted(now)),
        outage.reason(),
        outage.counts());
    outage.logged(now);
  }

  private void logBegin(Outage outage) {
    LOG.warn(
        "{}{}{}{}{}",
        prefix,
        outage.subject(),
        outage.node() == null ? "" : " " + state(outage),
        outage.reason(),
        outage.isHolding() ? "; failover hold started" : "");
    outage.logged(nanoTime.getAsLong());
  }

  private static String state(Outage outage) {
    return outage.isRejecting() ? "rejects requests" : "does not answer";
  }

  /** Returns the state of a node, for a line that is not the first of its outage. */
  private static String stateAgain(Outage outage) {
    if (outage.hasChangedSinceLogged()) {
      return outage.isRejecting() ? "now rejects requests" : "now does not answer";
    }
    return outage.isRejecting() ? "still rejects requests" : "still does not answer";
  }

  private void removeEnded() {
    outages.values().removeIf(outage -> !outage.isHolding() && logIfEnded(outage));
  }

  /** Logs the end of an outage. Returns false if it lasts. */
  private boolean logIfEnded(Outage outage) {
    long now = nanoTime.getAsLong();
    Endpoint node = outage.node();
    Endpoint successor = outage.successor(topology);
    if (successor != null) {
      logFailover(outage, successor);
    } else if (node == null) {
      if (!topology.isFullyCovered()) {
        return false;
      }
      String end = outage.slots().isEmpty() ? "A master is known" : "All slots have a master again";
      logEnd(outage, end, outage.lasted(now));
    } else if (outage.isServedAgain(now)) {
      String how = outage.wasLoggedRejecting() ? " no longer rejects requests" : " answers again";
      logEnd(outage, outage.subject() + how, outage.lastedUntilServed());
    } else if (!topology.contains(node)) {
      logEnd(outage, outage.subject() + " has left the topology", outage.lasted(now));
    } else {
      return false;
    }
    return true;
  }

  private void logFailover(Outage outage, Endpoint successor) {
    if (!outage.isLogged()) {
      logBegin(outage);
    }
    String replaced = name(outage.node());
    String by =
        name(successor).equals(replaced) ? "another server at its address" : name(successor);
    String as = outage.slots().isEmpty() ? " as master" : " as master of slots " + outage.slots();
    String what = "Failover: " + by + " replaced " + replaced + as;
    logEnd(outage, what, outage.lasted(nanoTime.getAsLong()));
  }

  private void logEnd(Outage outage, String end, long lasted) {
    if (outage.isLogged()) {
      LOG.atLevel(outage.hasFailures() ? Level.WARN : Level.INFO)
          .log("{}{} after {}{}", prefix, end, seconds(lasted), outage.counts());
    }
  }

  private static String name(@Nullable Endpoint node) {
    return node == null ? "" : node.toString();
  }

  private static String seconds(long nanos) {
    return String.format(Locale.ROOT, "%.1f s", nanos / 1e9);
  }
}
