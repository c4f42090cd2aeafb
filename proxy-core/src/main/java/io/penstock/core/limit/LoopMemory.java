package io.penstock.core.limit;

import io.penstock.core.observe.CloseReason;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.ReadGate;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one listener's clients on one loop, and their eviction: when the clients of all
 * loops exceed a limit, the client that uses the most is closed, whichever loop it is on. There are
 * two sums: of all memory, which each listener limits, and of memory on the heap, which is limited
 * for the process, as all memory is if there are several listeners. {@code CLIENT NO-EVICT} does
 * not protect from the limit of the heap, as a process without heap ends. While clients are being
 * closed, a loop continues to read from all others. A loop on which memory grows stops reading only
 * when all memory, including that of clients being closed, exceeds the limit by a quarter. Used on
 * its loop; the numbers may be read on any thread.
 */
public final class LoopMemory {

  private final TotalMemory total;
  private final Executor executor;
  private final ReadGate gate;
  private final Set<Allowance> clients = new LinkedHashSet<>();
  private final MemorySum all;
  private final MemorySum heap; // the part that is on the heap
  private final AtomicBoolean evictionPending = new AtomicBoolean();
  private volatile boolean waiting; // reading is paused

  /** The limits, in the order in which they are checked. */
  private enum Limit {
    HEAP,
    PROCESS,
    LISTENER;

    private Function<LoopMemory, MemorySum> which() {
      return this == HEAP ? LoopMemory::heap : LoopMemory::all;
    }

    /** Returns the limit in bytes; 0 for none. */
    private long bytes(LoopMemory loop) {
      return this == PROCESS ? loop.total.ofProcess().limit() : which().apply(loop).limit();
    }

    /** Returns the memory that the limit is for. */
    private TotalMemory total(LoopMemory loop) {
      return this == LISTENER ? loop.total : loop.total.ofProcess();
    }

    boolean isExceeded(LoopMemory loop) {
      long bytes = bytes(loop);
      return bytes > 0 && total(loop).used(which()) > bytes;
    }

    /** Whether it is exceeded by a quarter, including memory of clients being closed. */
    boolean isFarExceeded(LoopMemory loop) {
      long bytes = bytes(loop);
      return bytes > 0
          && total(loop).used(which()) + total(loop).closing(which()) > bytes + bytes / 4;
    }

    LoopMemory largest(LoopMemory loop) {
      return total(loop).largest(which());
    }

    long largestClient(LoopMemory loop) {
      return which().apply(loop).largest();
    }
  }

  private static final Limit[] LIMITS = Limit.values();

  /**
   * @param total of the listener
   * @param limit for the clients of the listener on all loops, in bytes; 0 for none
   */
  public LoopMemory(TotalMemory total, Loop loop, long limit) {
    this.total = total;
    this.executor = loop.executor();
    this.gate = loop.readGate();
    this.all = new MemorySum(limit);
    this.heap = new MemorySum(total.heapLimit());
    total.add(this);
  }

  /** Replaces the limit for the clients of the listener on all loops, in bytes; 0 for none. */
  public void limit(long bytes) {
    all.limit(bytes);
  }

  /** Stops counting: the listener has gone away, and all of its clients have left. */
  public void close() {
    total.remove(this);
  }

  /** The memory of clients. The numbers may be read on any thread. */
  public MemorySum all() {
    return all;
  }

  /** The part of it that is on the heap. The numbers may be read on any thread. */
  public MemorySum heap() {
    return heap;
  }

  /** Bytes of a request that may be copied to the heap at most. */
  public long maxHeapCopy() {
    return total.maxHeapCopy();
  }

  /** Adds a client. */
  void add(Allowance client) {
    clients.add(client);
  }

  /** Removes a closed client. */
  void remove(Allowance client) {
    clients.remove(client);
  }

  /** Whether another loop has requested an eviction on this loop that has not started. */
  boolean isEvictionPending() {
    return evictionPending.get();
  }

  /** The memory of a client has changed. */
  void changed(Allowance client) {
    long before = client.countedBytes();
    long heapBefore = client.countedHeapBytes();
    client.recount();
    long more = client.countedBytes() - before;
    long moreOnHeap = client.countedHeapBytes() - heapBefore;
    if (more == 0 && moreOnHeap == 0) {
      return;
    }
    if (client.isEnded()) {
      addClosing(more, moreOnHeap);
      return;
    }
    all.addUsed(more);
    heap.addUsed(moreOnHeap);
    heap.offerLargest(client.countedHeapBytes());
    if (!client.isNoEvict()) {
      all.offerLargest(client.countedBytes());
    }
    if (more > 0 || moreOnHeap > 0) {
      check(exceeded());
    }
    if ((more > 0 || moreOnHeap > 0) && isFarExceeded()) {
      pauseReading();
    }
  }

  /** A client is about to be closed for a limit: from now on its memory counts as closing. */
  void startClosing(Allowance client) {
    all.addUsed(-client.countedBytes());
    heap.addUsed(-client.countedHeapBytes());
    addClosing(client.countedBytes(), client.countedHeapBytes());
  }

  private void addClosing(long more, long moreOnHeap) {
    all.addClosing(more);
    heap.addClosing(moreOnHeap);
    if (more < 0) {
      total.ofProcess().onReleased();
    }
  }

  /** Adds bytes on the heap that remain of closed clients; negative to subtract. */
  public void addClosedHeapBytes(long bytes) {
    all.addClosed(bytes);
    heap.addClosed(bytes);
    if (bytes < 0) {
      total.ofProcess().onReleased();
    }
  }

  /** Returns the first limit that the clients of all loops exceed, or null. */
  private @Nullable Limit exceeded() {
    for (Limit limit : LIMITS) {
      if (limit.isExceeded(this)) {
        return limit;
      }
    }
    return null;
  }

  /** Whether a limit is exceeded by a quarter, including memory of clients being closed. */
  private boolean isFarExceeded() {
    for (Limit limit : LIMITS) {
      if (limit.isFarExceeded(this)) {
        return true;
      }
    }
    return false;
  }

  /** Pauses reading until memory has been released. */
  private void pauseReading() {
    if (!waiting) {
      waiting = true; // before the check below: a loop that releases memory resumes those that wait
      gate.shut();
    }
    resumeIfPossible();
  }

  private void check(@Nullable Limit limit) {
    if (limit != null) {
      evictOn(limit.largest(this), limit);
    }
  }

  /** Evicts the client on the loop of the largest one. */
  private void evictOn(LoopMemory most, Limit limit) {
    if (most == this) {
      evict();
    } else if (limit.largestClient(most) > 0 && most.evictionPending.compareAndSet(false, true)) {
      most.executor.execute(most::evict);
    }
  }

  /** Closes the largest client of all, repeatedly, until the limits are not exceeded. */
  private void evict() {
    evictionPending.set(false);
    recount();
    Limit limit = exceeded();
    while (limit != null) {
      LoopMemory where = limit.largest(this);
      if (where != this) {
        evictOn(where, limit);
        break;
      }
      Allowance most = largest(limit == Limit.HEAP);
      if (most == null) {
        break;
      }
      most.end(CloseReason.MEMORY);
      recount();
      limit = exceeded();
    }
    total.ofProcess().onReleased();
  }

  /** Memory has been released, on this loop or another. Any thread. */
  void onReleased() {
    if (waiting) {
      executor.execute(this::resumeIfPossible);
    }
  }

  /** Resumes reading unless memory is still exceeded and more will be released. */
  private void resumeIfPossible() {
    boolean expected =
        total.ofProcess().closing(LoopMemory::all) > 0
            || total.ofProcess().closing(LoopMemory::heap) > 0
            || total.ofProcess().isEvictionPending();
    if (waiting && !(expected && isFarExceeded())) {
      resume();
    }
  }

  private void resume() {
    waiting = false;
    gate.open();
  }

  /** Counts the memory of all clients: buffers become empty without a notification. */
  private void recount() {
    long used = 0;
    long usedOnHeap = 0;
    long closing = 0;
    long closingOnHeap = 0;
    long most = 0;
    long mostOnHeap = 0;
    for (Allowance client : clients) {
      client.recount();
      if (client.isEnded()) {
        closing += client.countedBytes();
        closingOnHeap += client.countedHeapBytes();
        continue;
      }
      used += client.countedBytes();
      usedOnHeap += client.countedHeapBytes();
      most = client.isNoEvict() ? most : Math.max(most, client.countedBytes());
      mostOnHeap = Math.max(mostOnHeap, client.countedHeapBytes());
    }
    all.set(used, closing, most);
    heap.set(usedOnHeap, closingOnHeap, mostOnHeap);
  }

  /** Returns the largest client that may be closed, as counted last, or null. */
  private @Nullable Allowance largest(boolean onHeap) {
    Allowance most = null;
    long bytes = 0;
    for (Allowance client : clients) {
      long kept = onHeap ? client.countedHeapBytes() : client.countedBytes();
      if (kept > bytes && !client.isEnded() && (onHeap || !client.isNoEvict())) {
        most = client;
        bytes = kept;
      }
    }
    return most;
  }

  /** Counts the memory and evicts clients if a limit is exceeded. Called periodically. */
  public void check() {
    recount();
    check(exceeded());
  }

  /**
   * Resumes reading in any case, until memory grows again: no client stays unread for long. Called
   * several times per command timeout.
   */
  public void tick() {
    if (waiting) {
      resume();
    }
  }
}
