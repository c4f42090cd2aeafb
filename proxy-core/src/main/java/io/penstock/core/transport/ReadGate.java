package io.penstock.core.transport;

import io.netty.channel.Channel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * Whether a loop's connections to nodes are read: what nodes send waits in their sockets otherwise.
 * Confined to the loop.
 *
 * <ul>
 *   <li>They are not read while there is too much in memory that is about to be given back, which
 *       takes the kernel or another loop a moment.
 *   <li>When much was read in one turn, the rest waits for the next: a loop that finds more in the
 *       sockets as long as it looks would take hundreds of megabytes before it writes the first.
 * </ul>
 */
public final class ReadGate {

  /** So many bytes are read before what is due for writing is written. */
  static final int MOST_AT_ONCE = 1024 * 1024;

  private final Executor loop;
  private List<Channel> waiting = new ArrayList<>();
  private boolean shut;
  private boolean full; // of what this turn has read
  private long read;

  /**
   * @param loop runs what it is given when the turn's reads and writes are done
   */
  ReadGate(Executor loop) {
    this.loop = loop;
  }

  /** From here on a connection waits as soon as it has brought something. */
  public void shut() {
    shut = true;
  }

  /** Undoes {@link #shut}. */
  public void open() {
    shut = false;
    release();
  }

  /** So many bytes that {@code channel} brought were taken; it may have to wait now. */
  public void pass(Channel channel, int bytes) {
    read += bytes;
    if (read >= MOST_AT_ONCE && !full) {
      full = true;
      loop.execute(this::nextTurn);
    }
    if ((shut || full) && channel.config().isAutoRead()) {
      channel.config().setAutoRead(false);
      waiting.add(channel);
    }
  }

  private void nextTurn() {
    full = false;
    read = 0;
    release();
  }

  private void release() {
    if (shut || full || waiting.isEmpty()) {
      return;
    }
    List<Channel> released = waiting;
    waiting = new ArrayList<>(); // who is read again may have to wait again
    for (Channel channel : released) {
      if (channel.isActive()) {
        channel.config().setAutoRead(true);
      }
    }
  }
}
