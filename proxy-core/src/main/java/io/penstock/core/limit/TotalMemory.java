package io.penstock.core.limit;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** What the clients of all loops keep, and how much they may. Safe from any thread. */
public final class TotalMemory {

  /** Of all the heap that this process may have, what is kept for clients may take this share. */
  private static final int SHARE_OF_HEAP = 3;

  /** Of that, one request may have this share copied, as strings are more than once. */
  private static final int SHARE_OF_ONE = 8;

  private static final long LEAST_ON_HEAP = 1024 * 1024;

  private final long heapLimit;
  private final long maxHeapCopy;
  private final List<LoopMemory> loops = new CopyOnWriteArrayList<>();

  /** A third of the heap. */
  public TotalMemory() {
    this(Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP);
  }

  /**
   * @param heapLimit bytes that all clients may keep on the heap
   */
  TotalMemory(long heapLimit) {
    this.heapLimit = heapLimit;
    this.maxHeapCopy = Math.max(LEAST_ON_HEAP, heapLimit / SHARE_OF_ONE);
  }

  /** Bytes that all clients may keep on the heap. */
  long heapLimit() {
    return heapLimit;
  }

  /** Bytes of a request that may be copied to the heap at once. */
  public long maxHeapCopy() {
    return maxHeapCopy;
  }

  void add(LoopMemory loop) {
    loops.add(loop);
  }

  /** Bytes of one kind that clients keep, except those that are being closed for a limit. */
  long used(Function<LoopMemory, MemorySum> which) {
    long sum = 0;
    for (LoopMemory loop : loops) {
      sum += which.apply(loop).used();
    }
    return sum;
  }

  /** Bytes of one kind that clients keep which are being closed for a limit. */
  long closing(Function<LoopMemory, MemorySum> which) {
    long sum = 0;
    for (LoopMemory loop : loops) {
      sum += which.apply(loop).closing();
    }
    return sum;
  }

  /** Whether a loop is about to close clients. */
  boolean isEvictionPending() {
    return loops.stream().anyMatch(LoopMemory::isEvictionPending);
  }

  /** Clients keep less than before: those that wait for that may go on. */
  void onReleased() {
    for (LoopMemory loop : loops) {
      loop.onReleased();
    }
  }

  /** The memory of the loop with the client that keeps the most of one kind; there is a loop. */
  LoopMemory largest(Function<LoopMemory, MemorySum> which) {
    LoopMemory most = loops.getFirst();
    for (LoopMemory loop : loops) {
      if (which.apply(loop).largest() > which.apply(most).largest()) {
        most = loop;
      }
    }
    return most;
  }
}
