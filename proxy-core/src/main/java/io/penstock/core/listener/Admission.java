package io.penstock.core.listener;

import io.penstock.core.observe.Label;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.observe.ThrottledLog;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts clients and rejects those above the limit. Safe from any thread; called once per
 * connection.
 */
public final class Admission {

  private static final Logger log = LoggerFactory.getLogger(Admission.class);

  private volatile int most;
  private final Label label;
  private final ProxyEvents events;
  private final AtomicInteger now = new AtomicInteger();
  private final AtomicLong total = new AtomicLong();
  private final AtomicLong rejected = new AtomicLong();
  private final AtomicLong delayed = new AtomicLong();
  private final ThrottledLog rejectedLog = new ThrottledLog();
  private final ThrottledLog delayedLog = new ThrottledLog();
  private final ThrottledLog refusedLog = new ThrottledLog();
  private final AtomicReference<@Nullable CompletableFuture<Void>> empty = new AtomicReference<>();

  /** For the only listener. */
  public Admission(int most, ProxyEvents events) {
    this(most, Label.ONLY, events);
  }

  /**
   * Admits up to {@code most} clients at a time.
   *
   * @param label of the listener
   */
  public Admission(int most, Label label, ProxyEvents events) {
    this.most = most;
    this.label = label;
    this.events = events;
  }

  /** Replaces the limit. Clients above it stay. */
  public void limit(int clients) {
    most = clients;
  }

  /** The listener, for log lines. */
  public Label label() {
    return label;
  }

  /** Counts a new client. Returns false if it is rejected because the limit is reached. */
  boolean tryAdmit() {
    if (now.incrementAndGet() > most) {
      now.decrementAndGet();
      rejected.incrementAndGet();
      rejectedLog.log(times ->
          log.warn(
              "{}max-clients reached: {} clients are connected, {} rejected since the last such"
                  + " line",
              label.prefix(),
              most,
              times));
      events.clientRejected();
      return false;
    }
    total.incrementAndGet();
    return true;
  }

  /** Counts and logs that accepting clients is delayed. */
  void countDelay() {
    delayed.incrementAndGet();
    delayedLog.log(_ ->
        log.warn(
            "{}Clients connect faster than max-connection-rate: accepting them is delayed",
            label.prefix()));
  }

  /** Logs a connection that is closed before it is a client. */
  void logRefused(String peer, String reason) {
    refusedLog.log(times ->
        log.warn(
            "{}The connection from {} is closed: {} ({} since the last such line)",
            label.prefix(),
            peer,
            reason,
            times));
  }

  void clientClosed() {
    if (now.decrementAndGet() == 0) {
      CompletableFuture<Void> waiting = empty.get();
      if (waiting != null) {
        waiting.complete(null);
      }
    }
  }

  /**
   * Returns a stage that completes when no client is connected; for use after the listener is
   * closed.
   */
  public CompletionStage<Void> whenEmpty() {
    var waiting = new CompletableFuture<Void>();
    empty.set(waiting);
    if (now.get() == 0) {
      waiting.complete(null);
    }
    return waiting;
  }

  /** Returns the number of connected clients. */
  public int now() {
    return now.get();
  }

  /** Returns the number of clients accepted since the start. */
  public long total() {
    return total.get();
  }

  /** Returns the number of clients rejected since the start. */
  public long rejected() {
    return rejected.get();
  }

  /** Returns how often accepting clients was delayed. */
  public long delayed() {
    return delayed.get();
  }
}
