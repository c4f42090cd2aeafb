package io.penstock.core.session;

import io.penstock.core.observe.ProxyStats;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** All clients of a proxy, over all loops, and the scripts they brought. Safe from any thread. */
public final class ClientDirectory {

  /** Of all the heap that this process may have, what is kept for clients may take this share. */
  private static final int SHARE_OF_HEAP = 3;

  /** Of that, one request may have this share copied, as strings are more than once. */
  private static final int SHARE_OF_ONE = 8;

  private static final long LEAST_ON_HEAP = 1024 * 1024;

  private final long heapLimit;
  private final long longestOnHeap;
  private final AtomicLong lastId = new AtomicLong();
  private final Scripts scripts = new Scripts();
  private volatile ProxyStats resetAt = ProxyStats.NONE;
  private final List<SessionLoop> loops = new CopyOnWriteArrayList<>();

  public ClientDirectory() {
    this(Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP);
  }

  /**
   * @param heapLimit bytes that all clients may keep on the heap
   */
  ClientDirectory(long heapLimit) {
    this.heapLimit = heapLimit;
    this.longestOnHeap = Math.max(LEAST_ON_HEAP, heapLimit / SHARE_OF_ONE);
  }

  /** Bytes that all clients may keep on the heap. */
  long heapLimit() {
    return heapLimit;
  }

  /** Bytes of a request that may be copied to the heap at once. */
  long longestOnHeap() {
    return longestOnHeap;
  }

  void add(SessionLoop loop) {
    loops.add(loop);
  }

  /** The scripts that clients brought. */
  Scripts scripts() {
    return scripts;
  }

  /** Bytes of one kind that clients keep, those aside that are being closed for a limit. */
  long used(Function<LoopMemory, KeptSum> which) {
    long sum = 0;
    for (SessionLoop loop : loops) {
      sum += which.apply(loop.memory()).used();
    }
    return sum;
  }

  /** Bytes of one kind that clients keep which are being closed for a limit. */
  long leaving(Function<LoopMemory, KeptSum> which) {
    long sum = 0;
    for (SessionLoop loop : loops) {
      sum += which.apply(loop.memory()).leaving();
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

  /** The memory of the loop with the client that keeps the most of one kind; there is a loop. */
  LoopMemory largest(Function<LoopMemory, KeptSum> which) {
    LoopMemory most = loops.getFirst().memory();
    for (SessionLoop loop : loops) {
      if (which.apply(loop.memory()).largest() > which.apply(most).largest()) {
        most = loop.memory();
      }
    }
    return most;
  }

  /** What INFO told of all loops when {@code CONFIG RESETSTAT} was called last. */
  ProxyStats resetAt() {
    return resetAt;
  }

  /** INFO counts from {@code now} on. */
  void reset(ProxyStats now) {
    resetAt = now;
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
