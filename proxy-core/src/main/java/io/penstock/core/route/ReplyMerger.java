package io.penstock.core.route;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.command.Merge;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Makes one reply of the replies to the parts of a divided or broadcast command, in either
 * protocol: all of one command are in the same. {@link Merge} says how.
 */
public final class ReplyMerger {

  private static final byte[] OK = bytes("+OK\r\n");
  private static final byte[] NONE_RUNS = bytes("-NOTBUSY ");
  private static final byte[] UNEXPECTED =
      bytes("-ERR a node's reply to a part of this command cannot be merged\r\n");

  /** Takes the merged reply piece by piece. */
  public interface Sink {
    /** The next piece; the buffer is borrowed. */
    void write(ByteBuf buffer, int from, int to);
  }

  private final Sink sink;
  private final ElementMerger elements;
  private @Nullable SteppedMerge rest; // of what has begun
  private boolean fine;

  public ReplyMerger(Sink sink) {
    this.sink = sink;
    this.elements = new ElementMerger(sink);
  }

  /**
   * Merges all at once; see {@link #begin}.
   *
   * @return false when the result is an error reply
   */
  public boolean merge(Merge how, ByteBuf[] replies, int[] detail) {
    begin(how, replies, detail);
    while (step(Integer.MAX_VALUE)) {
      // As much as there is.
    }
    return isSuccess();
  }

  /**
   * Begins to merge, which {@link #step} goes on with; once.
   *
   * @param replies whole replies by part, at least one, all readable bytes of each; borrowed. With
   *     {@link Merge#ALL_OK} those that are no error may be empty
   * @param detail for {@link Merge#ARRAY_BY_KEY} the part of each key in the caller's order; for
   *     {@link Merge#NEWEST} how many entries there may be
   */
  public void begin(Merge how, ByteBuf[] replies, int[] detail) {
    ByteBuf chosen =
        switch (how) {
          case ONE_SUCCEEDED -> oneSucceeded(replies);
          case TEXTS -> fine(replies).isEmpty() ? replies[0] : null;
          default -> firstError(replies);
        };
    if (chosen != null) {
      pass(chosen);
      fine = !isError(chosen);
      return;
    }
    rest =
        _ -> {
          rest = mergeFine(how, replies, detail);
          return rest != null;
        };
  }

  /**
   * Goes on with about so many elements.
   *
   * @return false when nothing is left
   */
  public boolean step(int most) {
    SteppedMerge next = rest;
    if (next == null) {
      return false;
    }
    try {
      fine = true;
      if (next.step(most)) {
        return true;
      }
    } catch (UnmergeableException
        | ArithmeticException // a sum beyond 64 bits
        | IndexOutOfBoundsException // fewer elements than such a reply has
        | NoSuchElementException
        | NumberFormatException e) {
      emit(UNEXPECTED);
      fine = false;
    }
    rest = null;
    return false;
  }

  /** Whether the result, as far as it is there, is no error reply. */
  public boolean isSuccess() {
    return fine;
  }

  /** Merges what is little at any rate; answers what is to be gone on with otherwise. */
  private @Nullable SteppedMerge mergeFine(Merge how, ByteBuf[] replies, int[] detail) {
    switch (how) {
      case ALL_OK -> emit(OK);
      case ALL_SUCCEEDED, ONE_SUCCEEDED -> pass(replies[0]);
      case SUM, PATTERNS -> integers(replies, Math::addExact);
      case MIN -> integers(replies, Math::min);
      case SUM_BY_ELEMENT, SUBSCRIBERS, SHARD_SUBSCRIBERS -> {
        return elements.byElement(replies, Math::addExact);
      }
      case MIN_BY_ELEMENT -> {
        return elements.byElement(replies, Math::min);
      }
      case ARRAY_BY_KEY -> {
        return elements.interleave(replies, detail);
      }
      case CONCAT -> elements.concat(replies);
      case UNION -> {
        return elements.union(replies);
      }
      case RANDOM -> random(replies);
      case RUNNING -> running(replies);
      case NEWEST -> report(ReportMerger.newest(replies, detail[0]));
      case LATEST -> report(ReportMerger.latest(replies));
      case HISTORY -> report(ReportMerger.history(replies));
      case HISTOGRAM -> report(ReportMerger.histogram(replies));
      case STATS -> report(ReportMerger.stats(replies));
      case TEXTS -> report(ReportMerger.texts(fine(replies)));
    }
    return null;
  }

  private void report(String text) {
    emit(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  private static List<ByteBuf> fine(ByteBuf[] replies) {
    return Arrays.stream(replies).filter(reply -> !isError(reply)).toList();
  }

  private static boolean isError(ByteBuf reply) {
    return reply.isReadable() && reply.getByte(reply.readerIndex()) == '-';
  }

  private static @Nullable ByteBuf firstError(ByteBuf[] replies) {
    for (ByteBuf reply : replies) {
      if (isError(reply)) {
        return reply;
      }
    }
    return null;
  }

  private static ByteBuf oneSucceeded(ByteBuf[] replies) {
    ByteBuf error = null;
    for (ByteBuf reply : replies) {
      if (!isError(reply)) {
        return reply;
      }
      if (error == null && !startsWith(reply, NONE_RUNS)) {
        error = reply;
      }
    }
    return error == null ? replies[0] : error;
  }

  private static boolean startsWith(ByteBuf reply, byte[] start) {
    return reply.readableBytes() >= start.length
        && reply.slice(reply.readerIndex(), start.length).equals(Unpooled.wrappedBuffer(start));
  }

  private void integers(ByteBuf[] replies, LongBinaryOperator operator) {
    long result = new ReplyCursor(replies[0]).integer();
    for (int i = 1; i < replies.length; i++) {
      result = operator.applyAsLong(result, new ReplyCursor(replies[i]).integer());
    }
    emit(bytes(":" + result + "\r\n"));
  }

  /** Each shard that has something is as likely as any other. */
  private void random(ByteBuf[] replies) {
    ByteBuf chosen = replies[0];
    int candidates = 0;
    for (ByteBuf reply : replies) {
      boolean candidate = !new ReplyCursor(reply).isNull();
      if (candidate && ThreadLocalRandom.current().nextInt(++candidates) == 0) {
        chosen = reply;
      }
    }
    pass(chosen);
  }

  /** The reply is a map whose first value is null, or tells about the function that runs. */
  private void running(ByteBuf[] replies) {
    for (ByteBuf reply : replies) {
      var cursor = new ReplyCursor(reply);
      if (cursor.elements() < 2) {
        throw new UnmergeableException();
      }
      cursor.skip();
      if (!cursor.isNull()) {
        pass(reply);
        return;
      }
    }
    pass(replies[0]);
  }

  private void pass(ByteBuf reply) {
    sink.write(reply, reply.readerIndex(), reply.writerIndex());
  }

  private void emit(byte[] reply) {
    sink.write(Unpooled.wrappedBuffer(reply), 0, reply.length);
  }

  private static byte[] bytes(String ascii) {
    return ascii.getBytes(StandardCharsets.US_ASCII);
  }
}
