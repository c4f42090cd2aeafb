package io.penstock.core.dispatch;

import io.penstock.core.backend.Failure;
import io.penstock.core.transport.Loop;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one client's exchanges, one batch at a time, on a virtual thread of the client. The loop
 * collects a batch and hands it over; it hands over the next when each exchange of the batch has
 * its reply or has failed. Methods marked "On the loop" run there, all others on that thread.
 */
final class ClientThread {

  /** The part that runs on the loop. */
  interface LoopSide {

    /**
     * Sends the exchanges of the turns, and causes {@link #onTurnEnd} for each turn. On the loop.
     *
     * @param turns each with a permit
     */
    void sendTurns(ClientThread client, List<Turn> turns);

    /**
     * Fails unsent exchanges that another node serves according to the latest placement. On the
     * loop.
     *
     * @return whether unsent exchanges remain
     */
    boolean withdrawMisplaced(Turn turn);

    /** Calls {@link #handOver} after the reads of this loop turn. On the loop. */
    void scheduleHandOver(ClientThread client);

    /** Rejects the turn: no connection was free until its deadline. On the loop. */
    void reject(ClientThread client, Turn turn);
  }

  private static final Logger log = LoggerFactory.getLogger(ClientThread.class);

  /** An idle thread is kept for this long for the client's next requests. */
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Loop loop;
  private final LoopSide side;
  private final String name;
  private volatile @Nullable List<QueuedExchange> handedOver;
  private volatile boolean answered; // all turns passed to the loop have ended
  private volatile boolean mayEnd;

  // On the loop only:
  private @Nullable Thread thread; // while there is work, and for some time after
  private List<QueuedExchange> next = new ArrayList<>(4);
  private List<QueuedExchange> batch = List.of();
  private int pending; // exchanges of the batch that have not ended
  private int open; // turns of the batch that were passed to the loop and have not ended
  private boolean idle; // the thread waits for the next batch, or is about to
  private boolean handOverScheduled;
  private long usedAt;
  private final Map<Turn.Place, TurnLease> leases = new HashMap<>(4);
  private @Nullable Runnable whenFree;

  ClientThread(Loop loop, LoopSide side, int client) {
    this.loop = loop;
    this.side = side;
    this.name = "client-" + Integer.toUnsignedString(client);
  }

  /** Adds to the next batch. On the loop. */
  void add(QueuedExchange queued) {
    next.add(queued);
    scheduleHandOver();
  }

  private void scheduleHandOver() {
    if (!handOverScheduled && isFree()) {
      handOverScheduled = true;
      side.scheduleHandOver(this); // after this turn's reads, which make one batch
    }
  }

  /** Hands the collected batch over to the thread. On the loop. */
  void handOver() {
    handOverScheduled = false;
    batch = next;
    next = new ArrayList<>(4);
    pending = batch.size();
    usedAt = loop.now();
    List<Turn> continuing = new ArrayList<>(0);
    List<QueuedExchange> others = leases.isEmpty() ? batch : divide(continuing);
    if (!others.isEmpty()) {
      idle = false;
      handedOver = others;
      if (thread == null) {
        startThread();
      } else {
        LockSupport.unpark(thread);
      }
    }
    continuing.forEach(this::continueTurn);
  }

  /** Adds turns on connections that the client has leased, and returns the rest of the batch. */
  private List<QueuedExchange> divide(List<Turn> continuing) {
    List<QueuedExchange> others = new ArrayList<>(batch.size());
    for (Turn turn : Turn.of(batch)) {
      if (leases.containsKey(turn.place())) {
        turn.markContinued();
        continuing.add(turn);
      } else {
        others.addAll(turn.exchanges());
      }
    }
    return others;
  }

  private void continueTurn(Turn turn) {
    TurnLease lease = leases.get(turn.place());
    if (lease == null) { // just lost
      turn.exchanges().forEach(queued -> queued.fail(Failure.NOT_SENT));
      onTurnEnd(turn);
    } else if (side.withdrawMisplaced(turn)) {
      lease.send(turn);
    } else {
      onTurnEnd(turn);
    }
  }

  private void startThread() {
    mayEnd = false;
    thread = loop.startVirtual(name, this::run);
  }

  private void onThreadEnd() {
    thread = null;
    if (handedOver != null) {
      startThread();
    }
  }

  /**
   * Returns whether no exchange of an earlier batch is pending, so that new exchanges cannot be
   * reordered with earlier ones or their retries. On the loop.
   */
  boolean isFree() {
    return pending == 0;
  }

  /** Runs the action once, when {@link #isFree} is true again. On the loop. */
  void whenFree(Runnable action) {
    whenFree = action;
  }

  /** Each exchange of the turn has its reply or has failed. On the loop. */
  void onTurnEnd(Turn turn) {
    pending -= turn.exchanges().size();
    if (!turn.isContinued() && --open == 0) {
      answered = true;
    }
    if (!isFree()) {
      if (answered) {
        LockSupport.unpark(thread);
      }
      return; // otherwise the next batch or tick wakes the thread, which saves a wake-up
    }
    if (!next.isEmpty()) {
      scheduleHandOver();
    }
    Runnable action = whenFree;
    if (action != null) {
      whenFree = null;
      loop.executor().execute(action); // the replies of this turn first
    }
  }

  /**
   * Expires exchanges that wait for an earlier batch, and ends a thread that has been idle for
   * long. On the loop.
   *
   * @return whether it has no thread, exchanges or connections left
   */
  boolean tick(long now) {
    for (QueuedExchange queued : List.copyOf(next)) {
      if (!isFree() && queued.deadline() - now <= 0 && next.remove(queued)) {
        queued.fail(Failure.NOT_SENT);
      }
    }
    if (isFree() && next.isEmpty() && thread != null) {
      mayEnd = now - usedAt > IDLE_NANOS;
      if (mayEnd || !idle) {
        idle = true;
        LockSupport.unpark(thread);
      }
    }
    return thread == null && isFree() && next.isEmpty() && leases.isEmpty();
  }

  /** Ends the thread now; unsent exchanges fail. On the loop. */
  void close() {
    if (thread != null) {
      thread.interrupt();
    }
    batch.forEach(queued -> queued.fail(Failure.NOT_SENT));
    List.copyOf(next).forEach(queued -> queued.fail(Failure.NOT_SENT));
  }

  /** Fails the turn: the limit on connections is reached. On the loop. */
  void reject(Turn turn) {
    turn.exchanges().forEach(queued -> queued.fail(Failure.OVERLOADED));
    onTurnEnd(turn);
  }

  /** Adds a leased connection, until nothing is pending on it. On the loop. */
  void addLease(Turn turn, TurnLease lease) {
    leases.put(turn.place(), lease);
  }

  /** Removes a connection that was released. On the loop. */
  void removeLease(Turn turn) {
    leases.remove(turn.place());
  }

  private void run() {
    try {
      List<QueuedExchange> batchToRun = awaitBatch();
      while (batchToRun != null) {
        runTurns(Turn.of(batchToRun));
        batchToRun = awaitBatch();
      }
      loop.executeFromVirtual(this::onThreadEnd);
    } catch (InterruptedException | RejectedExecutionException shutdown) {
      log.trace("{} ends: {}", name, shutdown.toString());
    }
  }

  /** Waits for the next batch; returns null when the thread may end. */
  private @Nullable List<QueuedExchange> awaitBatch() throws InterruptedException {
    List<QueuedExchange> given = handedOver;
    while (given == null && !mayEnd) {
      park();
      given = handedOver;
    }
    if (given != null) {
      handedOver = null; // if it comes later, a new thread runs it
    }
    return given;
  }

  /**
   * Runs the turns, as many at a time as there are free connections. It never waits for a
   * connection while it has another, so that two clients cannot deadlock.
   */
  private void runTurns(Deque<Turn> due) throws InterruptedException {
    while (!due.isEmpty()) {
      Turn first = due.poll();
      if (!first.awaitPermit()) {
        runOnLoop(1, () -> side.reject(this, first));
        continue;
      }
      List<Turn> now = new ArrayList<>(due.size() + 1);
      now.add(first);
      for (Iterator<Turn> others = due.iterator(); others.hasNext(); ) {
        Turn other = others.next();
        if (other.tryPermit()) {
          now.add(other);
          others.remove();
        }
      }
      runOnLoop(now.size(), () -> side.sendTurns(this, now));
    }
  }

  /** Runs {@code part} on the loop, and waits until that many turns have ended. */
  private void runOnLoop(int turns, Runnable part) throws InterruptedException {
    answered = false;
    loop.executeFromVirtual(() -> {
      open = turns;
      part.run();
    });
    while (!answered) {
      park();
    }
  }

  private void park() throws InterruptedException {
    LockSupport.park(this);
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
  }
}
