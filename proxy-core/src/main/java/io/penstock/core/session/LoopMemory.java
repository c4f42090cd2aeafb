package io.penstock.core.session;

import io.penstock.core.observe.CloseReason;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.ReadGate;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * What the clients of one loop keep in buffers, and who has to go when those of all loops keep too
 * much: the one that keeps the most, whichever loop it is on. Until it is gone, with what it keeps,
 * a loop whose clients keep more and more reads nothing. Used on its loop; the figures are for any
 * thread.
 */
final class LoopMemory {

  private final ClientDirectory directory;
  private final Executor executor;
  private final ReadGate gate;
  private final Set<Session> sessions;
  private final long limit;
  private final AtomicBoolean asked = new AtomicBoolean();
  private long staying;
  private long going;
  private volatile long used; // staying
  private volatile long leaving; // going
  private volatile long largest;
  private volatile boolean waiting; // nothing is read

  /**
   * @param limit of all loops together, in bytes; 0 for none
   */
  LoopMemory(ClientDirectory directory, Loop loop, Set<Session> sessions, long limit) {
    this.directory = directory;
    this.executor = loop.executor();
    this.gate = loop.readGate();
    this.sessions = sessions;
    this.limit = limit;
  }

  /** Bytes that clients keep, as of late. Any thread. */
  long used() {
    return used;
  }

  /** Bytes that clients keep which are being closed for a limit, as of late. Any thread. */
  long leaving() {
    return leaving;
  }

  /** Bytes of the client that keeps the most and may be closed, as of late. Any thread. */
  long largest() {
    return largest;
  }

  /** Whether another loop has asked this one to close clients, which it has not begun. */
  boolean isAsked() {
    return asked.get();
  }

  /** A client keeps more or less than before. */
  void changed(Allowance client) {
    long before = client.counted();
    long now = client.recount();
    if (now == before) {
      return;
    }
    if (client.isEnded()) {
      leave(now - before);
      return;
    }
    staying += now - before;
    used = staying;
    if (now > largest && !client.isSpared()) {
      largest = now;
    }
    if (now > before && isTooMuchInAll()) {
      relieve();
    }
  }

  /** A client is about to be closed for a limit: from here on what it keeps counts as leaving. */
  void leaves(Allowance client) {
    staying -= client.counted();
    used = staying;
    leave(client.counted());
  }

  private void leave(long more) {
    going += more;
    leaving = going;
    if (more < 0) {
      directory.relieved();
    }
  }

  private boolean isTooMuch() {
    return limit > 0 && directory.memory() > limit;
  }

  /** The same with what is on its way back. */
  private boolean isTooMuchInAll() {
    return limit > 0 && directory.memory() + directory.leaving() > limit;
  }

  /** Has clients closed if that helps, and reads nothing until their memory is there again. */
  private void relieve() {
    waiting = true; // before anybody is asked: who gives back tells those who wait
    gate.shut();
    if (isTooMuch()) {
      letGo(directory.largest());
    }
    goOn();
  }

  /** Has the loop of the largest client see to it. */
  private void letGo(LoopMemory most) {
    if (most == this) {
      shed();
    } else if (most.largest() > 0 && most.asked.compareAndSet(false, true)) {
      most.executor.execute(most::shed);
    }
  }

  /** Closes the largest client of all, and again, until no more is kept than may be. */
  private void shed() {
    asked.set(false);
    Allowance most = recount();
    while (most != null && isTooMuch()) {
      LoopMemory where = directory.largest();
      if (where != this) {
        letGo(where);
        break;
      }
      most.end(CloseReason.MEMORY);
      most = recount();
    }
    directory.relieved();
  }

  /** Clients keep less than before, on this loop or another. Any thread. */
  void relieved() {
    if (waiting) {
      executor.execute(this::goOn);
    }
  }

  /** Reads again unless there is more to wait for. */
  private void goOn() {
    boolean expected = directory.leaving() > 0 || directory.isShedding();
    if (waiting && !(expected && isTooMuchInAll())) {
      read();
    }
  }

  private void read() {
    waiting = false;
    gate.open();
  }

  /**
   * Counts anew: buffers empty without a word.
   *
   * @return who keeps the most and may be closed; null when nobody does
   */
  private @Nullable Allowance recount() {
    staying = 0;
    going = 0;
    Allowance most = null;
    for (Session session : sessions) {
      Allowance client = session.allowance();
      long kept = client.recount();
      if (client.isEnded()) {
        going += kept;
        continue;
      }
      staying += kept;
      if (kept > (most == null ? 0 : most.counted()) && !client.isSpared()) {
        most = client;
      }
    }
    used = staying;
    leaving = going;
    largest = most == null ? 0 : most.counted();
    return most;
  }

  /** Counts anew, and closes whom it takes. Called now and then: small things add up. */
  void look() {
    recount();
    if (isTooMuch()) {
      letGo(directory.largest());
    }
  }

  /**
   * Called several times per command timeout: reads in any case, until something brings too much.
   * Whatever memory is waited for, nobody is left unread for long.
   */
  void tick() {
    if (waiting) {
      read();
    }
  }
}
