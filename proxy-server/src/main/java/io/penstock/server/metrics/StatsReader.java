package io.penstock.server.metrics;

import io.penstock.core.observe.StatsByName;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the statistics of the proxy from its event loops: at most once in a while, and not longer
 * than a scrape may take. However many threads read, one query is in progress, and each thread
 * waits for its result with its own timeout. Thread-safe.
 */
final class StatsReader {

  private static final Logger LOG = LoggerFactory.getLogger(StatsReader.class);

  private final Supplier<CompletionStage<StatsByName>> source;
  private final Duration maxAge;
  private final Duration timeout;
  private final AtomicReference<@Nullable CompletableFuture<StatsByName>> query =
      new AtomicReference<>();
  private volatile Reading latest = new Reading(null, System.nanoTime());

  /** The latest statistics and their time; or null and the time since when there are none. */
  private record Reading(@Nullable StatsByName stats, long at) {

    Duration age() {
      return Duration.ofNanos(System.nanoTime() - at);
    }
  }

  StatsReader(Supplier<CompletionStage<StatsByName>> source, Duration maxAge, Duration timeout) {
    this.source = source;
    this.maxAge = maxAge;
    this.timeout = timeout;
  }

  /**
   * Returns statistics that are no older than the maximum age. If the event loops do not respond,
   * as while they shut down, returns the latest ones, or null if there are none.
   */
  @Nullable StatsByName read() {
    Reading known = latest;
    if (known.stats != null && known.age().compareTo(maxAge) < 0) {
      return known.stats;
    }
    try {
      return query().get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn("The event loops did not report their statistics: {}", e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return latest.stats;
  }

  /**
   * Starts a query, unless one is in progress: a loop that hangs gets one more task, and not one
   * per scrape.
   */
  private CompletableFuture<StatsByName> query() {
    var mine = new CompletableFuture<StatsByName>();
    CompletableFuture<StatsByName> others = query.compareAndExchange(null, mine);
    if (others != null) {
      return others;
    }
    try {
      source.get().whenComplete((stats, failure) -> complete(mine, stats, failure));
    } catch (RuntimeException | Error e) {
      complete(mine, null, e);
    }
    return mine;
  }

  private void complete(
      CompletableFuture<StatsByName> future,
      @Nullable StatsByName stats,
      @Nullable Throwable failure) {
    if (failure == null) {
      latest = new Reading(stats, System.nanoTime());
    }
    query.set(null);
    if (failure == null) {
      future.complete(stats);
    } else {
      future.completeExceptionally(failure);
    }
  }

  /** Returns the age of the latest statistics, or for how long there have been none. */
  Duration age() {
    return latest.age();
  }
}
