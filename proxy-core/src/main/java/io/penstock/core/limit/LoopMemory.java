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
 * What the clients of one loop keep, and which client is closed when those of all loops keep too
 * much: the one that keeps the most, whichever loop it is on. There is a sum of all they keep, and
 * one of what they keep on the heap, which nobody is spared for: a process without heap ends. Until
 * the client is gone, with what it keeps, a loop goes on reading for all others; only when what is
 * kept, also for those that are being closed, comes to a quarter more than may be, a loop on which
 * it grows reads nothing. Used on its loop; the figures are for any thread.
 */
public final class LoopMemory {

  private final TotalMemory total;
  private final Executor executor;
  private final ReadGate gate;
  private final Set<Allowance> clients = new LinkedHashSet<>();
  private final MemorySum all;
  private final MemorySum heap; // of all, what is on the heap
  private final AtomicBoolean asked = new AtomicBoolean();
  private volatile boolean waiting; // nothing is read

  /**
   * @param limit of all that clients of all loops keep, in bytes; 0 for none
   */
  public LoopMemory(TotalMemory total, Loop loop, long limit) {
    this.total = total;
    this.executor = loop.executor();
    this.gate = loop.readGate();
    this.all = new MemorySum(limit);
    this.heap = new MemorySum(total.heapLimit());
    total.add(this);
  }

  /** All that clients keep. The figures are for any thread. */
  public MemorySum all() {
    return all;
  }

  /** What clients keep on the heap, among all. The figures are for any thread. */
  public MemorySum heap() {
    return heap;
  }

  /** Bytes of a request that may be copied to the heap at once. */
  public long maxHeapCopy() {
    return total.maxHeapCopy();
  }

  /** A client has come. */
  void add(Allowance client) {
    clients.add(client);
  }

  /** A client is gone. */
  void remove(Allowance client) {
    clients.remove(client);
  }

  /** Whether another loop has asked this one to close clients, which it has not begun. */
  boolean isEvictionPending() {
    return asked.get();
  }

  /** A client keeps more or less than before. */
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
      leave(more, moreOnHeap);
      return;
    }
    all.addUsed(more);
    heap.addUsed(moreOnHeap);
    heap.offerLargest(client.countedHeapBytes());
    if (!client.isNoEvict()) {
      all.offerLargest(client.countedBytes());
    }
    if (more > 0 || moreOnHeap > 0) {
      check(excess());
    }
    if ((more > 0 || moreOnHeap > 0) && isFarTooMuch()) {
      relieve();
    }
  }

  /** A client is about to be closed for a limit: from here on what it keeps counts as leaving. */
  void startClosing(Allowance client) {
    all.addUsed(-client.countedBytes());
    heap.addUsed(-client.countedHeapBytes());
    leave(client.countedBytes(), client.countedHeapBytes());
  }

  private void leave(long more, long moreOnHeap) {
    all.addClosing(more);
    heap.addClosing(moreOnHeap);
    if (more < 0) {
      total.onReleased();
    }
  }

  /** So many more bytes on the heap are there of clients that are gone, or fewer if negative. */
  public void addClosedHeapBytes(long bytes) {
    all.addClosed(bytes);
    heap.addClosed(bytes);
    if (bytes < 0) {
      total.onReleased();
    }
  }

  /** Whether all loops' clients keep more than they may: of which kind, or null. */
  private @Nullable Function<LoopMemory, MemorySum> excess() {
    if (isTooMuch(heap, total.used(LoopMemory::heap))) {
      return LoopMemory::heap;
    }
    return isTooMuch(all, total.used(LoopMemory::all)) ? LoopMemory::all : null;
  }

  private static boolean isTooMuch(MemorySum sum, long bytes) {
    return sum.limit() > 0 && bytes > sum.limit();
  }

  /** Whether it is a quarter more than may be, with what is on its way back. */
  private boolean isFarTooMuch() {
    return isFarTooMuch(all, inAll(LoopMemory::all)) || isFarTooMuch(heap, inAll(LoopMemory::heap));
  }

  private static boolean isFarTooMuch(MemorySum sum, long bytes) {
    return sum.limit() > 0 && bytes > sum.limit() + sum.limit() / 4;
  }

  private long inAll(Function<LoopMemory, MemorySum> which) {
    return total.used(which) + total.closing(which);
  }

  /** Reads nothing until memory is there again. */
  private void relieve() {
    waiting =
        true; // before it is looked at once more: a loop that gives back tells those that wait
    gate.shut();
    goOn();
  }

  private void check(@Nullable Function<LoopMemory, MemorySum> which) {
    if (which != null) {
      letGo(total.largest(which), which);
    }
  }

  /** Has the loop of the largest client see to it. */
  private void letGo(LoopMemory most, Function<LoopMemory, MemorySum> which) {
    if (most == this) {
      shed();
    } else if (which.apply(most).largest() > 0 && most.asked.compareAndSet(false, true)) {
      most.executor.execute(most::shed);
    }
  }

  /** Closes the largest client of all, and again, until no more is kept than may be. */
  private void shed() {
    asked.set(false);
    recount();
    Function<LoopMemory, MemorySum> which = excess();
    while (which != null) {
      LoopMemory where = total.largest(which);
      if (where != this) {
        letGo(where, which);
        break;
      }
      Allowance most = largest(which.apply(this) == heap);
      if (most == null) {
        break;
      }
      most.end(CloseReason.MEMORY);
      recount();
      which = excess();
    }
    total.onReleased();
  }

  /** Clients keep less than before, on this loop or another. Any thread. */
  void onReleased() {
    if (waiting) {
      executor.execute(this::goOn);
    }
  }

  /** Reads again unless there is more to wait for. */
  private void goOn() {
    boolean expected =
        total.closing(LoopMemory::all) > 0
            || total.closing(LoopMemory::heap) > 0
            || total.isEvictionPending();
    if (waiting && !(expected && isFarTooMuch())) {
      read();
    }
  }

  private void read() {
    waiting = false;
    gate.open();
  }

  /** Counts anew: buffers empty without a word. */
  private void recount() {
    long staying = 0;
    long stayingOnHeap = 0;
    long going = 0;
    long goingOnHeap = 0;
    long most = 0;
    long mostOnHeap = 0;
    for (Allowance client : clients) {
      client.recount();
      if (client.isEnded()) {
        going += client.countedBytes();
        goingOnHeap += client.countedHeapBytes();
        continue;
      }
      staying += client.countedBytes();
      stayingOnHeap += client.countedHeapBytes();
      most = client.isNoEvict() ? most : Math.max(most, client.countedBytes());
      mostOnHeap = Math.max(mostOnHeap, client.countedHeapBytes());
    }
    all.set(staying, going, most);
    heap.set(stayingOnHeap, goingOnHeap, mostOnHeap);
  }

  /** The client that keeps the most, as it was counted last, and may be closed; or null. */
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

  /** Counts anew, and closes clients where it takes that. Called now and then. */
  public void check() {
    recount();
    check(excess());
  }

  /**
   * Called several times per command timeout: reads in any case, until something brings too much.
   * Whatever memory is waited for, nobody is left unread for long.
   */
  public void tick() {
    if (waiting) {
      read();
    }
  }
}
