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

/** All clients of a proxy, over all loops, and the scripts they brought. Safe from any thread. */
public final class ClientDirectory {

  private final TotalMemory memory;
  private final AtomicLong lastId = new AtomicLong();
  private final Scripts scripts = new Scripts();
  private volatile ProxyStats statsAtReset = ProxyStats.NONE;
  private final List<LoopClients> loops = new CopyOnWriteArrayList<>();

  /** Of clients that may keep as much as they may by default. */
  public ClientDirectory() {
    this(new TotalMemory());
  }

  /**
   * @param memory that clients keep
   */
  ClientDirectory(TotalMemory memory) {
    this.memory = memory;
  }

  /** What the clients keep. */
  public TotalMemory memory() {
    return memory;
  }

  public void add(LoopClients loop) {
    loops.add(loop);
  }

  /** The scripts that clients brought. */
  public Scripts scripts() {
    return scripts;
  }

  /** What INFO told of all loops when {@code CONFIG RESETSTAT} was called last. */
  ProxyStats statsAtReset() {
    return statsAtReset;
  }

  /** INFO counts from {@code now} on. */
  void resetStats(ProxyStats now) {
    statsAtReset = now;
  }

  /** The next client id: unique and growing, as Redis's are. */
  public long nextId() {
    return lastId.incrementAndGet();
  }

  /**
   * Asks each loop, on its own thread, and puts the answers together.
   *
   * @return completes on one of the loops
   */
  public <T> CompletionStage<List<T>> onEachLoop(Function<LoopClients, T> question) {
    List<CompletableFuture<T>> answers = new ArrayList<>();
    for (LoopClients loop : loops) {
      answers.add(CompletableFuture.supplyAsync(() -> question.apply(loop), loop.executor()));
    }
    return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
        .thenApply(_ -> answers.stream().map(CompletableFuture::resultNow).toList());
  }

  /**
   * Does something with each client, on its loop, in slices.
   *
   * @return completes on one of the loops when all clients had their turn
   */
  CompletionStage<Void> onEachClient(Consumer<ListedClient> action) {
    return onEachLoopAsync(loop -> ClientIteration.begin(loop, action));
  }

  /**
   * Has each loop do its part, on its own thread.
   *
   * @return completes on one of the loops when all have done it
   */
  CompletionStage<Void> onEachLoopAsync(Function<LoopClients, CompletionStage<Boolean>> part) {
    return onEachLoop(part)
        .thenCompose(parts ->
            CompletableFuture.allOf(
                parts.stream()
                    .map(CompletionStage::toCompletableFuture)
                    .toArray(CompletableFuture[]::new)));
  }
}
