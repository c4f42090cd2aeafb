package io.penstock.server.metrics;

import io.penstock.core.observe.ProxyStats;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks for the proxy's figures, not more often than they change for a human, and not longer than a
 * scrape may take. Any thread.
 */
final class StatsReader {

  private static final Logger LOG = LoggerFactory.getLogger(StatsReader.class);

  private final Supplier<CompletionStage<ProxyStats>> source;
  private final Duration freshFor;
  private final Duration patience;
  private @Nullable ProxyStats newest;
  private long readAt;

  StatsReader(Supplier<CompletionStage<ProxyStats>> source, Duration freshFor, Duration patience) {
    this.source = source;
    this.freshFor = freshFor;
    this.patience = patience;
    this.readAt = System.nanoTime();
  }

  /**
   * Figures of now or a moment ago; the last ones known when the loops do not answer, as while they
   * end; or null.
   */
  synchronized @Nullable ProxyStats read() {
    if (newest != null && System.nanoTime() - readAt < freshFor.toNanos()) {
      return newest;
    }
    try {
      newest = source.get().toCompletableFuture().get(patience.toMillis(), TimeUnit.MILLISECONDS);
      readAt = System.nanoTime();
    } catch (ExecutionException | TimeoutException | RejectedExecutionException e) {
      LOG.warn("The event loops did not tell their figures: {}", e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return newest;
  }

  /** How old the figures are that were read last, or how long there have been none. */
  synchronized Duration age() {
    return Duration.ofNanos(System.nanoTime() - readAt);
  }
}
