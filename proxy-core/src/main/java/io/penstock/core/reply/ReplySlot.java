package io.penstock.core.reply;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.limit.Allowance;
import io.penstock.core.observe.Outcome;
import io.penstock.core.observe.Timeline;
import io.penstock.core.spec.CommandSpec;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The place of one reply among a client's replies. The client gets the reply after those of earlier
 * slots. Reused after {@link #recycle()}: a loop keeps spare slots. Confined to the client's event
 * loop.
 */
public final class ReplySlot {

  /** Approximate bytes on the heap for a request with its slot and its exchange. */
  public static final int SIZE = 320;

  /** Approximate bytes on the heap for messages that wait for the reply, payload excluded. */
  static final int WAITING_MESSAGES = 64;

  private static final int LONGEST_PREFIX = 64;

  /** Which keys the request is for: this decides the order of requests. */
  private enum Target {
    NO_KEY,
    ANY_NODE,
    ONE_PARTITION,
    MANY_PARTITIONS
  }

  private final PendingReply pending = new PendingReply();
  private @Nullable ReplySequence owner;
  private @Nullable CommandSpec command;
  private Target target = Target.NO_KEY;
  private int partition; // with ONE_PARTITION
  private long arrived;
  private long requestNumber;
  private long replyBytes;
  private int expected; // bytes of the reply, until it is done
  private boolean first; // no earlier reply is missing: bytes may go out
  private boolean muted; // CLIENT REPLY OFF or SKIP
  private boolean done;
  private boolean begun; // bytes were written
  private boolean abandoned; // not counted as in use any more
  private boolean messagesWaiting; // until the reply was written
  private long heapBytes; // of objects that are kept for the request
  private @Nullable Runnable whenDone; // of a captured slot
  private @Nullable ReplyRewriter rewriter;
  private @Nullable Timeline timeline; // if an observer wants it
  private @Nullable PendingBytes counted; // the request's bytes, until the reply is done
  private long requestBytes; // if so

  /**
   * Begins a reply of {@code sequence}.
   *
   * @param spec the request's command; null if it is not a command
   */
  void begin(ReplySequence sequence, @Nullable CommandSpec spec) {
    owner = sequence;
    command = spec;
    target = Target.NO_KEY;
    arrived = sequence.arrivedAt();
    requestNumber = sequence.lastRequestNumber();
    muted = false;
    replyBytes = 0;
    expected = spec == null ? 0 : sequence.account().expectedReply(spec);
    sequence.account().addExpected(expected);
    first = false;
    done = false;
    begun = false;
    whenDone = null;
  }

  /** Begins to keep the times of the request, if an observer wants them. */
  void beginTimeline() {
    timeline = command == null ? null : owner().timelineFor(command);
  }

  /** The client gets no reply. */
  public void mute() {
    muted = true;
  }

  /**
   * Sets what rewrites the reply if it comes from nodes. What Penstock answers itself, also {@code
   * QUEUED}, is not rewritten.
   *
   * @param rewriting null for nothing
   */
  public void rewriteWith(@Nullable ReplyRewriter rewriting) {
    rewriter = rewriting;
  }

  /** The request's bytes are counted until its reply is done. */
  public void countBytes(PendingBytes pendingBytes, long bytes) {
    counted = pendingBytes;
    requestBytes = bytes;
  }

  private void endBytes() {
    PendingBytes pendingBytes = counted;
    if (pendingBytes != null) {
      counted = null;
      pendingBytes.end(requestBytes);
    }
  }

  /** Returns what keeps the times of the request; null if nobody wants them. */
  public @Nullable Timeline timeline() {
    return timeline;
  }

  /** The request is for keys of this partition. */
  public void targetPartition(int onePartition) {
    target = Target.ONE_PARTITION;
    partition = onePartition;
  }

  /** The request may go to any node. */
  public void targetAnyNode() {
    target = Target.ANY_NODE;
  }

  /**
   * Returns whether the request may go to the same node as another request that may go to any node.
   */
  public boolean mayTargetAnyNode() {
    return target == Target.ANY_NODE || target == Target.MANY_PARTITIONS;
  }

  /** The request is for keys of several partitions, or of any. */
  public void targetManyPartitions() {
    target = Target.MANY_PARTITIONS;
  }

  /** Returns whether the request may be for keys of this partition. */
  public boolean mayTarget(int onePartition) {
    return switch (target) {
      case NO_KEY, ANY_NODE -> false;
      case ONE_PARTITION -> partition == onePartition;
      case MANY_PARTITIONS -> true;
    };
  }

  /**
   * The reply does not go to the client: {@code action} runs when it is complete, and reads it with
   * {@link #reply}.
   */
  void capture(Runnable action) {
    whenDone = action;
  }

  /** Counts bytes of objects that are kept on the heap for the request until {@link #recycle()}. */
  public void addHeapBytes(long bytes) {
    heapBytes += bytes;
    account().addKeptOnHeap(bytes);
  }

  /** Returns whether the reply does not go to the client. */
  public boolean isCaptured() {
    return whenDone != null;
  }

  /** Returns the whole reply of a captured slot; borrowed until {@link #recycle}. */
  public ByteBuf reply() {
    return pending.view();
  }

  private ReplySequence owner() {
    ReplySequence sequence = owner;
    if (sequence == null) {
      throw new IllegalStateException("a reply slot was used after its end");
    }
    return sequence;
  }

  private Allowance account() {
    return owner().account();
  }

  /** Returns the request's command; null if it is not a command. */
  public @Nullable CommandSpec spec() {
    return command;
  }

  /**
   * Returns whether this is still the slot of the request of that number: its reply was not yet
   * written whole.
   */
  public boolean isSlotOf(ReplySequence sequence, long number) {
    return owner == sequence && requestNumber == number;
  }

  /** Messages wait until the reply was written. */
  public void delayMessages() {
    if (!messagesWaiting) {
      messagesWaiting = true;
      addHeapBytes(WAITING_MESSAGES);
    }
  }

  /** Returns the request's number among all requests of the client. */
  public long requestNumber() {
    return requestNumber;
  }

  public boolean isDone() {
    return done;
  }

  /** Stops counting this slot as in use. Returns 1 if it was counted until now, otherwise 0. */
  int abandon() {
    int before = abandoned ? 0 : 1;
    abandoned = true;
    return before;
  }

  /**
   * All earlier replies are complete: writes the pending bytes. Later bytes are written as they
   * come.
   */
  void becomeFirst() {
    first = true;
    account().addPending(-pending.size());
    if (muted || owner().isClosed()) {
      pending.clear();
    } else {
      begun |= !pending.isEmpty();
      pending.moveTo(owner().output());
    }
  }

  /**
   * Delivers the whole reply, once. Borrows {@code buffer}.
   *
   * @param from index of the first byte
   * @param to index behind the last byte
   */
  public void deliver(ByteBuf buffer, int from, int to, Outcome outcome) {
    if (outcome != Outcome.OK) {
      countError(buffer, from, to);
    }
    write(buffer, from, to);
    endRewriting();
    finish(outcome);
  }

  /**
   * Delivers a reply of Penstock's own. Writes nothing if a part of another reply was written
   * already.
   */
  public void answer(byte[] reply, Outcome outcome) {
    if (!begun) {
      if (reply[0] == '-') {
        countError(Unpooled.wrappedBuffer(reply), 0, reply.length);
      }
      dropPending();
      replyBytes += reply.length;
      add(Unpooled.wrappedBuffer(reply), 0, reply.length);
    }
    finish(outcome);
  }

  /** Delivers a reply of Penstock's own; takes ownership of it. */
  public void deliverOwned(ByteBuf reply, Outcome outcome) {
    try {
      if (outcome != Outcome.OK) {
        countError(reply, reply.readerIndex(), reply.writerIndex());
      }
      replyBytes += reply.readableBytes();
      add(reply, reply.readerIndex(), reply.writerIndex());
    } finally {
      reply.release();
    }
    finish(outcome);
  }

  /**
   * Delivers a part of the reply.
   *
   * @param buffer borrowed
   */
  public void deliverPart(ByteBuf buffer, int from, int to, boolean lastPart) {
    if (replyBytes == 0 && from < to && buffer.getByte(from) == '-') {
      countError(buffer, from, to); // of a merged reply: a node's error never comes in parts
    }
    write(buffer, from, to);
    if (lastPart) {
      endRewriting();
      endReply();
      finish(Outcome.OK);
    } else {
      account().recordReplyPart(replyBytes);
    }
  }

  /** Returns whether a part of the reply was written to the client already. */
  public boolean hasBegun() {
    return begun;
  }

  /** Drops the pending bytes of the reply. */
  public void dropPending() {
    if (rewriter != null) {
      rewriter.reset();
    }
    account().addPending(-pending.size());
    pending.clear();
    replyBytes = 0;
  }

  /**
   * Counts an error reply by its first word, which is short in every error except those of scripts.
   */
  private void countError(ByteBuf buffer, int from, int to) {
    if (from >= to) {
      return; // the client gets no error
    }
    int end = from + 1;
    while (end < to && buffer.getByte(end) > ' ' && end - from <= LONGEST_PREFIX) {
      end++;
    }
    String prefix = buffer.toString(from + 1, end - from - 1, StandardCharsets.US_ASCII);
    owner().countError(prefix);
  }

  private void write(ByteBuf buffer, int from, int to) {
    replyBytes += to - from;
    ReplyRewriter rewriting = rewriter;
    if (rewriting == null) {
      add(buffer, from, to);
    } else {
      rewriting.rewrite(buffer, from, to, this::add);
    }
  }

  private void endRewriting() {
    if (rewriter != null) {
      rewriter.end(this::add);
    }
  }

  private void add(ByteBuf buffer, int from, int to) {
    ReplySequence sequence = owner();
    if (muted || sequence.isClosed()) {
      return;
    }
    if (first) {
      begun = true;
      sequence.output().append(buffer, from, to - from);
    } else {
      pending.append(buffer, from, to, account().hasMuchPending());
      account().addPending(to - from);
    }
  }

  /** Completes a reply whose parts were delivered. */
  public void complete(Outcome outcome) {
    endRewriting();
    endReply();
    finish(outcome);
  }

  /** Writes what waits for the end of this reply. */
  private void endReply() {
    if (first) {
      owner().replyEnded();
    }
  }

  private void finish(Outcome outcome) {
    done = true;
    endBytes();
    ReplySequence sequence = owner();
    account().addExpected(-expected);
    if (command != null) {
      account().recordReply(command, replyBytes);
      sequence.record(command, outcome, arrived, replyBytes, timeline);
    }
    if (first) {
      sequence.advance();
    } else if (whenDone != null) {
      whenDone.run();
    }
  }

  private void releaseMessages() {
    if (messagesWaiting) {
      messagesWaiting = false;
      owner().releaseMessages(requestNumber);
    }
  }

  /** Resets the slot for reuse. */
  void recycle() {
    pending.clear();
    if (heapBytes > 0) {
      addHeapBytes(-heapBytes);
      releaseMessages(); // waiting messages count as heap bytes
    }
    owner = null;
    command = null;
    whenDone = null;
    if (rewriter != null) {
      rewriter.reset();
      rewriter = null;
    }
    timeline = null;
    endBytes();
    abandoned = false;
  }
}
