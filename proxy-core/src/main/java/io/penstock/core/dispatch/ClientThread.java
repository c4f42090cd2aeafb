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
 * Carries out one client's exchanges, one batch at a time, on a virtual thread of its own. The loop
 * collects a batch, hands it over, and hands over the next when each of them has its reply or has
 * failed. What is said to run on the loop runs there, everything else on that thread.
 */
final class ClientThread {

  /** Where the loop does its part. */
  interface LoopSide {

    /**
     * Sends what is to be sent of the turns, and tells {@link #onTurnEnd} of each. On the loop.
     *
     * @param turns each with a permit
     */
    void sendTurns(ClientThread client, List<Turn> turns);

    /**
     * Fails what another node serves by now, and was not sent: the newest map may name one. On the
     * loop.
     *
     * @return whether there is still something to send
     */
    boolean hasUnsent(Turn turn);

    /** Calls {@link #handOver} behind what the loop reads in this turn. On the loop. */
    void scheduleHandOver(ClientThread client);

    /** There was no connection for the turn until its deadline: has it refused. On the loop. */
    void reject(ClientThread client, Turn turn);
  }

  private static final Logger log = LoggerFactory.getLogger(ClientThread.class);

  /** A thread is kept so long for what its client may ask next. */
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Loop loop;
  private final LoopSide side;
  private final String name;
  private volatile @Nullable List<QueuedExchange> handedOver;
  private volatile boolean answered; // every turn that the loop was given has ended
  private volatile boolean mayEnd;

  // On the loop only:
  private @Nullable Thread thread; // while there is something to do, and some time after
  private List<QueuedExchange> next = new ArrayList<>(4);
  private List<QueuedExchange> batch = List.of();
  private int underWay; // of the batch
  private int open; // turns of it that the loop was given, and not ended
  private boolean rests; // the thread waits for the next batch, or is about to
  private boolean handsOver;
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
    if (!handsOver && isFree()) {
      handsOver = true;
      side.scheduleHandOver(this); // after this turn's reads: what came is one batch
    }
  }

  /** Has the thread carry out what was collected. On the loop. */
  void handOver() {
    handsOver = false;
    batch = next;
    next = new ArrayList<>(4);
    underWay = batch.size();
    usedAt = loop.now();
    List<Turn> continuing = new ArrayList<>(0);
    List<QueuedExchange> others = leases.isEmpty() ? batch : divide(continuing);
    if (!others.isEmpty()) {
      rests = false;
      handedOver = others;
      if (thread == null) {
        begin();
      } else {
        LockSupport.unpark(thread);
      }
    }
    continuing.forEach(this::carryOn);
  }

  /** Takes what goes over connections that the client has, and answers the rest of the batch. */
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

  private void carryOn(Turn turn) {
    TurnLease lease = leases.get(turn.place());
    if (lease == null) { // lost just now
      turn.exchanges().forEach(queued -> queued.fail(Failure.NOT_SENT));
      onTurnEnd(turn);
    } else if (side.hasUnsent(turn)) {
      lease.send(turn);
    } else {
      onTurnEnd(turn);
    }
  }

  private void begin() {
    mayEnd = false;
    thread = loop.startVirtual(name, this::run);
  }

  private void threadEnded() {
    thread = null;
    if (handedOver != null) {
      begin();
    }
  }

  /**
   * Whether nothing of an earlier batch is under way: what is added now can overtake nothing, and
   * can be overtaken by nothing that is sent again. On the loop.
   */
  boolean isFree() {
    return underWay == 0;
  }

  /** Runs the action once, when it is free again. On the loop. */
  void whenFree(Runnable action) {
    whenFree = action;
  }

  /** Each exchange of the turn was answered or has failed. On the loop. */
  void onTurnEnd(Turn turn) {
    underWay -= turn.exchanges().size();
    if (!turn.isContinued() && --open == 0) {
      answered = true;
    }
    if (!isFree()) {
      if (answered) {
        LockSupport.unpark(thread);
      }
      return; // else the next batch wakes the thread, or the next tick: one wake-up for both
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
   * Fails what has waited for an earlier batch until its deadline, and ends a thread that has had
   * nothing to do for long. On the loop.
   *
   * @return whether nothing is left of it
   */
  boolean tick(long now) {
    for (QueuedExchange queued : List.copyOf(next)) {
      if (!isFree() && queued.deadline() - now <= 0 && next.remove(queued)) {
        queued.fail(Failure.NOT_SENT);
      }
    }
    if (isFree() && next.isEmpty() && thread != null) {
      mayEnd = now - usedAt > IDLE_NANOS;
      if (mayEnd || !rests) {
        rests = true;
        LockSupport.unpark(thread);
      }
    }
    return thread == null && isFree() && next.isEmpty() && leases.isEmpty();
  }

  /** Ends the thread at once; what was not sent fails. On the loop. */
  void close() {
    if (thread != null) {
      thread.interrupt();
    }
    batch.forEach(queued -> queued.fail(Failure.NOT_SENT));
    List.copyOf(next).forEach(queued -> queued.fail(Failure.NOT_SENT));
  }

  /** There was no connection to be had for the turn. On the loop. */
  void reject(Turn turn) {
    turn.exchanges().forEach(queued -> queued.fail(Failure.OVERLOADED));
    onTurnEnd(turn);
  }

  /** Notes that it has a connection, until nothing more is to come on it. On the loop. */
  void addLease(Turn turn, TurnLease lease) {
    leases.put(turn.place(), lease);
  }

  /** It has given the connection back. On the loop. */
  void removeLease(Turn turn) {
    leases.remove(turn.place());
  }

  private void run() {
    try {
      List<QueuedExchange> mine = awaitBatch();
      while (mine != null) {
        carryOut(Turn.of(mine));
        mine = awaitBatch();
      }
      loop.executeFromVirtual(this::threadEnded);
    } catch (InterruptedException | RejectedExecutionException shutdown) {
      log.trace("{} ends: {}", name, shutdown.toString());
    }
  }

  /** What is to be done next, as soon as there is something; null when the thread may end. */
  private @Nullable List<QueuedExchange> awaitBatch() throws InterruptedException {
    List<QueuedExchange> given = handedOver;
    while (given == null && !mayEnd) {
      park();
      given = handedOver;
    }
    if (given != null) {
      handedOver = null; // else it may have come meanwhile: a new thread takes it
    }
    return given;
  }

  /**
   * Takes the turns, as many at once as there are connections for. It never waits for a connection
   * while it has another: two clients cannot wait for one another.
   */
  private void carryOut(Deque<Turn> due) throws InterruptedException {
    while (!due.isEmpty()) {
      Turn first = due.poll();
      if (!first.awaitPermit()) {
        giveLoop(1, () -> side.reject(this, first));
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
      giveLoop(now.size(), () -> side.sendTurns(this, now));
    }
  }

  /** Has the loop do its part for so many turns, and waits for their end. */
  private void giveLoop(int turns, Runnable part) throws InterruptedException {
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
