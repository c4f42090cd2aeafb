package io.penstock.server.metrics;

import io.penstock.core.observe.ProxyStats;
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
 * Asks for the proxy's figures, not more often than they change for a human, and not longer than a
 * scrape may take: however many ask, one question is under way, and each waits for it on its own.
 * Any thread.
 */
final class StatsReader {

  private static final Logger LOG = LoggerFactory.getLogger(StatsReader.class);

  private final Supplier<CompletionStage<ProxyStats>> source;
  private final Duration freshFor;
  private final Duration patience;
  private final AtomicReference<@Nullable CompletableFuture<ProxyStats>> question =
      new AtomicReference<>();
  private volatile Reading newest = new Reading(null, System.nanoTime());

  /** What was told last, and when; or since when there has been nothing. */
  private record Reading(@Nullable ProxyStats stats, long at) {

    Duration age() {
      return Duration.ofNanos(System.nanoTime() - at);
    }
  }

  StatsReader(Supplier<CompletionStage<ProxyStats>> source, Duration freshFor, Duration patience) {
    this.source = source;
    this.freshFor = freshFor;
    this.patience = patience;
  }

  /**
   * Figures of now or a moment ago; the last ones known when the loops do not answer, as while they
   * end; or null.
   */
  @Nullable ProxyStats read() {
    Reading known = newest;
    if (known.stats != null && known.age().compareTo(freshFor) < 0) {
      return known.stats;
    }
    try {
      return ask().get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn("The event loops did not tell their figures: {}", e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return newest.stats;
  }

  /**
   * Asks, unless that is under way: a loop that hangs has one task more to do, not one a scrape.
   */
  private CompletableFuture<ProxyStats> ask() {
    var mine = new CompletableFuture<ProxyStats>();
    CompletableFuture<ProxyStats> others = question.compareAndExchange(null, mine);
    if (others != null) {
      return others;
    }
    try {
      source.get().whenComplete((stats, failure) -> told(mine, stats, failure));
    } catch (RuntimeException | Error e) {
      told(mine, null, e);
    }
    return mine;
  }

  private void told(
      CompletableFuture<ProxyStats> asked,
      @Nullable ProxyStats stats,
      @Nullable Throwable failure) {
    if (failure == null) {
      newest = new Reading(stats, System.nanoTime());
    }
    question.set(null);
    if (failure == null) {
      asked.complete(stats);
    } else {
      asked.completeExceptionally(failure);
    }
  }

  /** How old the figures are that were read last, or how long there have been none. */
  Duration age() {
    return newest.age();
  }
}
