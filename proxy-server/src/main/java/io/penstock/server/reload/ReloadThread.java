package io.penstock.server.reload;

import io.penstock.server.change.ReloadMode;
import io.penstock.server.config.PenstockProperties;
import io.penstock.server.lifecycle.ProxyLifecycle;
import io.penstock.server.table.TableFile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Runs reloads, one after the other, on a daemon thread of its own. Requests that come while one
 * runs are one more reload after it, which reads the newest files. With {@code reload: on-change}
 * the same thread looks for changes of the files once a second. It looks only at a resource table
 * if {@code transpond.local.dynamic} is all that asks for it.
 *
 * <p>Starts after the proxy and stops before it: {@link #stop} waits for a reload that runs.
 */
final class ReloadThread implements SmartLifecycle {

  private static final Logger LOG = LoggerFactory.getLogger(ReloadThread.class);

  /** Time between two looks at the files. A change is applied when it is as old as that. */
  static final Duration PERIOD = Duration.ofSeconds(1);

  private static final long STOP_SECONDS = 10;

  private final Work work;
  private final ConfigurationInForce inForce;
  private final @Nullable HangupSignal signal;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("penstock-reload").factory());
  private final AtomicReference<@Nullable Waiting> waiting = new AtomicReference<>();
  private volatile boolean running;

  // The rest is confined to the thread.
  private @Nullable ScheduledFuture<?> watch;
  private @Nullable Map<Path, String> read; // what the files were when they were last read
  private @Nullable Map<Path, String> seen; // what they were at the last look, if they differ

  /**
   * @param signal asks for a reload, if it is there
   * @param proxy starts before this
   */
  ReloadThread(
      Work work,
      ConfigurationInForce inForce,
      @Nullable HangupSignal signal,
      ProxyLifecycle proxy) {
    this.work = work;
    this.inForce = inForce;
    this.signal = signal;
  }

  /** What the thread does. Called on the thread only. */
  interface Work {

    /** Reads, checks and applies the configuration. */
    Attempt run(Trigger trigger, boolean quiet);

    /** Returns the files that the last run has read or looked for. */
    WatchedFiles files();

    /** Returns what they contained immediately before it read them. */
    Map<Path, String> read();
  }

  /** A reload that was asked for and has not begun. */
  private record Waiting(Trigger trigger, CompletableFuture<Attempt> end) {}

  /**
   * Asks for a reload, from any thread. Does not block.
   *
   * @return completes when a reload has ended that began after this call; fails with {@link
   *     RejectedExecutionException} if Penstock stops
   */
  CompletionStage<Attempt> request(Trigger trigger) {
    while (true) {
      Waiting before = waiting.get();
      if (before != null) {
        return before.end();
      }
      Waiting mine = new Waiting(trigger, new CompletableFuture<>());
      if (waiting.compareAndSet(null, mine)) {
        try {
          thread.execute(this::runNext);
        } catch (RejectedExecutionException e) {
          mine.end().completeExceptionally(e);
        }
        return mine.end();
      }
    }
  }

  private void runNext() {
    Waiting next = waiting.getAndSet(null);
    if (next == null) {
      return;
    }
    try {
      next.end().complete(run(next.trigger(), false));
    } catch (RuntimeException | Error e) {
      LOG.error("A reload failed", e);
      next.end().completeExceptionally(e);
    }
  }

  private void runSafely(Trigger trigger, boolean quiet) {
    try {
      run(trigger, quiet);
    } catch (RuntimeException | Error e) { // an Error would end the looks at the files
      LOG.error("A reload failed", e);
    }
  }

  private Attempt run(Trigger trigger, boolean quiet) {
    Attempt attempt = work.run(trigger, quiet);
    read = work.read();
    seen = null;
    followMode();
    return attempt;
  }

  /** Begins or ends to look for changes, as the configuration says. */
  private void followMode() {
    boolean wanted = isOnChange() || table() != null;
    ScheduledFuture<?> now = watch;
    if (wanted && now == null) {
      watch =
          thread.scheduleWithFixedDelay(
              this::look, PERIOD.toMillis(), PERIOD.toMillis(), TimeUnit.MILLISECONDS);
    } else if (!wanted && now != null) {
      now.cancel(false);
      watch = null;
    }
  }

  private boolean isOnChange() {
    return inForce.current().configuration().properties().reload() == ReloadMode.ON_CHANGE;
  }

  /** Returns the file with a resource table whose changes are wanted; null if there is none. */
  private @Nullable Path table() {
    PenstockProperties.Local local =
        inForce.current().configuration().properties().transpond().local();
    String file = local.dynamic() ? local.jsonFile() : null;
    return file == null ? null : TableFile.path(file);
  }

  /** Returns what files were when they were last read; all of them if all are watched. */
  private @Nullable Map<Path, String> readOf(Set<Path> files) {
    Map<Path, String> all = read;
    if (all == null || isOnChange()) {
      return all;
    }
    Map<Path, String> some = new TreeMap<>(all);
    some.keySet().retainAll(files);
    return some;
  }

  private WatchedFiles watched() {
    Path table = table();
    return isOnChange() || table == null ? work.files() : work.files().only(table);
  }

  /** Reloads if files have changed since they were read, and not since the last look. */
  private void look() {
    Map<Path, String> now = watched().digests();
    if (now.equals(readOf(now.keySet()))) {
      seen = null;
    } else if (now.equals(seen)) {
      read = now;
      runSafely(Trigger.FILES, false);
    } else {
      seen = now;
    }
  }

  @Override
  public void start() {
    running = true;
    if (signal != null) {
      signal.onSignal(() -> request(Trigger.SIGNAL));
    }
    if (isOnChange() || table() != null) {
      // finds out which files there are, and what has changed since the start read them
      thread.execute(() -> runSafely(Trigger.FILES, true));
    }
  }

  @Override
  public void stop() {
    running = false;
    if (signal != null) {
      signal.onSignal(null);
    }
    thread.shutdown();
    try {
      if (!thread.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
        thread.shutdownNow();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** Returns false: pausing a context starts its beans again, and this cannot start again. */
  @Override
  public boolean isPauseable() {
    return false;
  }

  /** Returns the phase of the proxy, on which this depends. */
  @Override
  public int getPhase() {
    return Integer.MAX_VALUE;
  }
}
