package io.penstock.server.reload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

import io.penstock.server.change.ReloadOutcome;
import io.penstock.server.lifecycle.ProxyLifecycle;
import io.penstock.server.start.StartConfiguration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.mock.env.MockEnvironment;

class ReloadThreadTest {

  private final Runs runs = new Runs();

  @SuppressWarnings("NullAway.Init")
  private ReloadThread thread;

  /** Counts reloads; each waits for a permit. */
  private static final class Runs implements ReloadThread.Work {

    private final List<Trigger> triggers = new CopyOnWriteArrayList<>();
    private final AtomicInteger parallel = new AtomicInteger();
    private final AtomicInteger mostParallel = new AtomicInteger();
    private final Semaphore permits = new Semaphore(0);
    private volatile Set<Path> files = Set.of();
    private volatile Map<Path, String> read = Map.of();

    @Override
    public Attempt run(Trigger trigger, boolean quiet) {
      read = files().digests();
      triggers.add(trigger);
      mostParallel.accumulateAndGet(parallel.incrementAndGet(), Math::max);
      permits.acquireUninterruptibly();
      parallel.decrementAndGet();
      return new Attempt(Instant.now(), trigger, ReloadOutcome.UNCHANGED, null, List.of());
    }

    @Override
    public Map<Path, String> read() {
      return read;
    }

    @Override
    public WatchedFiles files() {
      return new WatchedFiles(files, Set.of());
    }
  }

  private void start(String mode) {
    StartConfiguration configuration =
        StartConfiguration.read(
            new MockEnvironment()
                .withProperty("penstock.transpond.local.resource", "redis://h:1")
                .withProperty("penstock.reload", mode));
    thread =
        new ReloadThread(
            runs,
            new ConfigurationInForce(configuration, List.of()),
            null,
            mock(ProxyLifecycle.class));
    thread.start();
  }

  @AfterEach
  void stop() {
    runs.permits.release(1_000);
    thread.stop();
  }

  @Test
  void requestsThatComeMeanwhileAreOneMoreReload() {
    start("on-signal");
    CompletionStage<Attempt> first = thread.request(Trigger.SIGNAL);
    await().until(() -> runs.triggers.size() == 1);
    List<CompletionStage<Attempt>> others = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      others.add(thread.request(Trigger.REQUEST));
    }

    runs.permits.release(2);

    for (CompletionStage<Attempt> other : others) {
      assertThat(other.toCompletableFuture().join().trigger()).isEqualTo(Trigger.REQUEST);
    }
    assertThat(first.toCompletableFuture().join().trigger()).isEqualTo(Trigger.SIGNAL);
    assertThat(runs.triggers).containsExactly(Trigger.SIGNAL, Trigger.REQUEST);
    assertThat(runs.mostParallel).hasValue(1);
  }

  @Test
  void afterTheStopRequestsFail() {
    start("on-signal");
    thread.stop();

    assertThat(thread.request(Trigger.SIGNAL)).isCompletedExceptionally();
  }

  @Test
  void filesThatChangeAreReadWhenTheyRest(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("application.yml"), "1");
    runs.files = Set.of(file);
    runs.permits.release(100);
    start("on-change");
    await().until(() -> runs.triggers.size() == 1); // learns which files there are

    Files.writeString(file, "2");

    await().until(() -> runs.triggers.size() == 2);
    assertThat(runs.triggers.getLast()).isEqualTo(Trigger.FILES);
  }

  @Test
  void aFileThatChangesWhileItIsReadIsReadAgain(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("application.yml"), "1");
    runs.files = Set.of(file);
    start("on-change");
    await().until(() -> runs.triggers.size() == 1);

    Files.writeString(file, "2"); // while the first reload runs
    runs.permits.release(100);

    await().until(() -> runs.triggers.size() == 2);
  }
}
