package io.penstock.core.route;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.spec.Merge;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Merges the replies to the parts of a split or broadcast command into one. They may be in either
 * protocol, but all in the same. {@link Merge} defines how.
 */
public final class ReplyMerger {

  private static final byte[] OK = bytes("+OK\r\n");
  private static final byte[] NOT_BUSY = bytes("-NOTBUSY ");
  private static final byte[] UNEXPECTED =
      bytes("-ERR a node's reply to a part of this command cannot be merged\r\n");

  /** Takes the merged reply in pieces. */
  public interface Sink {
    /** Takes the next piece; the buffer is borrowed. */
    void write(ByteBuf buffer, int from, int to);
  }

  private final Sink sink;
  private final ElementMerger elements;
  private @Nullable SteppedMerge rest; // the steps that are left
  private boolean success;

  public ReplyMerger(Sink sink) {
    this.sink = sink;
    this.elements = new ElementMerger(sink);
  }

  /**
   * Merges everything at once; see {@link #begin}.
   *
   * @return false if the result is an error reply
   */
  public boolean merge(Merge how, ByteBuf[] replies, int[] detail) {
    begin(how, replies, detail);
    while (step(Integer.MAX_VALUE)) {
      // Each step merges as much as there is.
    }
    return isSuccess();
  }

  /**
   * Begins to merge; {@link #step} continues. Called once.
   *
   * @param replies whole replies by part, at least one: all readable bytes of each; borrowed. With
   *     {@link Merge#ALL_OK}, replies that are not errors may be empty
   * @param detail for {@link Merge#ARRAY_BY_KEY} the part of each key in the client's order; for
   *     {@link Merge#NEWEST} the maximum number of entries
   */
  public void begin(Merge how, ByteBuf[] replies, int[] detail) {
    ByteBuf chosen =
        switch (how) {
          case ONE_SUCCEEDED -> oneSucceeded(replies);
          case TEXTS -> successes(replies).isEmpty() ? replies[0] : null;
          default -> firstError(replies);
        };
    if (chosen != null) {
      pass(chosen);
      success = !isError(chosen);
      return;
    }
    rest =
        _ -> {
          rest = mergeSuccesses(how, replies, detail);
          return rest != null;
        };
  }

  /**
   * Merges about {@code most} more elements.
   *
   * @return false if nothing is left
   */
  public boolean step(int most) {
    SteppedMerge next = rest;
    if (next == null) {
      return false;
    }
    try {
      success = true;
      if (next.step(most)) {
        return true;
      }
    } catch (UnmergeableException
        | ArithmeticException // a sum beyond 64 bits
        | IndexOutOfBoundsException // fewer elements than such a reply has
        | NoSuchElementException
        | NumberFormatException e) {
      emit(UNEXPECTED);
      success = false;
    }
    rest = null;
    return false;
  }

  /** Returns whether the result so far is not an error reply. */
  public boolean isSuccess() {
    return success;
  }

  /** Merges replies that are short in any case; for others, returns the steps. */
  private @Nullable SteppedMerge mergeSuccesses(Merge how, ByteBuf[] replies, int[] detail) {
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
      case REPORTS -> reports(replies);
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
      case TEXTS -> report(ReportMerger.texts(successes(replies)));
    }
    return null;
  }

  private void reports(ByteBuf[] replies) {
    ByteBuf[] given =
        Arrays.stream(replies)
            .filter(reply -> !new ReplyCursor(reply).isNull())
            .toArray(ByteBuf[]::new);
    if (given.length == 0) {
      pass(replies[0]);
    } else {
      elements.concat(given);
    }
  }

  private void report(String text) {
    emit(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  private static List<ByteBuf> successes(ByteBuf[] replies) {
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
      if (error == null && !startsWith(reply, NOT_BUSY)) {
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

  /** Passes on one of the replies that are not null, each with the same probability. */
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

  /**
   * Passes on the reply with a running function. Each reply is a map whose first value describes
   * that function, or is null.
   */
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
