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
  private final KeptSum all;
  private final KeptSum heap; // of all, what is on the heap
  private final AtomicBoolean asked = new AtomicBoolean();
  private volatile boolean waiting; // nothing is read

  /**
   * @param limit of all that clients of all loops keep, in bytes; 0 for none
   */
  public LoopMemory(TotalMemory total, Loop loop, long limit) {
    this.total = total;
    this.executor = loop.executor();
    this.gate = loop.readGate();
    this.all = new KeptSum(limit);
    this.heap = new KeptSum(total.heapLimit());
    total.add(this);
  }

  /** All that clients keep. The figures are for any thread. */
  public KeptSum all() {
    return all;
  }

  /** What clients keep on the heap, among all. The figures are for any thread. */
  public KeptSum heap() {
    return heap;
  }

  /** Bytes of a request that may be copied to the heap at once. */
  public long longestOnHeap() {
    return total.longestOnHeap();
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
  boolean isAsked() {
    return asked.get();
  }

  /** A client keeps more or less than before. */
  void changed(Allowance client) {
    long before = client.counted();
    long heapBefore = client.countedOnHeap();
    client.recount();
    long more = client.counted() - before;
    long moreOnHeap = client.countedOnHeap() - heapBefore;
    if (more == 0 && moreOnHeap == 0) {
      return;
    }
    if (client.isEnded()) {
      leave(more, moreOnHeap);
      return;
    }
    all.stays(more);
    heap.stays(moreOnHeap);
    heap.isCandidate(client.countedOnHeap());
    if (!client.isSpared()) {
      all.isCandidate(client.counted());
    }
    if (more > 0 || moreOnHeap > 0) {
      look(excess());
    }
    if ((more > 0 || moreOnHeap > 0) && isFarTooMuch()) {
      relieve();
    }
  }

  /** A client is about to be closed for a limit: from here on what it keeps counts as leaving. */
  void leaves(Allowance client) {
    all.stays(-client.counted());
    heap.stays(-client.countedOnHeap());
    leave(client.counted(), client.countedOnHeap());
  }

  private void leave(long more, long moreOnHeap) {
    all.leaves(more);
    heap.leaves(moreOnHeap);
    if (more < 0) {
      total.relieved();
    }
  }

  /** So many more bytes on the heap are there of clients that are gone, or fewer if negative. */
  public void lingersOnHeap(long bytes) {
    all.lingers(bytes);
    heap.lingers(bytes);
    if (bytes < 0) {
      total.relieved();
    }
  }

  /** Whether all loops' clients keep more than they may: of which kind, or null. */
  private @Nullable Function<LoopMemory, KeptSum> excess() {
    if (isTooMuch(heap, total.used(LoopMemory::heap))) {
      return LoopMemory::heap;
    }
    return isTooMuch(all, total.used(LoopMemory::all)) ? LoopMemory::all : null;
  }

  private static boolean isTooMuch(KeptSum sum, long bytes) {
    return sum.limit() > 0 && bytes > sum.limit();
  }

  /** Whether it is a quarter more than may be, with what is on its way back. */
  private boolean isFarTooMuch() {
    return isFarTooMuch(all, inAll(LoopMemory::all)) || isFarTooMuch(heap, inAll(LoopMemory::heap));
  }

  private static boolean isFarTooMuch(KeptSum sum, long bytes) {
    return sum.limit() > 0 && bytes > sum.limit() + sum.limit() / 4;
  }

  private long inAll(Function<LoopMemory, KeptSum> which) {
    return total.used(which) + total.leaving(which);
  }

  /** Reads nothing until memory is there again. */
  private void relieve() {
    waiting =
        true; // before it is looked at once more: a loop that gives back tells those that wait
    gate.shut();
    goOn();
  }

  private void look(@Nullable Function<LoopMemory, KeptSum> which) {
    if (which != null) {
      letGo(total.largest(which), which);
    }
  }

  /** Has the loop of the largest client see to it. */
  private void letGo(LoopMemory most, Function<LoopMemory, KeptSum> which) {
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
    Function<LoopMemory, KeptSum> which = excess();
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
    total.relieved();
  }

  /** Clients keep less than before, on this loop or another. Any thread. */
  void relieved() {
    if (waiting) {
      executor.execute(this::goOn);
    }
  }

  /** Reads again unless there is more to wait for. */
  private void goOn() {
    boolean expected =
        total.leaving(LoopMemory::all) > 0
            || total.leaving(LoopMemory::heap) > 0
            || total.isShedding();
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
        going += client.counted();
        goingOnHeap += client.countedOnHeap();
        continue;
      }
      staying += client.counted();
      stayingOnHeap += client.countedOnHeap();
      most = client.isSpared() ? most : Math.max(most, client.counted());
      mostOnHeap = Math.max(mostOnHeap, client.countedOnHeap());
    }
    all.recounted(staying, going, most);
    heap.recounted(stayingOnHeap, goingOnHeap, mostOnHeap);
  }

  /** The client that keeps the most, as it was counted last, and may be closed; or null. */
  private @Nullable Allowance largest(boolean onHeap) {
    Allowance most = null;
    long bytes = 0;
    for (Allowance client : clients) {
      long kept = onHeap ? client.countedOnHeap() : client.counted();
      if (kept > bytes && !client.isEnded() && (onHeap || !client.isSpared())) {
        most = client;
        bytes = kept;
      }
    }
    return most;
  }

  /** Counts anew, and closes clients where it takes that. Called now and then. */
  public void look() {
    recount();
    look(excess());
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
