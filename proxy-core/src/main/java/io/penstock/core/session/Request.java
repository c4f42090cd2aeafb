package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.observe.Outcome;
import io.penstock.core.transport.SocketOutput;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * One request of a client and its place among the client's replies. Used again after {@link
 * #recycle()}: a loop keeps spare ones.
 */
final class Request extends Routed implements ReplySlot {

  /** Bytes that one takes on the heap, with its places among others, about. */
  static final int SIZE = 320;

  private static final int LONGEST_PREFIX = 64;

  private final HeldReply held = new HeldReply();
  private @Nullable Session session;
  private @Nullable CommandSpec command;
  private long arrived;
  private long place;
  private long replyBytes;
  private int expected; // as long as it is not done
  private boolean first; // no earlier reply is missing: bytes may go out
  private boolean muted; // CLIENT REPLY OFF or SKIP
  private boolean done;
  private boolean begun; // bytes have gone out
  private boolean divided; // its parts travel, not it
  private boolean forgone; // nobody counts on its end
  private boolean followed; // by messages that it may have published
  private long borneOnHeap; // bytes of objects that are kept for it
  private @Nullable Runnable whenDone; // of one that has no place among the replies

  void begin(Session owner, @Nullable CommandSpec spec, long arrivedNanos, boolean mute) {
    session = owner;
    command = spec;
    arrived = arrivedNanos;
    place = owner.activity().requests();
    muted = mute;
    replyBytes = 0;
    expected = spec == null ? 0 : owner.allowance().expects(spec);
    owner.allowance().awaits(expected);
    first = false;
    done = false;
    begun = false;
    divided = false;
    whenDone = null;
  }

  /** Gives the reply to nobody: it is read with {@link #reply} from within {@code action}. */
  void capture(Runnable action) {
    whenDone = action;
  }

  /** So many bytes of objects are kept for it until it is used again. */
  void bearsOnHeap(long bytes) {
    borneOnHeap += bytes;
    session().allowance().bearsOnHeap(bytes);
  }

  /** Whether it has no place among the client's replies. */
  boolean isCaptured() {
    return whenDone != null;
  }

  /** The whole reply of a captured request; borrowed until {@link #recycle}. */
  ByteBuf reply() {
    return held.view();
  }

  @Override
  Session session() {
    Session owner = session;
    if (owner == null) {
      throw new IllegalStateException("a request was used after its end");
    }
    return owner;
  }

  /** The command; null for what is none. */
  @Nullable CommandSpec spec() {
    return command;
  }

  /** Whether it still is the session's request of that number, with a reply to be given. */
  boolean isStill(Session owner, long number) {
    return session == owner && place == number;
  }

  /** Messages wait until its reply was given: {@link Pushes#follow}. */
  void isFollowed() {
    if (!followed) {
      followed = true;
      bearsOnHeap(Pushes.AROUND_FOLLOWERS);
    }
  }

  /** Its number among the client's requests, answered here or not. */
  long place() {
    return place;
  }

  boolean isDone() {
    return done;
  }

  /** Nobody counts on its end any more; answers for how many it counted until now. */
  int forgo() {
    int before = forgone ? 0 : 1;
    forgone = true;
    return before;
  }

  boolean isDivided() {
    return divided;
  }

  void divide() {
    divided = true;
  }

  /** The reply's turn has come: what is there goes out, what comes goes out as it comes. */
  void becomeFirst(SocketOutput output) {
    first = true;
    session().allowance().holds(-held.size());
    if (muted || session().isClosed()) {
      held.clear();
    } else {
      begun |= !held.isEmpty();
      held.moveTo(output);
    }
  }

  @Override
  public void deliver(ByteBuf buffer, int from, int to, Outcome outcome) {
    if (outcome != Outcome.OK) {
      countError(buffer, from, to);
    }
    write(buffer, from, to);
    finish(outcome);
  }

  @Override
  void deliverError(byte[] reply, Outcome outcome) {
    if (!begun) {
      if (reply[0] == '-') {
        countError(Unpooled.wrappedBuffer(reply), 0, reply.length);
      }
      dropHeld();
      write(Unpooled.wrappedBuffer(reply), 0, reply.length);
    }
    finish(outcome);
  }

  /** Hands over a reply that Penstock made; takes ownership of it. */
  void deliverOwned(ByteBuf reply, Outcome outcome) {
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

  @Override
  void deliverPart(ByteBuf buffer, int from, int to, boolean lastPart) {
    if (replyBytes == 0 && from < to && buffer.getByte(from) == '-') {
      countError(buffer, from, to); // of a merged reply: no node's error comes in parts
    }
    write(buffer, from, to);
    if (lastPart) {
      endReply();
      finish(Outcome.OK);
    } else {
      session().allowance().gives(replyBytes);
    }
  }

  @Override
  boolean hasBegun() {
    return begun;
  }

  @Override
  void dropHeld() {
    session().allowance().holds(-held.size());
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
    session().loop().counters().error(prefix);
  }

  private void write(ByteBuf buffer, int from, int to) {
    Session owner = session();
    replyBytes += to - from;
    if (muted || owner.isClosed()) {
      return;
    }
    if (first) {
      begun = true;
      owner.output().append(buffer, from, to - from);
    } else {
      held.append(buffer, from, to, owner.allowance().holdsMuch());
      owner.allowance().holds(to - from);
    }
  }

  /** Ends a reply whose parts were delivered. */
  void complete(Outcome outcome) {
    endReply();
    finish(outcome);
  }

  /** What had to wait for the end of the reply goes behind it. */
  private void endReply() {
    Subscriptions subscriptions = session().intake().subscriptions();
    if (first && subscriptions != null) {
      subscriptions.pushes().onReplyEnd();
    }
  }

  private void finish(Outcome outcome) {
    settle();
    done = true;
    Session owner = session();
    owner.allowance().awaits(-expected);
    if (command != null) {
      owner.allowance().gave(command, replyBytes);
      owner.loop().record(command, outcome, arrived);
    }
    if (first) {
      owner.sequence().advance();
    } else if (whenDone != null) {
      whenDone.run();
    }
  }

  private void letFollow() {
    if (followed) {
      followed = false;
      Subscriptions subscriptions = session().intake().subscriptions();
      if (subscriptions != null) {
        subscriptions.pushes().follow(place);
      }
    }
  }

  /** Forgets everything, for another use. */
  void recycle() {
    held.clear();
    if (borneOnHeap > 0) {
      bearsOnHeap(-borneOnHeap);
      letFollow(); // what is followed bears something
    }
    session = null;
    command = null;
    whenDone = null;
    forgone = false;
  }
}
