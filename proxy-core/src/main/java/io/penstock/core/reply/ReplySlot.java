package io.penstock.core.reply;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.limit.Allowance;
import io.penstock.core.observe.Outcome;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A place among a client's replies. The client gets the reply behind those of earlier places. Used
 * again after {@link #recycle()}: a loop keeps spare ones. Confined to the client's event loop.
 */
public final class ReplySlot {

  /** Bytes on the heap for a request with its place and its exchange, about. */
  public static final int SIZE = 320;

  /** Bytes on the heap for messages that wait for the reply. */
  static final int AROUND_FOLLOWERS = 64;

  private static final int LONGEST_PREFIX = 64;

  /** What keys the request is about, for the order of requests. */
  private enum Concern {
    NO_KEY,
    ANY_NODE,
    ONE_PARTITION,
    MANY_PARTITIONS
  }

  private final PendingReply held = new PendingReply();
  private @Nullable ReplySequence owner;
  private @Nullable CommandSpec command;
  private Concern concern = Concern.NO_KEY;
  private int partition; // with ONE_PARTITION
  private long arrived;
  private long requestNumber;
  private long replyBytes;
  private int expected; // as long as it is not done
  private boolean first; // no earlier reply is missing: bytes may go out
  private boolean muted; // CLIENT REPLY OFF or SKIP
  private boolean done;
  private boolean begun; // bytes have gone out
  private boolean forgone; // nobody counts on its end
  private boolean followed; // by messages that it may have published
  private long borneOnHeap; // bytes of objects that are kept for it
  private @Nullable Runnable whenDone; // of one that is captured

  /**
   * Begins to be a place of {@code sequence}.
   *
   * @param spec the request's command; null for what is none
   * @param mute whether the client gets no reply
   */
  void begin(ReplySequence sequence, @Nullable CommandSpec spec, boolean mute) {
    owner = sequence;
    command = spec;
    concern = Concern.NO_KEY;
    arrived = sequence.arrivedAt();
    requestNumber = sequence.lastRequestNumber();
    muted = mute;
    replyBytes = 0;
    expected = spec == null ? 0 : sequence.account().expectedReply(spec);
    sequence.account().addExpected(expected);
    first = false;
    done = false;
    begun = false;
    whenDone = null;
  }

  /** The request is about keys of this partition. */
  public void targetPartition(int onePartition) {
    concern = Concern.ONE_PARTITION;
    partition = onePartition;
  }

  /** The request goes to any node. */
  public void targetAnyNode() {
    concern = Concern.ANY_NODE;
  }

  /** Whether the request may go to the same node as another one for any node. */
  public boolean mayTargetAnyNode() {
    return concern == Concern.ANY_NODE || concern == Concern.MANY_PARTITIONS;
  }

  /** The request is about keys of several partitions, or of any. */
  public void targetManyPartitions() {
    concern = Concern.MANY_PARTITIONS;
  }

  /** Whether the request may be about keys of this partition. */
  public boolean mayTarget(int onePartition) {
    return switch (concern) {
      case NO_KEY, ANY_NODE -> false;
      case ONE_PARTITION -> partition == onePartition;
      case MANY_PARTITIONS -> true;
    };
  }

  /** Gives the reply to nobody: it is read with {@link #reply} from within {@code action}. */
  void capture(Runnable action) {
    whenDone = action;
  }

  /** So many bytes of objects are kept for it until it is used again. */
  public void addHeapBytes(long bytes) {
    borneOnHeap += bytes;
    account().addKeptOnHeap(bytes);
  }

  /** Whether it has no place among the client's replies. */
  public boolean isCaptured() {
    return whenDone != null;
  }

  /** The whole reply of a captured request; borrowed until {@link #recycle}. */
  public ByteBuf reply() {
    return held.view();
  }

  private ReplySequence owner() {
    ReplySequence sequence = owner;
    if (sequence == null) {
      throw new IllegalStateException("a place among the replies was used after its end");
    }
    return sequence;
  }

  private Allowance account() {
    return owner().account();
  }

  /** The command; null for what is none. */
  public @Nullable CommandSpec spec() {
    return command;
  }

  /** Whether it still is the place of the request of that number, with a reply to be given. */
  public boolean isSlotOf(ReplySequence sequence, long number) {
    return owner == sequence && requestNumber == number;
  }

  /** Messages wait until its reply was given. */
  public void delayMessages() {
    if (!followed) {
      followed = true;
      addHeapBytes(AROUND_FOLLOWERS);
    }
  }

  /** Its number among the client's requests, answered here or not. */
  public long requestNumber() {
    return requestNumber;
  }

  public boolean isDone() {
    return done;
  }

  /** Nobody counts on its end any more; answers for how many it counted until now. */
  int abandon() {
    int before = forgone ? 0 : 1;
    forgone = true;
    return before;
  }

  /** The reply's turn has come: what is there goes out, what comes goes out as it comes. */
  void becomeFirst() {
    first = true;
    account().addPending(-held.size());
    if (muted || owner().isClosed()) {
      held.clear();
    } else {
      begun |= !held.isEmpty();
      held.moveTo(owner().output());
    }
  }

  /**
   * Gives the whole reply, once. Borrows {@code buffer}.
   *
   * @param from index of its first byte
   * @param to index behind its last byte
   */
  public void deliver(ByteBuf buffer, int from, int to, Outcome outcome) {
    if (outcome != Outcome.OK) {
      countError(buffer, from, to);
    }
    write(buffer, from, to);
    finish(outcome);
  }

  /** As {@link #deliver}, in Penstock's own words; nothing if a part has gone out already. */
  public void answer(byte[] reply, Outcome outcome) {
    if (!begun) {
      if (reply[0] == '-') {
        countError(Unpooled.wrappedBuffer(reply), 0, reply.length);
      }
      dropPending();
      write(Unpooled.wrappedBuffer(reply), 0, reply.length);
    }
    finish(outcome);
  }

  /** Hands over a reply that Penstock made; takes ownership of it. */
  public void deliverOwned(ByteBuf reply, Outcome outcome) {
    try {
      if (outcome != Outcome.OK) {
        countError(reply, reply.readerIndex(), reply.writerIndex());
      }
      write(reply, reply.readerIndex(), reply.writerIndex());
    } finally {
      reply.release();
    }
    finish(outcome);
  }

  /**
   * Hands on a part of the reply.
   *
   * @param buffer borrowed
   */
  public void deliverPart(ByteBuf buffer, int from, int to, boolean lastPart) {
    if (replyBytes == 0 && from < to && buffer.getByte(from) == '-') {
      countError(buffer, from, to); // of a merged reply: no node's error comes in parts
    }
    write(buffer, from, to);
    if (lastPart) {
      endReply();
      finish(Outcome.OK);
    } else {
      account().recordReplyPart(replyBytes);
    }
  }

  /** Whether a part of the reply has already gone to the client. */
  public boolean hasBegun() {
    return begun;
  }

  /** Drops what is held of the reply. */
  public void dropPending() {
    account().addPending(-held.size());
    held.clear();
  }

  /** Counts an error reply by its first word, which is short in every error but a script's. */
  private void countError(ByteBuf buffer, int from, int to) {
    if (from >= to) {
      return; // nobody was told of it
    }
    int end = from + 1;
    while (end < to && buffer.getByte(end) > ' ' && end - from <= LONGEST_PREFIX) {
      end++;
    }
    String prefix = buffer.toString(from + 1, end - from - 1, StandardCharsets.US_ASCII);
    owner().countError(prefix);
  }

  private void write(ByteBuf buffer, int from, int to) {
    ReplySequence sequence = owner();
    replyBytes += to - from;
    if (muted || sequence.isClosed()) {
      return;
    }
    if (first) {
      begun = true;
      sequence.output().append(buffer, from, to - from);
    } else {
      held.append(buffer, from, to, account().hasMuchPending());
      account().addPending(to - from);
    }
  }

  /** Ends a reply whose parts were delivered. */
  public void complete(Outcome outcome) {
    endReply();
    finish(outcome);
  }

  /** What had to wait for the end of the reply goes behind it. */
  private void endReply() {
    if (first) {
      owner().replyEnded();
    }
  }

  private void finish(Outcome outcome) {
    done = true;
    ReplySequence sequence = owner();
    account().addExpected(-expected);
    if (command != null) {
      account().recordReply(command, replyBytes);
      sequence.record(command, outcome, arrived);
    }
    if (first) {
      sequence.advance();
    } else if (whenDone != null) {
      whenDone.run();
    }
  }

  private void letFollow() {
    if (followed) {
      followed = false;
      owner().releaseMessages(requestNumber);
    }
  }

  /** Forgets everything, for another use. */
  void recycle() {
    held.clear();
    if (borneOnHeap > 0) {
      addHeapBytes(-borneOnHeap);
      letFollow(); // what is followed bears something
    }
    owner = null;
    command = null;
    whenDone = null;
    forgone = false;
  }
}
