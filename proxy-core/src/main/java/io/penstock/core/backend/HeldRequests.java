package io.penstock.core.backend;

import io.penstock.core.observe.FailoverHoldReport;
import io.penstock.core.observe.Label;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.observe.ProxyStats.HeldOutcome;
import io.penstock.core.observe.ProxyStats.HeldStats;
import io.penstock.core.observe.ThrottledLog;
import io.penstock.core.upstream.Endpoint;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requests of one loop in a failover hold: they wait because their node cannot be reached or
 * does not accept them yet. Limits and counts them, and counts their outcomes. Confined to that
 * loop.
 */
public final class HeldRequests {

  /** Shorter failover holds are not reported. */
  private static final long REPORT_AFTER_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private static final Logger log = LoggerFactory.getLogger(HeldRequests.class);
  private static final HeldOutcome[] OUTCOMES = HeldOutcome.values();

  private final int limit;
  private final Label upstream;
  private final Map<Endpoint, PerNode> nodes = new HashMap<>();
  private final PerNode withoutNode = new PerNode();
  private final long[] outcomes = new long[OUTCOMES.length];
  private final ThrottledLog rejectedLog = new ThrottledLog();
  private int size;

  /**
   * @param limit maximum of held requests
   * @param upstream what log lines name
   */
  public HeldRequests(int limit, Label upstream) {
    this.limit = limit;
    this.upstream = upstream;
  }

  /** Counts of the requests that are held for one node. */
  static final class PerNode {
    private byte @Nullable [] rejection; // the latest; null if the node could not be reached
    private int now;
    private long since;
    private long requests;
    private long served;
    private long failed;
    private boolean reported;

    private void undoEnter() {
      now--;
      requests--;
    }

    private FailoverHoldReport report(long at) {
      return new FailoverHoldReport(
          Duration.ofNanos(at - since), requests, served, failed, rejection());
    }

    private @Nullable String rejection() {
      byte[] line = rejection;
      if (line == null) {
        return null;
      }
      String text = new String(line, StandardCharsets.UTF_8).strip();
      return text.startsWith("-") ? text.substring(1) : text;
    }
  }

  /** Number of held requests. */
  public int size() {
    return size;
  }

  /**
   * Holds the request like {@link #enter}. If the limit is reached, counts it as rejected and
   * returns false. A request that is already held stays held.
   */
  public boolean tryEnter(Exchange exchange, @Nullable Endpoint node, byte @Nullable [] rejection) {
    if (isFull() && !exchange.isHeld()) {
      countRejected();
      return false;
    }
    enter(exchange, node, rejection);
    return true;
  }

  /** Returns whether the limit is reached. */
  public boolean isFull() {
    return size >= limit;
  }

  /**
   * Holds the request, if it is not held yet, regardless of the limit.
   *
   * @param node that it waits for; null if it waits for a node to serve its keys
   * @param rejection the error reply of that node; null if the node could not be reached
   */
  public void enter(Exchange exchange, @Nullable Endpoint node, byte @Nullable [] rejection) {
    if (exchange.isHeld()) {
      PerNode known = node == null ? null : nodes.get(node);
      if (known != null) {
        known.rejection = rejection;
      }
      return;
    }
    PerNode perNode = node == null ? withoutNode : nodes.computeIfAbsent(node, _ -> new PerNode());
    perNode.rejection = rejection;
    if (perNode.now++ == 0 && !perNode.reported) {
      perNode.since = System.nanoTime();
    }
    perNode.requests++;
    exchange.heldFor(perNode);
    exchange.held(true);
    size++;
  }

  /**
   * Ends holding the request.
   *
   * @return whether it was held
   */
  public boolean leave(Exchange exchange) {
    PerNode perNode = exchange.heldFor();
    if (perNode == null || !exchange.isHeld()) {
      return false;
    }
    exchange.held(false);
    perNode.now--;
    size--;
    return true;
  }

  /** Counts the outcome of a request that was held. */
  public void countOutcome(Exchange exchange, HeldOutcome outcome) {
    outcomes[outcome.ordinal()]++;
    PerNode perNode = exchange.heldFor();
    if (perNode != null) {
      perNode.served += outcome == HeldOutcome.SERVED ? 1 : 0;
      perNode.failed += outcome == HeldOutcome.FAILED ? 1 : 0;
      exchange.heldFor(null); // the object may be used again
    }
  }

  /**
   * Dispatches a request that was held for one node to another. If it is held there as well, for
   * example until a connection is made, it still counts for the node that it was held for first.
   */
  public void reroute(Exchange exchange, Runnable dispatch) {
    PerNode before = exchange.heldFor();
    dispatch.run();
    PerNode now = exchange.heldFor();
    if (!exchange.isHeld()) {
      countOutcome(exchange, HeldOutcome.SERVED);
    } else if (before != null && now != null && now != before) {
      now.undoEnter();
      before.now++;
      exchange.heldFor(before);
    }
  }

  /** Counts a request that cannot be held because the limit is reached. */
  public void countRejected() {
    outcomes[HeldOutcome.REJECTED.ordinal()]++;
    rejectedLog.log(times ->
        log.warn(
            "{}The failover hold of an event loop is full with {} requests: {} rejected since the last"
                + " such line",
            upstream.prefix(),
            limit,
            times));
  }

  /** Reports the nodes for which requests have been held for some time, and no longer are. */
  public void tick(long now, ProxyEvents events) {
    report(null, withoutNode, now, events);
    for (Iterator<Map.Entry<Endpoint, PerNode>> it = nodes.entrySet().iterator(); it.hasNext(); ) {
      Map.Entry<Endpoint, PerNode> next = it.next();
      PerNode perNode = next.getValue();
      report(next.getKey(), perNode, now, events);
      if (perNode.now == 0) {
        it.remove();
      }
    }
  }

  private static void report(
      @Nullable Endpoint node, PerNode perNode, long now, ProxyEvents events) {
    if (perNode.now > 0 && !perNode.reported && now - perNode.since > REPORT_AFTER_NANOS) {
      perNode.reported = true;
      events.failoverHoldBegan(node, perNode.rejection());
    } else if (perNode.now == 0) {
      if (perNode.reported) {
        events.failoverHoldEnded(node, perNode.report(now));
      }
      perNode.reported = false;
      perNode.requests = 0;
      perNode.served = 0;
      perNode.failed = 0;
    }
  }

  public HeldStats stats() {
    return new HeldStats(size, outcomes.clone());
  }
}
