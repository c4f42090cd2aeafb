package io.penstock.core.subscribe;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.penstock.core.client.ChannelPrefix;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.limit.Allowance;
import io.penstock.core.observe.LoopCounters;
import io.penstock.core.output.SocketOutput;
import io.penstock.core.pubsub.Message;
import io.penstock.core.pubsub.Subscriber;
import io.penstock.core.reply.ReplySequence;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.Protocol;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.Trait;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Writes messages to a subscriber: between its replies and never within one, and not before the
 * reply to a request of its own that may have published them, as servers do since 7.2. Messages are
 * buffered here while the socket accepts no more. Small ones share a buffer so that they take no
 * more memory than they have bytes; {@link Allowance} limits the total.
 */
final class MessageOutput implements Subscriber {

  private static final int FIRST_CHUNK = 1024;
  private static final int LARGEST_CHUNK = 64 * 1024;

  /**
   * Messages that wait for the reply to one request.
   *
   * @param place number of the request
   * @param takesMore whether other messages may be appended
   */
  private record AfterReply(long place, ByteBuf bytes, boolean takesMore) {}

  private final Client client;
  private final ReplySequence replies;
  private final Allowance account;
  private final SocketOutput output;
  private final LoopCounters counters;
  private final ArrayDeque<AfterReply> afterReply = new ArrayDeque<>();
  private long afterReplyBytes;
  private @Nullable ReplySlot
      publisher; // the latest request that may have published, while unanswered
  private long publisherPlace;
  private long lastExamined; // number of the latest request that was examined
  private final ArrayDeque<ByteBuf> buffered = new ArrayDeque<>();
  private @Nullable ByteBuf chunk; // the last of the buffered ones, if it takes more
  private long bufferedBytes;
  private boolean paused; // confirmations are being written
  private boolean ended; // the client has no subscriptions any more
  private boolean awaitsOutput; // the output calls back when it has written

  MessageOutput(ClientContext context, LoopCounters counters) {
    this.client = context.client();
    this.replies = context.replies();
    this.account = context.account();
    this.output = replies.output();
    this.counters = counters;
  }

  /** Writes a message to the client, now or when it is its turn; borrows it. */
  @Override
  public void onMessage(Message message) {
    if (ended || client.isClosed()) {
      return;
    }
    Protocol protocol = client.protocol();
    ReplySlot before = publisher();
    ChannelPrefix hidden = client.channelPrefix();
    if (hidden != null) {
      writeWithout(hidden, message, before);
    } else if (before != null) {
      bufferAfterReply(message.copyFor(protocol), before);
    } else if (mayWrite(message.length())) {
      message.writeTo(output, protocol);
    } else {
      buffer(message.copyFor(protocol));
      waitForOutput();
    }
    counters.countMessage();
    account.check();
  }

  private void writeWithout(ChannelPrefix hidden, Message message, @Nullable ReplySlot before) {
    ByteBuf shown = message.without(hidden.channel(), hidden.pattern(), client.protocol());
    try {
      if (before != null) {
        bufferAfterReply(shown, before);
      } else if (mayWrite(shown.readableBytes())) {
        output.append(shown, shown.readerIndex(), shown.readableBytes());
      } else {
        buffer(shown);
        waitForOutput();
      }
    } finally {
      shown.release();
    }
  }

  @Override
  public void onFailure(Throwable cause) {
    client.fail(cause);
  }

  /**
   * Returns the latest unanswered request that may have published, or null. Each request is
   * examined once.
   */
  private @Nullable ReplySlot publisher() {
    for (int i = replies.size() - 1; i >= 0; i--) {
      ReplySlot request = replies.at(i);
      CommandSpec spec = request.spec();
      if (request.requestNumber() <= lastExamined) {
        break;
      }
      if (spec != null && spec.has(Trait.MAY_PUBLISH)) {
        publisher = request;
        publisherPlace = request.requestNumber();
        break;
      }
    }
    lastExamined = replies.lastRequestNumber();
    if (publisher != null && !publisher.isSlotOf(replies, publisherPlace)) {
      publisher = null;
    }
    return publisher;
  }

  private void bufferAfterReply(ByteBuf bytes, ReplySlot request) {
    int length = bytes.readableBytes();
    afterReplyBytes += length;
    request.delayMessages();
    AfterReply last = afterReply.peekLast();
    if (length >= SocketOutput.SLICE_THRESHOLD) {
      afterReply.add(new AfterReply(request.requestNumber(), bytes.retainedDuplicate(), false));
    } else if (last != null
        && last.takesMore()
        && last.place() == request.requestNumber()
        && last.bytes().maxWritableBytes() >= length) {
      last.bytes().writeBytes(bytes, bytes.readerIndex(), length);
    } else {
      ByteBuf into = ByteBufAllocator.DEFAULT.directBuffer(FIRST_CHUNK, LARGEST_CHUNK);
      into.writeBytes(bytes, bytes.readerIndex(), length);
      afterReply.add(new AfterReply(request.requestNumber(), into, true));
    }
  }

  /**
   * Writes the messages that wait for the reply to a request. To be called when that reply has
   * ended and the next one has not begun.
   */
  void writeAfter(long place) {
    AfterReply next = afterReply.peek();
    while (next != null && next.place() <= place) {
      afterReply.remove();
      int length = next.bytes().readableBytes();
      afterReplyBytes -= length;
      if (buffered.isEmpty()) {
        output.appendOwned(next.bytes());
      } else {
        chunk = null;
        buffered.add(next.bytes());
        bufferedBytes += length;
      }
      next = afterReply.peek();
    }
  }

  private boolean mayWrite(int length) {
    if (!buffered.isEmpty() || isWithinReply()) {
      return false;
    }
    // A small message would take a whole buffer behind others that wait for the kernel.
    return output.unwrittenBytes() == 0
        || (length >= SocketOutput.SLICE_THRESHOLD && client.isWritable());
  }

  private boolean isWithinReply() {
    return paused || (!replies.isEmpty() && replies.at(0).hasBegun());
  }

  private void buffer(ByteBuf bytes) {
    int length = bytes.readableBytes();
    bufferedBytes += length;
    if (length >= SocketOutput.SLICE_THRESHOLD) {
      buffered.add(bytes.retainedDuplicate());
      chunk = null;
      return;
    }
    ByteBuf into = chunk;
    if (into == null || into.maxWritableBytes() < length) {
      into = ByteBufAllocator.DEFAULT.directBuffer(FIRST_CHUNK, LARGEST_CHUNK);
      chunk = into;
      buffered.add(into);
    }
    into.writeBytes(bytes, bytes.readerIndex(), length);
  }

  private void waitForOutput() {
    if (!awaitsOutput) {
      awaitsOutput = true;
      output.whenWritten(this::onWritten);
    }
  }

  private void onWritten() {
    awaitsOutput = false;
    if (client.isClosed()) {
      discard();
    } else {
      writeIfPossible();
    }
  }

  /**
   * Buffers messages while the confirmations of one request are written, as a server sends no
   * message between them.
   */
  void pause() {
    writeIfPossible();
    paused = true;
  }

  /** Ends a {@link #pause}. */
  void resume() {
    if (paused) {
      paused = false;
      writeIfPossible();
    }
  }

  /** Drops messages that come from now on. */
  void end() {
    ended = true;
  }

  /** Writes the buffered messages, unless a reply has begun and not ended. */
  void writeIfPossible() {
    if (!isWithinReply()) {
      writeBuffered();
    }
  }

  /** A reply has ended, and the next one has not begun. */
  void onReplyEnd() {
    if (!buffered.isEmpty()) {
      writeBuffered();
    }
  }

  /**
   * Writes the buffered messages before anything that is written later. Must not be called within a
   * reply.
   */
  void writeBuffered() {
    chunk = null;
    bufferedBytes = 0;
    ByteBuf next = buffered.poll();
    while (next != null) {
      output.appendOwned(next);
      next = buffered.poll();
    }
  }

  /** Releases the buffered messages: the client is closed. */
  void discard() {
    chunk = null;
    bufferedBytes = 0;
    ByteBuf next = buffered.poll();
    while (next != null) {
      next.release();
      next = buffered.poll();
    }
    afterReply.forEach(each -> each.bytes().release());
    afterReply.clear();
    afterReplyBytes = 0;
  }

  /** Length of the buffered messages in bytes. */
  long bufferedBytes() {
    return bufferedBytes + afterReplyBytes;
  }
}
