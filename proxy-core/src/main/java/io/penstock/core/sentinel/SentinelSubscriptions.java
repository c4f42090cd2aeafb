package io.penstock.core.sentinel;

import io.penstock.core.control.Stages;
import io.penstock.core.control.TopologyThread;
import io.penstock.core.output.Backoff;
import io.penstock.core.upstream.Endpoint;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One subscription to each sentinel. A subscription whose sentinel does not answer a {@code PING}
 * is replaced, with a back-off. Confined to the topology thread.
 */
final class SentinelSubscriptions {

  private static final Logger LOG = LoggerFactory.getLogger(SentinelTopology.class);

  /** Time between two {@code PING}s, and between attempts to connect at the earliest. */
  static final Duration PERIOD = Duration.ofSeconds(1);

  private final SentinelSource source;
  private final TopologyThread thread;
  private final Backoff backoff;
  private final Runnable onMessage;
  private final Runnable onChange;
  private final Map<Endpoint, Entry> entries = new HashMap<>();
  private boolean started;
  private boolean closed;

  /**
   * @param onMessage runs on any thread after a message about the master or its replicas
   * @param onChange runs when a subscription is lost, and when a lost one works again: messages may
   *     have been missed
   */
  SentinelSubscriptions(
      SentinelSource source,
      TopologyThread thread,
      Backoff backoff,
      Runnable onMessage,
      Runnable onChange) {
    this.source = source;
    this.thread = thread;
    this.backoff = backoff;
    this.onMessage = onMessage;
    this.onChange = onChange;
  }

  /** The state of one subscription. */
  private static final class Entry {
    private SentinelSource.@Nullable Subscription subscription;
    private boolean busy; // connecting, or a PING is unanswered
    private boolean wasLost;
    private int failures;
    private long notBefore;
  }

  /** Subscribes to these sentinels, and to no others. */
  void update(Set<Endpoint> sentinels) {
    if (closed) {
      return;
    }
    entries.keySet().stream()
        .filter(sentinel -> !sentinels.contains(sentinel))
        .toList()
        .forEach(this::remove);
    for (Endpoint sentinel : sentinels) {
      if (!entries.containsKey(sentinel)) {
        Entry entry = new Entry();
        entries.put(sentinel, entry);
        connect(sentinel, entry);
      }
    }
    if (!started) {
      started = true;
      thread.runAfter(PERIOD, this::tick);
    }
  }

  /** Returns whether the sentinel has answered the latest {@code PING}. */
  boolean isAlive(Endpoint sentinel) {
    Entry entry = entries.get(sentinel);
    return entry != null && entry.subscription != null;
  }

  /**
   * Closes the connections one period later. If the whole proxy stops, the control plane closes
   * them, and Lettuce warns about connections that are closed twice.
   */
  void close() {
    closed = true;
    thread.runAfter(PERIOD, () -> Set.copyOf(entries.keySet()).forEach(this::remove));
  }

  private void remove(Endpoint sentinel) {
    Entry entry = entries.remove(sentinel);
    if (entry != null && entry.subscription != null) {
      entry.subscription.close();
    }
  }

  private void tick() {
    if (closed) {
      return;
    }
    thread.runAfter(PERIOD, this::tick);
    Map.copyOf(entries)
        .forEach((sentinel, entry) -> {
          SentinelSource.Subscription subscription = entry.subscription;
          if (entry.busy) {
            return;
          }
          if (subscription != null) {
            ping(sentinel, entry, subscription);
          } else if (thread.nanoTime() - entry.notBefore >= 0) {
            connect(sentinel, entry);
          }
        });
  }

  private void connect(Endpoint sentinel, Entry entry) {
    entry.busy = true;
    Stages.call(() -> source.subscribe(sentinel, onMessage))
        .whenComplete((subscription, failure) ->
            thread.execute(() -> onConnected(sentinel, entry, subscription, failure)));
  }

  private void onConnected(
      Endpoint sentinel,
      Entry entry,
      SentinelSource.@Nullable Subscription subscription,
      @Nullable Throwable failure) {
    entry.busy = false;
    if (subscription == null) {
      LOG.debug("Cannot subscribe to {}", sentinel, failure);
      lost(entry);
    } else if (closed || entries.get(sentinel) != entry) {
      subscription.close();
    } else {
      entry.subscription = subscription;
      entry.failures = 0;
      if (entry.wasLost) {
        onChange.run();
      }
    }
  }

  private void ping(Endpoint sentinel, Entry entry, SentinelSource.Subscription subscription) {
    entry.busy = true;
    Stages.call(subscription::ping)
        .whenComplete((_, failure) ->
            thread.execute(() -> {
              entry.busy = false;
              if (failure != null && entry.subscription == subscription) {
                LOG.debug("The subscription to {} was lost", sentinel, failure);
                subscription.close();
                entry.subscription = null;
                lost(entry);
                onChange.run();
              }
            }));
  }

  private void lost(Entry entry) {
    entry.wasLost = true;
    entry.failures++;
    entry.notBefore = thread.nanoTime() + backoff.delayAfter(entry.failures).toNanos();
  }
}
