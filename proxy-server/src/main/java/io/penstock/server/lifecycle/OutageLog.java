package io.penstock.server.lifecycle;

import io.penstock.core.cluster.ShownSlots;
import io.penstock.core.observe.FailoverHoldReport;
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
 * Logs outages of nodes: one line when one begins, one a minute while it lasts, and one when it
 * ends, which says who serves the slots now and what became of the requests that were held. What
 * several event loops report of one node is one outage.
 *
 * <p>An outage begins when requests are held for the node or the health check finds it down. It
 * ends when the node answers again or another node is master of its slots, not when the last held
 * request has failed.
 *
 * <p>Told on event loops and on the topology thread, which wait for nothing: what they tell is
 * dealt with, in order, on a thread of its own, to which all else here is confined.
 */
final class OutageLog implements ProxyEvents {

  private static final Logger LOG = LoggerFactory.getLogger(OutageLog.class);

  private static final long REPEAT_NANOS = Duration.ofMinutes(1).toNanos();
  private static final long QUIET_NANOS = Duration.ofSeconds(10).toNanos();

  private static final ThreadFactory THREADS =
      Thread.ofVirtual().name("penstock-outage-log").factory();

  private final LongSupplier nanoTime;
  private final Executor inOrder;
  private final Map<String, Outage> outages = new TreeMap<>(); // by node's name
  private final Set<Endpoint> connected = new HashSet<>(); // until a connection is lost
  private final Map<Endpoint, Long> lostToldAt = new HashMap<>(); // connections
  private final Map<Endpoint, String> reasons = new HashMap<>(); // of the newest failure
  private Placement topology = UnknownPlacement.INSTANCE;

  OutageLog() {
    this(System::nanoTime, Executors.newSingleThreadExecutor(THREADS));
  }

  /**
   * @param inOrder runs one task after the other
   */
  OutageLog(LongSupplier nanoTime, Executor inOrder) {
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
    Long told = lostToldAt.get(node);
    if (connected.remove(node) && (told == null || now - told > QUIET_NANOS)) {
      lostToldAt.put(node, now);
      LOG.info("Connection to {} lost: {}", node, cause.getMessage());
    }
  }

  @Override
  public void failoverHoldBegan(@Nullable Endpoint node) {
    inOrder.execute(() -> began(node));
  }

  private void began(@Nullable Endpoint node) {
    Outage outage = outages.computeIfAbsent(name(node), _ -> begun(node));
    outage.holding++;
    sayThatItLasts(outage);
  }

  @Override
  public void failoverHoldEnded(@Nullable Endpoint node, FailoverHoldReport report) {
    inOrder.execute(() -> ended(node, report));
  }

  private void ended(@Nullable Endpoint node, FailoverHoldReport report) {
    Outage outage = outages.computeIfAbsent(name(node), _ -> begun(node));
    outage.holding = Math.max(0, outage.holding - 1);
    outage.add(report, nanoTime.getAsLong());
    settleAll();
  }

  @Override
  public void topologyRefreshed(
      RefreshTrigger trigger, Duration took, Placement now, @Nullable Throwable failure) {
    inOrder.execute(() -> refreshed(now));
  }

  private void refreshed(Placement now) {
    topology = now;
    settleAll();
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
        Outage down = outages.computeIfAbsent(name(node.node()), _ -> begun(node.node()));
        down.isDown(
            node.lastAnswer() == null ? Duration.ZERO : UpstreamStatus.FRESH, nanoTime.getAsLong());
        sayThatItLasts(down);
      }
    }
    if (!topology.isFullyCovered() && !topology.shards().isEmpty()) {
      sayThatItLasts(outages.computeIfAbsent(name(null), _ -> begun(null)));
    }
    settleAll();
  }

  private void forgetOthers(UpstreamStatus status) {
    Set<Endpoint> known = status.nodes().stream().map(NodeStatus::node).collect(Collectors.toSet());
    reasons.keySet().retainAll(known);
    lostToldAt.keySet().retainAll(known);
    connected.retainAll(known);
  }

  private Outage begun(@Nullable Endpoint node) {
    int shard = node == null ? Placement.UNCOVERED : topology.indexOfMaster(node);
    boolean owner = node == null || shard >= 0;
    List<String> slots =
        owner ? ShownSlots.rangesOf(topology, shard) : List.of(); // the node's, or nobody's
    int firstPartition = shard < 0 ? Placement.UNCOVERED : topology.firstPartitions()[shard];
    return new Outage(node, subject(node, slots), slots, firstPartition, nanoTime.getAsLong());
  }

  private String subject(@Nullable Endpoint node, List<String> slots) {
    String which = String.join(",", slots);
    if (node == null) {
      return "No master for slots " + which;
    }
    if (!slots.isEmpty()) {
      return "Master " + node + " of slots " + which;
    }
    return (topology.contains(node) ? "Replica " : "Node ") + node;
  }

  private void sayThatItLasts(Outage outage) {
    long now = nanoTime.getAsLong();
    if (outage.isTold && now - outage.toldAt < REPEAT_NANOS) {
      return;
    }
    String reason = outage.node == null ? null : reasons.get(outage.node);
    String why = reason == null ? "" : " (" + reason + ")";
    if (outage.isTold) {
      LOG.warn(
          "{}{} after {}{}{}",
          outage.subject,
          outage.node == null ? "" : " still does not answer",
          seconds(now - outage.beganAt),
          why,
          outage.counts());
    } else {
      LOG.warn(
          "{}{}{}{}",
          outage.subject,
          outage.node == null ? "" : " does not answer",
          why,
          outage.holding > 0 ? ": requests are held" : "");
    }
    outage.isTold = true;
    outage.toldAt = now;
  }

  private void settleAll() {
    outages.values().removeIf(this::isOver);
  }

  /** Whether nobody waits any more and the slots are served, which is logged. */
  private boolean isOver(Outage outage) {
    String end = outage.holding > 0 ? null : end(outage);
    if (end == null) {
      return false;
    }
    LOG.atLevel(outage.failed > 0 ? Level.WARN : Level.INFO)
        .log("{} after {}{}", end, seconds(outage.lasted(nanoTime.getAsLong())), outage.counts());
    return true;
  }

  /** What ended it, or null while it lasts. */
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

  /** One node that cannot be reached, or slots that nobody serves. */
  private static final class Outage {

    private final @Nullable Endpoint node;
    private final String subject;
    private final List<String> slots;
    private final int firstPartition; // negative for one that is no master
    private final Instant began = Instant.now();
    private long beganAt;
    private int holding; // event loops that hold requests
    private long heldUntil; // none since
    private boolean isDown; // or was, by the health check
    private boolean isTold;
    private long toldAt; // if so
    private boolean answersAgain; // the health check
    private boolean isReached = true; // by event loops, as far as one has tried
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

    /** By the health check, for so long at least. */
    void isDown(Duration atLeast, long now) {
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
          : "; " + held + " requests were held: " + served + " served, " + failed + " failed";
    }
  }
}
