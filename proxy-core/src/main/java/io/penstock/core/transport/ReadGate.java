package io.penstock.core.transport;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * Whether a loop reads its sockets: what clients and nodes send waits there otherwise. Each is
 * asked to heed it when it has brought something. Confined to the loop.
 *
 * <ul>
 *   <li>Nothing is read while there is too much in memory that is about to be given back, which
 *       takes the kernel or another loop a moment.
 *   <li>When much was read in one turn, the rest waits for the next: a loop that finds more in the
 *       sockets as long as it looks would take hundreds of megabytes before it writes the first.
 * </ul>
 */
public final class ReadGate {

  /** So many bytes are read before what is due for writing is written. */
  static final int MOST_AT_ONCE = 1024 * 1024;

  private final Executor loop;
  private List<Runnable> waiting = new ArrayList<>();
  private boolean shut;
  private boolean full; // of what this turn has read
  private long read;

  /**
   * @param loop runs what it is given when the turn's reads and writes are done
   */
  ReadGate(Executor loop) {
    this.loop = loop;
  }

  /** Whether sockets are read. */
  public boolean isOpen() {
    return !shut && !full;
  }

  /** From here on nothing is read. */
  public void shut() {
    shut = true;
  }

  /** Undoes {@link #shut}. */
  public void open() {
    shut = false;
    release();
  }

  /** So many bytes came from a socket and were taken. */
  public void onRead(int bytes) {
    read += bytes;
    if (read >= MOST_AT_ONCE && !full) {
      full = true;
      loop.execute(this::nextTurn);
    }
  }

  /** Has {@code readOn} run once when it is open again. */
  public void whenOpen(Runnable readOn) {
    waiting.add(readOn);
  }

  private void nextTurn() {
    full = false;
    read = 0;
    release();
  }

  private void release() {
    if (isOpen() && !waiting.isEmpty()) {
      List<Runnable> released = waiting;
      waiting = new ArrayList<>(); // who is read again may have to wait again
      released.forEach(Runnable::run);
    }
  }
}
