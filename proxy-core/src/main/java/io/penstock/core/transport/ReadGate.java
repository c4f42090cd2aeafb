package io.penstock.core.transport;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * Controls whether a loop reads its sockets. While it is closed, what clients and nodes send stays
 * in the sockets. The owners of channels must check it after each read. Confined to the loop.
 *
 * <ul>
 *   <li>Nothing is read while too much memory is about to be released, which takes the kernel or
 *       another loop a moment.
 *   <li>When much was read in one turn, the rest waits for the next turn. Otherwise a loop that
 *       always finds more in its sockets would read hundreds of megabytes before its first write.
 * </ul>
 */
public final class ReadGate {

  /** The maximum of bytes read in one turn. */
  static final int MAX_PER_TURN = 1024 * 1024;

  private final Executor loop;
  private List<Runnable> waiting = new ArrayList<>();
  private int shut; // calls of shut() that are not undone
  private boolean full; // the maximum was read in this turn
  private long read;

  /**
   * @param loop executes tasks after the reads and writes of the turn
   */
  ReadGate(Executor loop) {
    this.loop = loop;
  }

  /** Returns whether sockets may be read. */
  public boolean isOpen() {
    return shut == 0 && !full;
  }

  /** Closes the gate: nothing is read from now on, until each call is undone by {@link #open}. */
  public void shut() {
    shut++;
  }

  /** Undoes one call of {@link #shut}. */
  public void open() {
    shut--;
    release();
  }

  /** Counts bytes that were read from a socket. */
  public void onRead(int bytes) {
    read += bytes;
    if (read >= MAX_PER_TURN && !full) {
      full = true;
      loop.execute(this::nextTurn);
    }
  }

  /** Runs {@code resume} once, when the gate is open again. */
  public void whenOpen(Runnable resume) {
    waiting.add(resume);
  }

  private void nextTurn() {
    full = false;
    read = 0;
    release();
  }

  private void release() {
    if (isOpen() && !waiting.isEmpty()) {
      List<Runnable> released = waiting;
      waiting = new ArrayList<>(); // a resumed channel may have to wait again
      released.forEach(Runnable::run);
    }
  }
}
