package io.penstock.core.session;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** All clients of a proxy, over all loops, and the scripts they brought. Safe from any thread. */
public final class ClientDirectory {

  private final AtomicLong lastId = new AtomicLong();
  private final Scripts scripts = new Scripts();
  private final List<SessionLoop> loops = new CopyOnWriteArrayList<>();

  void add(SessionLoop loop) {
    loops.add(loop);
  }

  /** The scripts that clients brought. */
  Scripts scripts() {
    return scripts;
  }

  /** Bytes that clients keep in buffers, those aside that are being closed for a limit. */
  long memory() {
    return sum(LoopMemory::used);
  }

  /** Bytes that clients keep which are being closed for a limit. */
  long leaving() {
    return sum(LoopMemory::leaving);
  }

  private long sum(ToLongFunction<LoopMemory> bytes) {
    long sum = 0;
    for (SessionLoop loop : loops) {
      sum += bytes.applyAsLong(loop.memory());
    }
    return sum;
  }

  /** Whether a loop is about to close clients. */
  boolean isShedding() {
    return loops.stream().anyMatch(loop -> loop.memory().isAsked());
  }

  /** Clients keep less than before: who waits for that may go on. */
  void relieved() {
    for (SessionLoop loop : loops) {
      loop.memory().relieved();
    }
  }

  /** The memory of the loop that has the client which keeps the most; there is a loop. */
  LoopMemory largest() {
    LoopMemory most = loops.getFirst().memory();
    for (SessionLoop loop : loops) {
      if (loop.memory().largest() > most.largest()) {
        most = loop.memory();
      }
    }
    return most;
  }

  /** The next client id: unique and growing, as Redis's are. */
  long nextId() {
    return lastId.incrementAndGet();
  }

  /**
   * Asks each loop, on its own thread, and puts the answers together.
   *
   * @return completes on one of the loops
   */
  public <T> CompletionStage<List<T>> askAll(Function<SessionLoop, T> question) {
    List<CompletableFuture<T>> answers = new ArrayList<>();
    for (SessionLoop loop : loops) {
      answers.add(CompletableFuture.supplyAsync(() -> question.apply(loop), loop.executor()));
    }
    return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
        .thenApply(_ -> answers.stream().map(CompletableFuture::resultNow).toList());
  }
}
