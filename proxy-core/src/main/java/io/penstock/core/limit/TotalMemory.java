package io.penstock.core.limit;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The memory of the clients of all loops: of one listener, or of all listeners of a process. The
 * limits of the process are on the heap, and, if there are several listeners, on all memory. Safe
 * from any thread.
 */
public final class TotalMemory {

  /** Clients may use this fraction of the heap. */
  private static final int HEAP_FRACTION = 3;

  /** One request may use this fraction of that, as strings are copied more than once. */
  private static final int REQUEST_FRACTION = 8;

  private static final long MIN_HEAP_COPY = 1024 * 1024;

  private final @Nullable TotalMemory parent; // null in that of the process
  private volatile long limit;
  private final long heapLimit;
  private final long maxHeapCopy;
  private final List<LoopMemory> loops = new CopyOnWriteArrayList<>();

  /** For a process. Limits the memory on the heap to a third of the heap. */
  public TotalMemory() {
    this(0, Runtime.getRuntime().maxMemory() / HEAP_FRACTION);
  }

  /**
   * For a process.
   *
   * @param heapLimit for all clients, in bytes
   */
  TotalMemory(long heapLimit) {
    this(0, heapLimit);
  }

  private TotalMemory(long limit, long heapLimit) {
    this(null, limit, heapLimit);
  }

  private TotalMemory(@Nullable TotalMemory parent, long limit, long heapLimit) {
    this.parent = parent;
    this.limit = limit;
    this.heapLimit = heapLimit;
    this.maxHeapCopy = Math.max(MIN_HEAP_COPY, heapLimit / REQUEST_FRACTION);
  }

  /**
   * Returns the memory of a process whose listeners have limits of their own.
   *
   * @param limit for the clients of all listeners, in bytes; 0 for none
   */
  public static TotalMemory ofProcess(long limit) {
    return new TotalMemory(limit, Runtime.getRuntime().maxMemory() / HEAP_FRACTION);
  }

  /** Returns the memory of a listener's clients, which is a part of this process's. */
  public TotalMemory ofListener() {
    return new TotalMemory(this, 0, heapLimit);
  }

  /** The memory of the process. */
  TotalMemory ofProcess() {
    return parent == null ? this : parent;
  }

  /** The limit on all memory of a process, in bytes; 0 for none. */
  long limit() {
    return limit;
  }

  /** The limit on the heap for all clients of the process, in bytes. */
  long heapLimit() {
    return heapLimit;
  }

  /** Bytes of a request that may be copied to the heap at most. */
  public long maxHeapCopy() {
    return maxHeapCopy;
  }

  /** Replaces the limit on all memory of a process, in bytes; 0 for none. */
  public void limit(long bytes) {
    limit = bytes;
  }

  /** Removes a loop of a listener that has gone away, with all of its clients. */
  void remove(LoopMemory loop) {
    loops.remove(loop);
    if (parent != null) {
      parent.remove(loop);
    }
  }

  void add(LoopMemory loop) {
    loops.add(loop);
    if (parent != null) {
      parent.add(loop);
    }
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
