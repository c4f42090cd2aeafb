package io.penstock.core.answer;

import io.penstock.core.limit.TotalMemory;
import io.penstock.core.observe.ProxyStats;
import io.penstock.core.script.Scripts;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;

/** All clients of a proxy, on all loops, and the scripts that they sent. Safe from any thread. */
public final class ClientDirectory {

  private final TotalMemory memory;
  private final AtomicLong lastId = new AtomicLong();
  private final Scripts scripts = new Scripts();
  private volatile ProxyStats statsAtReset = ProxyStats.NONE;
  private final List<LoopClients> loops = new CopyOnWriteArrayList<>();

  /** With the default limit of client memory. */
  public ClientDirectory() {
    this(new TotalMemory());
  }

  /**
   * @param memory of all clients
   */
  ClientDirectory(TotalMemory memory) {
    this.memory = memory;
  }

  /** Returns the memory of all clients. */
  public TotalMemory memory() {
    return memory;
  }

  public void add(LoopClients loop) {
    loops.add(loop);
  }

  /** Returns the scripts that clients sent. */
  public Scripts scripts() {
    return scripts;
  }

  /** Returns the statistics at the last call of {@code CONFIG RESETSTAT}. */
  ProxyStats statsAtReset() {
    return statsAtReset;
  }

  /** {@code INFO} counts from {@code now} on. */
  void resetStats(ProxyStats now) {
    statsAtReset = now;
  }

  /** Returns the next client id: unique and growing, as in Redis. */
  public long nextId() {
    return lastId.incrementAndGet();
  }

  /**
   * Runs a function on each loop and collects the results.
   *
   * @return completes on one of the loops
   */
  public <T> CompletionStage<List<T>> onEachLoop(Function<LoopClients, T> function) {
    List<CompletableFuture<T>> answers = new ArrayList<>();
    for (LoopClients loop : loops) {
      answers.add(CompletableFuture.supplyAsync(() -> function.apply(loop), loop.executor()));
    }
    return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
        .thenApply(_ -> answers.stream().map(CompletableFuture::resultNow).toList());
  }

  /**
   * Runs an action for each client, on its loop, in slices.
   *
   * @return completes on one of the loops when it was run for all clients
   */
  CompletionStage<Void> onEachClient(Consumer<ListedClient> action) {
    return onEachLoopAsync(loop -> ClientIteration.begin(loop, action));
  }

  /**
   * Runs an asynchronous task on each loop.
   *
   * @return completes on one of the loops when all tasks are complete
   */
  CompletionStage<Void> onEachLoopAsync(Function<LoopClients, CompletionStage<Boolean>> task) {
    return onEachLoop(task)
        .thenCompose(tasks ->
            CompletableFuture.allOf(
                tasks.stream()
                    .map(CompletionStage::toCompletableFuture)
                    .toArray(CompletableFuture[]::new)));
  }
}
