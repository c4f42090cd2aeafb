package io.penstock.core.limit;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** The memory of the clients of all loops, and its limit on the heap. Safe from any thread. */
public final class TotalMemory {

  /** Clients may use this fraction of the heap. */
  private static final int HEAP_FRACTION = 3;

  /** One request may use this fraction of that, as strings are copied more than once. */
  private static final int REQUEST_FRACTION = 8;

  private static final long MIN_HEAP_COPY = 1024 * 1024;

  private final long heapLimit;
  private final long maxHeapCopy;
  private final List<LoopMemory> loops = new CopyOnWriteArrayList<>();

  /** Limits the memory on the heap to a third of the heap. */
  public TotalMemory() {
    this(Runtime.getRuntime().maxMemory() / HEAP_FRACTION);
  }

  /**
   * @param heapLimit for all clients, in bytes
   */
  TotalMemory(long heapLimit) {
    this.heapLimit = heapLimit;
    this.maxHeapCopy = Math.max(MIN_HEAP_COPY, heapLimit / REQUEST_FRACTION);
  }

  /** The limit on the heap for all clients, in bytes. */
  long heapLimit() {
    return heapLimit;
  }

  /** Bytes of a request that may be copied to the heap at most. */
  public long maxHeapCopy() {
    return maxHeapCopy;
  }

  void add(LoopMemory loop) {
    loops.add(loop);
  }

  /** Bytes of one kind that open clients use. */
  long used(Function<LoopMemory, MemorySum> which) {
    long sum = 0;
    for (LoopMemory loop : loops) {
      sum += which.apply(loop).used();
    }
    return sum;
  }

  /** Bytes of one kind of clients that are being closed for a limit or are closed. */
  long closing(Function<LoopMemory, MemorySum> which) {
    long sum = 0;
    for (LoopMemory loop : loops) {
      sum += which.apply(loop).closing();
    }
    return sum;
  }

  /** Whether a loop is about to evict clients. */
  boolean isEvictionPending() {
    return loops.stream().anyMatch(LoopMemory::isEvictionPending);
  }

  /** Memory has been released: resumes loops that wait for it. */
  void onReleased() {
    for (LoopMemory loop : loops) {
      loop.onReleased();
    }
  }

  /**
   * Returns the memory of the loop with the largest client, by one kind of memory. There must be a
   * loop.
   */
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
