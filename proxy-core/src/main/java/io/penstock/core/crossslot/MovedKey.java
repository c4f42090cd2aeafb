package io.penstock.core.crossslot;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.penstock.core.reply.ReplyStrings;
import io.penstock.core.steps.Replies;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A whole key: {@code RENAME}, {@code RENAMENX}, {@code COPY}. Both keys are watched; the
 * destination also from the write on, so that nothing that others write there is undone.
 */
final class MovedKey implements Moved {

  private static final byte[] OK = "+OK\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] ZERO = ":0\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] ONE = ":1\r\n".getBytes(StandardCharsets.US_ASCII);

  private final How how;
  private final String source;
  private final String destination;
  private final boolean expiryTimes;
  private Value value = Value.NONE;
  private Value replaced = Value.NONE; // what the destination has before, if it may be undone
  private boolean destinationExists;
  private byte @Nullable [] sourceError;
  private byte @Nullable [] destinationError;

  /** Which command it is. */
  enum How {
    RENAME,
    RENAME_IF_NEW,
    COPY_IF_NEW,
    COPY
  }

  /**
   * A value and its expiry.
   *
   * @param dump what {@code DUMP} replied; null if the key does not exist
   * @param expiry in milliseconds: how long it lives, or until when; negative for ever
   */
  private record Value(@Nullable ByteBuf dump, long expiry) {

    static final Value NONE = new Value(null, -1);

    /** Takes a share of the reply to {@code DUMP}. */
    static Value of(List<ByteBuf> replies) {
      ByteBuf dump = replies.getFirst();
      if (ReplyStrings.isNil(dump, dump.readerIndex())) {
        return NONE;
      }
      ByteBuf expiry = replies.getLast();
      String number =
          expiry.toString(
              expiry.readerIndex() + 1, expiry.readableBytes() - 3, StandardCharsets.US_ASCII);
      return new Value(dump.retainedSlice(), Long.parseLong(number));
    }

    void release() {
      if (dump != null) {
        dump.release();
      }
    }
  }

  /**
   * @param source its characters are bytes
   * @param destination its characters are bytes
   * @param expiryTimes whether all nodes have {@code PEXPIRETIME}: Redis 7.0. Else the value lives
   *     longer by the time that the move takes
   */
  MovedKey(How how, String source, String destination, boolean expiryTimes) {
    this.how = how;
    this.source = source;
    this.destination = destination;
    this.expiryTimes = expiryTimes;
  }

  private boolean onlyIfNew() {
    return how == How.RENAME_IF_NEW || how == How.COPY_IF_NEW;
  }

  private boolean copies() {
    return how == How.COPY || how == How.COPY_IF_NEW;
  }

  private ByteBuf expiryOf(String key) {
    return Requests.of(expiryTimes ? "PEXPIRETIME" : "PTTL", key);
  }

  @Override
  public List<ByteBuf> lookAtSource() {
    ByteBuf dump = Requests.of("DUMP", source);
    return copies()
        ? Requests.block(dump, expiryOf(source))
        : List.of(Requests.of("WATCH", source), dump, expiryOf(source));
  }

  @Override
  public void readSource(List<ByteBuf> replies) {
    value.release();
    value = Value.NONE;
    sourceError = Replies.firstError(replies);
    if (sourceError == null) {
      value = valueIn(replies);
    }
  }

  private Value valueIn(List<ByteBuf> replies) {
    return Value.of(
        copies() ? Replies.elements(replies.getLast()) : replies.subList(1, replies.size()));
  }

  /** The value that is there is read only if it may have to be given back. */
  @Override
  public List<ByteBuf> lookAtDestination() {
    ByteBuf watch = Requests.of("WATCH", destination);
    return how == How.RENAME
        ? List.of(watch, Requests.of("DUMP", destination), expiryOf(destination))
        : List.of(watch, Requests.of("EXISTS", destination));
  }

  @Override
  public void readDestination(List<ByteBuf> replies) {
    replaced.release();
    replaced = Value.NONE;
    destinationError = Replies.firstError(replies);
    if (destinationError == null && how == How.RENAME) {
      replaced = Value.of(replies.subList(1, replies.size()));
    }
    destinationExists = Replies.isOne(replies.getLast());
  }

  @Override
  public byte @Nullable [] judge() {
    byte[] error = destinationError == null ? sourceError : destinationError;
    if (error != null) {
      return error;
    }
    if (value.dump() == null) {
      return copies() ? ZERO : MoveErrors.NO_SUCH_KEY;
    }
    return onlyIfNew() && destinationExists ? ZERO : null;
  }

  /** Returns the request that gives the destination this value. */
  private ByteBuf restore(Value what) {
    ByteBuf dump = what.dump();
    if (dump == null) {
      return Requests.of("DEL", destination);
    }
    // For a server, 0 means for ever.
    String expiry = Long.toString(what.expiry() < 0 ? 0 : Math.max(1, what.expiry()));
    return Requests.of(
        List.of("RESTORE", destination, expiry),
        dump,
        expiryTimes ? List.of("REPLACE", "ABSTTL") : List.of("REPLACE"));
  }

  @Override
  public List<ByteBuf> write() {
    return Requests.block(restore(value));
  }

  @Override
  public Effect written(List<ByteBuf> replies) {
    Effect effect = Effect.ofBlock(replies);
    byte[] error = effect.error();
    return error == null || Replies.isError(replies.getLast()) // it was not even queued
        ? effect
        : Effect.failed(MoveErrors.notRestored(error));
  }

  @Override
  public List<ByteBuf> remove() {
    return copies() ? List.of() : Requests.block(Requests.of("DEL", source));
  }

  @Override
  public Seen seen(List<ByteBuf> replies) {
    if (Replies.firstError(replies) != null) {
      return Seen.CHANGED;
    }
    Value now = valueIn(replies);
    now.release();
    boolean expired =
        now.dump() == null
            && expiryTimes
            && value.expiry() >= 0
            && System.currentTimeMillis() >= value.expiry();
    return expired ? Seen.EXPIRED : Seen.CHANGED;
  }

  @Override
  public @Nullable String watchedUntilUndone() {
    return copies() ? null : destination;
  }

  @Override
  public List<ByteBuf> undo() {
    return Requests.block(restore(replaced));
  }

  /** An equal value is what another client has moved there as well, after this one. */
  @Override
  public Left left(List<ByteBuf> replies) {
    if (how != How.RENAME || Replies.firstError(replies) != null) {
      return Left.ALL;
    }
    Value now = Value.of(replies.subList(1, replies.size()));
    boolean equal =
        now.dump() != null && value.dump() != null && ByteBufUtil.equals(now.dump(), value.dump());
    now.release();
    return equal ? Left.NOTHING : Left.ALL;
  }

  @Override
  public int size() {
    ByteBuf dump = value.dump();
    return dump == null ? 0 : dump.readableBytes();
  }

  @Override
  public ByteBuf reply() {
    return Unpooled.wrappedBuffer(how == How.RENAME ? OK : ONE);
  }

  @Override
  public void release() {
    value.release();
    value = Value.NONE;
    replaced.release();
    replaced = Value.NONE;
  }
}
