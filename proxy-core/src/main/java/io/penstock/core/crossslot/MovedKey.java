package io.penstock.core.crossslot;

import io.netty.buffer.ByteBuf;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.ReplyStrings;
import io.penstock.core.resp.WireRequest;
import io.penstock.core.steps.Replies;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A whole key: {@code RENAME}, {@code RENAMENX}, {@code COPY}. */
final class MovedKey implements Moved {

  private static final byte[] NO_SUCH_KEY = ErrorReplies.encode("ERR no such key");
  private static final byte[] OK = "+OK\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] ZERO = ":0\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] ONE = ":1\r\n".getBytes(StandardCharsets.US_ASCII);

  private final How how;
  private final String source;
  private final String destination;
  private Value value = Value.NONE;
  private Value replaced = Value.NONE;

  /** Which command it is. */
  enum How {
    RENAME,
    RENAME_IF_NEW,
    COPY_IF_NEW,
    COPY
  }

  /**
   * A value as {@code DUMP} gives it.
   *
   * @param dump null if the key does not exist; characters are bytes
   * @param expiry milliseconds that it lives; not positive for ever
   */
  private record Value(@Nullable String dump, long expiry) {

    static final Value NONE = new Value(null, -1);

    static Value of(List<ByteBuf> replies) {
      ByteBuf dump = replies.getFirst();
      if (ReplyStrings.isNil(dump, dump.readerIndex())) {
        return NONE;
      }
      ByteBuf expiry = replies.getLast();
      String number =
          expiry.toString(
              expiry.readerIndex() + 1, expiry.readableBytes() - 3, StandardCharsets.US_ASCII);
      return new Value(Replies.content(dump), Long.parseLong(number));
    }
  }

  /** The characters of both keys are bytes. */
  MovedKey(How how, String source, String destination) {
    this.how = how;
    this.source = source;
    this.destination = destination;
  }

  private boolean onlyIfNew() {
    return how == How.RENAME_IF_NEW || how == How.COPY_IF_NEW;
  }

  private boolean copies() {
    return how == How.COPY || how == How.COPY_IF_NEW;
  }

  private static List<byte[]> read(String key) {
    return List.of(WireRequest.of("DUMP", key), WireRequest.of("PTTL", key));
  }

  @Override
  public List<byte[]> look() {
    return read(source);
  }

  @Override
  public byte @Nullable [] judge(List<ByteBuf> replies) {
    byte[] error = Replies.firstError(replies);
    if (error != null) {
      return error;
    }
    value = Value.of(replies);
    if (value.dump() != null) {
      return null;
    }
    return copies() ? ZERO : NO_SUCH_KEY;
  }

  @Override
  public List<byte[]> lookAtDestination() {
    return read(destination);
  }

  @Override
  public byte @Nullable [] judgeDestination(List<ByteBuf> replies) {
    byte[] error = Replies.firstError(replies);
    if (error != null) {
      return error;
    }
    replaced = Value.of(replies);
    return onlyIfNew() && replaced.dump() != null ? ZERO : null;
  }

  private List<byte[]> restore(Value what) {
    String dump = what.dump();
    if (dump == null) {
      return List.of(WireRequest.of("DEL", destination));
    }
    String expiry = Long.toString(Math.max(0, what.expiry()));
    return List.of(WireRequest.of("RESTORE", destination, expiry, dump, "REPLACE"));
  }

  @Override
  public List<byte[]> write() {
    return restore(value);
  }

  @Override
  public byte @Nullable [] judgeWrite(List<ByteBuf> replies) {
    return Replies.firstError(replies);
  }

  @Override
  public List<byte[]> remove() {
    return copies() ? List.of() : List.of(WireRequest.of("DEL", source));
  }

  @Override
  public boolean isStillWritten(List<ByteBuf> replies) {
    String written = value.dump();
    return Replies.firstError(replies) == null
        && written != null
        && written.equals(Value.of(replies).dump());
  }

  @Override
  public List<byte[]> undo() {
    return restore(replaced);
  }

  @Override
  public byte[] reply() {
    return how == How.RENAME ? OK : ONE;
  }
}
