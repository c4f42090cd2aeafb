package io.penstock.core.steps;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.penstock.core.reply.ReplyStrings;
import io.penstock.core.resp.ReplyScanner;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads whole replies; borrows them. */
public final class Replies {

  private static final String DISCARDED = "-EXECABORT Transaction discarded because of: ";

  private Replies() {}

  public static boolean isError(ByteBuf reply) {
    return reply.getByte(reply.readerIndex()) == '-';
  }

  /** Returns whether it is the integer 1. */
  public static boolean isOne(ByteBuf reply) {
    return reply.getByte(reply.readerIndex()) == ':'
        && reply.getByte(reply.readerIndex() + 1) == '1';
  }

  /**
   * Returns the error with which a node gives its reason for running none of the queued commands;
   * null for any other reply to {@code EXEC}.
   */
  public static byte @Nullable [] discardReason(ByteBuf buffer, int from, int to) {
    if (!ReplyStrings.startsWith(buffer, from, to, DISCARDED)) {
      return null;
    }
    int at = from + DISCARDED.length() - 1;
    byte[] reason = ByteBufUtil.getBytes(buffer, at, to - at);
    reason[0] = '-';
    return reason;
  }

  /** Returns a copy of the first error reply; null if there is none. */
  public static byte @Nullable [] firstError(List<ByteBuf> replies) {
    for (ByteBuf reply : replies) {
      if (isError(reply)) {
        return ByteBufUtil.getBytes(reply);
      }
    }
    return null;
  }

  /** Returns the content of a bulk string; its characters are bytes. */
  public static String content(ByteBuf bulk) {
    int from = bulk.indexOf(bulk.readerIndex(), bulk.writerIndex(), (byte) '\n') + 1;
    return bulk.toString(from, bulk.writerIndex() - 2 - from, StandardCharsets.ISO_8859_1);
  }

  /** Returns the elements of an array; each borrowed as the array is. */
  public static List<ByteBuf> elements(ByteBuf array) {
    return elements(array, Integer.MAX_VALUE);
  }

  /** Returns the first elements of an array, as many as it has or fewer. */
  public static List<ByteBuf> elements(ByteBuf array, int most) {
    var scanner = new ReplyScanner();
    int at = firstElement(array);
    List<ByteBuf> elements = new ArrayList<>();
    while (at < array.writerIndex() && elements.size() < most) {
      int end = scanner.scan(array, at, array.writerIndex());
      elements.add(array.slice(at, end - at));
      at = end;
    }
    return elements;
  }

  private static int firstElement(ByteBuf array) {
    return array.indexOf(array.readerIndex(), array.writerIndex(), (byte) '\n') + 1;
  }

  /**
   * Returns the element behind the first ones, without scanning it: it may be large.
   *
   * @param integerFollows whether an integer, the last element, is behind it; else it is the last
   */
  public static ByteBuf behind(ByteBuf array, List<ByteBuf> first, boolean integerFollows) {
    int from = firstElement(array);
    for (ByteBuf element : first) {
      from += element.readableBytes();
    }
    int to = array.writerIndex();
    if (integerFollows) {
      do {
        to--;
      } while (array.getByte(to) != ':');
    }
    return array.slice(from, to - from);
  }
}
