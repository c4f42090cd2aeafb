package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.penstock.core.pubsub.Message;
import io.penstock.core.pubsub.Subscriber;
import io.penstock.core.resp.Protocol;
import io.penstock.core.transport.SocketOutput;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Messages on their way to a subscriber: between its replies and never within one. While the socket
 * takes no more they are kept here, small ones behind one another so that they cost no more memory
 * than they have bytes; {@link Allowance} sees to it that they do not become too many.
 */
final class Pushes implements Subscriber {

  private static final int FIRST_CHUNK = 1024;
  private static final int LARGEST_CHUNK = 64 * 1024;

  private final Session session;
  private final ArrayDeque<ByteBuf> held = new ArrayDeque<>();
  private @Nullable ByteBuf chunk; // the last of those held, if it takes more
  private long heldBytes;
  private boolean paused; // confirmations are being given
  private boolean ended; // its client listens to nothing any more
  private boolean waits; // the output will tell when it has written

  Pushes(Session session) {
    this.session = session;
  }

  /** Gives the client a message, now or when its turn has come; borrows it. */
  @Override
  public void onMessage(Message message) {
    if (ended || session.isClosed()) {
      return;
    }
    Protocol protocol = session.profile().protocol();
    if (mayPass(message.length())) {
      message.writeTo(session.output(), protocol);
    } else {
      hold(message.kept(protocol));
      waitForOutput();
    }
    session.loop().counters().pushed();
    session.allowance().check();
  }

  @Override
  public void onDefect(Throwable cause) {
    Defect.in(session, cause);
  }

  private boolean mayPass(int length) {
    if (!held.isEmpty() || isWithinReply()) {
      return false;
    }
    // A small one would take a whole buffer for itself behind others that wait for the kernel.
    SocketOutput output = session.output();
    return output.unwritten() == 0
        || (length >= SocketOutput.SLICE_THRESHOLD && session.channel().isWritable());
  }

  private boolean isWithinReply() {
    ReplySequence sequence = session.sequence();
    return paused || (!sequence.isEmpty() && sequence.at(0).hasBegun());
  }

  private void hold(ByteBuf bytes) {
    int length = bytes.readableBytes();
    heldBytes += length;
    if (length >= SocketOutput.SLICE_THRESHOLD) {
      held.add(bytes.retainedDuplicate());
      chunk = null;
      return;
    }
    ByteBuf into = chunk;
    if (into == null || into.maxWritableBytes() < length) {
      into = ByteBufAllocator.DEFAULT.directBuffer(FIRST_CHUNK, LARGEST_CHUNK);
      chunk = into;
      held.add(into);
    }
    into.writeBytes(bytes, bytes.readerIndex(), length);
  }

  private void waitForOutput() {
    if (!waits) {
      waits = true;
      session.output().whenWritten(this::onWritten);
    }
  }

  private void onWritten() {
    waits = false;
    if (session.isClosed()) {
      drop();
    } else {
      release();
    }
  }

  /** The confirmations of one request follow, and no message between them, as on a server. */
  void pause() {
    release();
    paused = true;
  }

  /** They were given. */
  void resume() {
    if (paused) {
      paused = false;
      release();
    }
  }

  /** No message comes any more. */
  void end() {
    ended = true;
  }

  /** Hands over what is held, unless that has to wait for the end of a reply. */
  void release() {
    if (!isWithinReply()) {
      handOver();
    }
  }

  /** The reply that was being given has ended, and the next one has not begun. */
  void onReplyEnd() {
    if (!held.isEmpty()) {
      handOver();
    }
  }

  /** Everything held goes before whatever is written next; not within a reply. */
  void handOver() {
    chunk = null;
    heldBytes = 0;
    ByteBuf next = held.poll();
    while (next != null) {
      session.output().appendOwned(next);
      next = held.poll();
    }
  }

  /** The client is gone. */
  void drop() {
    chunk = null;
    heldBytes = 0;
    ByteBuf next = held.poll();
    while (next != null) {
      next.release();
      next = held.poll();
    }
  }

  /** Bytes of what is kept here. */
  long heldBytes() {
    return heldBytes;
  }
}
