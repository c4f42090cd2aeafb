package io.penstock.core.backend;

import io.penstock.core.observe.FailoverHoldReport;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.observe.ProxyStats.HeldOutcome;
import io.penstock.core.observe.ProxyStats.HeldStats;
import io.penstock.core.observe.ThrottledLog;
import io.penstock.core.upstream.Endpoint;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requests of one loop that wait because their node cannot be reached or does not take them
 * yet: how many there are, how many there may be, and what became of them. Confined to that loop.
 */
public final class HeldRequests {

  /** What is over sooner is not worth a word. */
  private static final long WORTH_TELLING_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private static final Logger log = LoggerFactory.getLogger(HeldRequests.class);
  private static final HeldOutcome[] OUTCOMES = HeldOutcome.values();

  private final int most;
  private final Map<Endpoint, Place> places = new HashMap<>();
  private final Place nobody = new Place();
  private final long[] outcomes = new long[OUTCOMES.length];
  private final ThrottledLog refusals = new ThrottledLog();
  private int size;

  /**
   * @param most requests at once
   */
  public HeldRequests(int most) {
    this.most = most;
  }

  /** The requests that are held for one node. */
  static final class Place {
    private int now;
    private long since;
    private long requests;
    private long served;
    private long failed;
    private boolean told;

    private FailoverHoldReport report(long at) {
      return new FailoverHoldReport(Duration.ofNanos(at - since), requests, served, failed);
    }
  }

  /** Requests that are held. */
  public int size() {
    return size;
  }

  /**
   * Holds the request from here on, or answers false, and counts it, when too many are. One that is
   * held keeps its place.
   */
  public boolean tryEnter(Exchange exchange) {
    if (isFull() && !exchange.isHeld()) {
      countRejected();
      return false;
    }
    enter(exchange);
    return true;
  }

  /** Whether no other request may be held. */
  public boolean isFull() {
    return size >= most;
  }

  /** The request is held from here on, if it is not yet. */
  public void enter(Exchange exchange) {
    if (exchange.isHeld()) {
      return;
    }
    Endpoint node = exchange.sentTo();
    Place place = node == null ? nobody : places.computeIfAbsent(node, _ -> new Place());
    if (place.now++ == 0 && !place.told) {
      place.since = System.nanoTime();
    }
    place.requests++;
    exchange.heldFor(place);
    exchange.held(true);
    size++;
  }

  /**
   * The request is held no longer.
   *
   * @return whether it was
   */
  public boolean leave(Exchange exchange) {
    Place place = exchange.heldFor();
    if (place == null || !exchange.isHeld()) {
      return false;
    }
    exchange.held(false);
    place.now--;
    size--;
    return true;
  }

  /** Counts what became of a request that was held. */
  public void countOutcome(Exchange exchange, HeldOutcome outcome) {
    outcomes[outcome.ordinal()]++;
    Place place = exchange.heldFor();
    if (place != null) {
      place.served += outcome == HeldOutcome.SERVED ? 1 : 0;
      place.failed += outcome == HeldOutcome.GIVEN_UP ? 1 : 0;
    }
  }

  /** A request that was held was sent on to another node, where it is held again or served. */
  public void countRerouted(Exchange exchange) {
    if (!exchange.isHeld()) {
      countOutcome(exchange, HeldOutcome.SERVED);
    }
  }

  /** A request was to be held, and too many are. */
  public void countRejected() {
    outcomes[HeldOutcome.REFUSED.ordinal()]++;
    refusals.log(times ->
        log.warn(
            "an event loop holds {} commands, as many as it may: {} refused since the last"
                + " such line",
            most,
            times));
  }

  /** Tells of nodes for which requests have begun to be held for some time, and no longer are. */
  public void tick(long now, ProxyEvents events) {
    tell(null, nobody, now, events);
    for (Iterator<Map.Entry<Endpoint, Place>> it = places.entrySet().iterator(); it.hasNext(); ) {
      Map.Entry<Endpoint, Place> next = it.next();
      Place place = next.getValue();
      tell(next.getKey(), place, now, events);
      if (place.now == 0) {
        it.remove();
      }
    }
  }

  private static void tell(@Nullable Endpoint node, Place place, long now, ProxyEvents events) {
    if (place.now > 0 && !place.told && now - place.since > WORTH_TELLING_NANOS) {
      place.told = true;
      events.failoverHoldBegan(node);
    } else if (place.now == 0) {
      if (place.told) {
        events.failoverHoldEnded(node, place.report(now));
      }
      place.told = false;
      place.requests = 0;
      place.served = 0;
      place.failed = 0;
    }
  }

  public HeldStats stats() {
    return new HeldStats(size, outcomes.clone());
  }
}
