package io.penstock.core.listener;

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
 * Counts clients and turns away those above the limit. Safe from any thread; once per connection.
 */
public final class Admission {

  private static final Logger log = LoggerFactory.getLogger(Admission.class);

  private final int most;
  private final ProxyEvents events;
  private final AtomicInteger now = new AtomicInteger();
  private final AtomicLong total = new AtomicLong();
  private final AtomicLong rejected = new AtomicLong();
  private final AtomicLong delayed = new AtomicLong();
  private final ThrottledLog refusing = new ThrottledLog();
  private final ThrottledLog delaying = new ThrottledLog();
  private final AtomicReference<@Nullable CompletableFuture<Void>> empty = new AtomicReference<>();

  /** {@code most} clients at a time. */
  public Admission(int most, ProxyEvents events) {
    this.most = most;
    this.events = events;
  }

  boolean tryAdmit() {
    if (now.incrementAndGet() > most) {
      now.decrementAndGet();
      rejected.incrementAndGet();
      refusing.log(times ->
          log.warn(
              "{} clients are connected, max-clients: {} refused since the last such line",
              most,
              times));
      events.clientRejected();
      return false;
    }
    total.incrementAndGet();
    return true;
  }

  /** Clients have to wait before they are accepted. */
  void countDelay() {
    delayed.incrementAndGet();
    delaying.log(_ -> log.warn("more clients connect than max-connection-rate: they wait"));
  }

  void clientClosed() {
    if (now.decrementAndGet() == 0) {
      CompletableFuture<Void> waiting = empty.get();
      if (waiting != null) {
        waiting.complete(null);
      }
    }
  }

  /** Completes when no client is connected; for use after the listener was closed. */
  public CompletionStage<Void> whenEmpty() {
    var waiting = new CompletableFuture<Void>();
    empty.set(waiting);
    if (now.get() == 0) {
      waiting.complete(null);
    }
    return waiting;
  }

  /** Clients connected now. */
  public int now() {
    return now.get();
  }

  /** Clients accepted since the start. */
  public long total() {
    return total.get();
  }

  /** Clients turned away since the start. */
  public long rejected() {
    return rejected.get();
  }

  /** How often clients had to wait before they were accepted. */
  public long delayed() {
    return delayed.get();
  }
}
