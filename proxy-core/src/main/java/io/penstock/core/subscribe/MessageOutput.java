package io.penstock.core.subscribe;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.limit.Allowance;
import io.penstock.core.observe.LoopCounters;
import io.penstock.core.pubsub.Message;
import io.penstock.core.pubsub.Subscriber;
import io.penstock.core.reply.ReplySequence;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.Protocol;
import io.penstock.core.transport.SocketOutput;
import java.util.ArrayDeque;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Messages on their way to a subscriber: between its replies and never within one, and not before
 * the reply to a request of its own that may have published them, as on servers since 7.2. While
 * the socket takes no more they are kept here, small ones behind one another so that they cost no
 * more memory than they have bytes; {@link Allowance} sees to it that they do not become too many.
 */
public final class MessageOutput implements Subscriber {

  private static final int FIRST_CHUNK = 1024;
  private static final int LARGEST_CHUNK = 64 * 1024;

  /** Whatever may publish, transactions among them, whose commands are not looked at. */
  private static final Set<String> PUBLISHERS =
      Set.of("publish", "spublish", "exec", "eval", "evalsha", "fcall", "fcall_ro");

  /**
   * Messages that wait for the reply to one request.
   *
   * @param place of the request among the client's
   * @param takesMore whether others may be written behind
   */
  private record Followers(long place, ByteBuf bytes, boolean takesMore) {}

  private final Client client;
  private final ReplySequence replies;
  private final Allowance account;
  private final SocketOutput output;
  private final LoopCounters counters;
  private final ArrayDeque<Followers> followers = new ArrayDeque<>();
  private long followerBytes;
  private @Nullable ReplySlot publisher; // the newest that was found, as long as it is unanswered
  private long publisherPlace;
  private long lookedAt; // the newest request that was looked at
  private final ArrayDeque<ByteBuf> held = new ArrayDeque<>();
  private @Nullable ByteBuf chunk; // the last of those held, if it takes more
  private long bufferedBytes;
  private boolean paused; // confirmations are being given
  private boolean ended; // its client listens to nothing any more
  private boolean waits; // the output will tell when it has written

  MessageOutput(ClientContext context, LoopCounters counters) {
    this.client = context.client();
    this.replies = context.replies();
    this.account = context.account();
    this.output = replies.output();
    this.counters = counters;
  }

  /** Gives the client a message, now or when its turn has come; borrows it. */
  @Override
  public void onMessage(Message message) {
    if (ended || client.isClosed()) {
      return;
    }
    Protocol protocol = client.protocol();
    ReplySlot before = publisher();
    if (before != null) {
      keep(message.copyFor(protocol), before);
    } else if (mayPass(message.length())) {
      message.writeTo(output, protocol);
    } else {
      hold(message.copyFor(protocol));
      waitForOutput();
    }
    counters.countMessage();
    account.check();
  }

  @Override
  public void onFailure(Throwable cause) {
    client.fail(cause);
  }

  /** The newest unanswered request that may have published. Each request is looked at once. */
  private @Nullable ReplySlot publisher() {
    for (int i = replies.size() - 1; i >= 0; i--) {
      ReplySlot request = replies.at(i);
      CommandSpec spec = request.spec();
      if (request.requestNumber() <= lookedAt) {
        break;
      }
      if (spec != null && PUBLISHERS.contains(spec.name())) {
        publisher = request;
        publisherPlace = request.requestNumber();
        break;
      }
    }
    lookedAt = replies.lastRequestNumber();
    if (publisher != null && !publisher.isSlotOf(replies, publisherPlace)) {
      publisher = null;
    }
    return publisher;
  }

  private void keep(ByteBuf bytes, ReplySlot request) {
    int length = bytes.readableBytes();
    followerBytes += length;
    request.delayMessages();
    Followers last = followers.peekLast();
    if (length >= SocketOutput.SLICE_THRESHOLD) {
      followers.add(new Followers(request.requestNumber(), bytes.retainedDuplicate(), false));
    } else if (last != null
        && last.takesMore()
        && last.place() == request.requestNumber()
        && last.bytes().maxWritableBytes() >= length) {
      last.bytes().writeBytes(bytes, bytes.readerIndex(), length);
    } else {
      ByteBuf into = ByteBufAllocator.DEFAULT.directBuffer(FIRST_CHUNK, LARGEST_CHUNK);
      into.writeBytes(bytes, bytes.readerIndex(), length);
      followers.add(new Followers(request.requestNumber(), into, true));
    }
  }

  /** The reply to the request of that number was given, and the next one has not begun. */
  public void writeAfter(long place) {
    Followers next = followers.peek();
    while (next != null && next.place() <= place) {
      followers.remove();
      int length = next.bytes().readableBytes();
      followerBytes -= length;
      if (held.isEmpty()) {
        output.appendOwned(next.bytes());
      } else {
        chunk = null;
        held.add(next.bytes());
        bufferedBytes += length;
      }
      next = followers.peek();
    }
  }

  private boolean mayPass(int length) {
    if (!held.isEmpty() || isWithinReply()) {
      return false;
    }
    // A small one would take a whole buffer for itself behind others that wait for the kernel.
    return output.unwrittenBytes() == 0
        || (length >= SocketOutput.SLICE_THRESHOLD && client.isWritable());
  }

  private boolean isWithinReply() {
    return paused || (!replies.isEmpty() && replies.at(0).hasBegun());
  }

  private void hold(ByteBuf bytes) {
    int length = bytes.readableBytes();
    bufferedBytes += length;
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
      output.whenWritten(this::onWritten);
    }
  }

  private void onWritten() {
    waits = false;
    if (client.isClosed()) {
      discard();
    } else {
      writeIfPossible();
    }
  }

  /** The confirmations of one request follow, and no message between them, as on a server. */
  void pause() {
    writeIfPossible();
    paused = true;
  }

  /** They were given. */
  void resume() {
    if (paused) {
      paused = false;
      writeIfPossible();
    }
  }

  /** No message comes any more. */
  void end() {
    ended = true;
  }

  /** Hands over what is held, unless that has to wait for the end of a reply. */
  void writeIfPossible() {
    if (!isWithinReply()) {
      writeBuffered();
    }
  }

  /** The reply that was being given has ended, and the next one has not begun. */
  public void onReplyEnd() {
    if (!held.isEmpty()) {
      writeBuffered();
    }
  }

  /** Everything held goes before whatever is written next; not within a reply. */
  void writeBuffered() {
    chunk = null;
    bufferedBytes = 0;
    ByteBuf next = held.poll();
    while (next != null) {
      output.appendOwned(next);
      next = held.poll();
    }
  }

  /** The client is gone. */
  public void discard() {
    chunk = null;
    bufferedBytes = 0;
    ByteBuf next = held.poll();
    while (next != null) {
      next.release();
      next = held.poll();
    }
    followers.forEach(each -> each.bytes().release());
    followers.clear();
    followerBytes = 0;
  }

  /** Bytes of what is kept here. */
  public long bufferedBytes() {
    return bufferedBytes + followerBytes;
  }
}
