package io.penstock.core.reply;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Reads small replies that Penstock uses itself. */
public final class ReplyStrings {

  private ReplyStrings() {}

  /** Returns whether the reply at {@code at} is a nil of either protocol. */
  public static boolean isNil(ByteBuf reply, int at) {
    byte type = reply.getByte(at);
    return type == '_' || ((type == '*' || type == '$') && reply.getByte(at + 1) == '-');
  }

  /** Returns whether the bytes from {@code from} to before {@code to} begin with {@code text}. */
  public static boolean startsWith(ByteBuf reply, int from, int to, String text) {
    return to - from >= text.length()
        && reply.toString(from, text.length(), StandardCharsets.ISO_8859_1).equals(text);
  }

  /**
   * Returns all strings and numbers in a reply, at any depth; characters are bytes. A null string
   * becomes an empty one.
   */
  public static List<String> of(ByteBuf reply) {
    return of(reply, "$=,:");
  }

  /**
   * Returns the same as {@link #of}, with status replies as well, and an empty string for RESP3's
   * null.
   */
  public static List<String> withStatuses(ByteBuf reply) {
    return of(reply, "$=,:+_");
  }

  private static List<String> of(ByteBuf reply, String types) {
    List<String> strings = new ArrayList<>();
    int at = reply.readerIndex();
    while (at < reply.writerIndex()) {
      int lineEnd = reply.indexOf(at, reply.writerIndex(), (byte) '\r');
      String line = reply.toString(at + 1, lineEnd - at - 1, StandardCharsets.ISO_8859_1);
      byte type = reply.getByte(at);
      at = lineEnd + 2;
      if (type == '$' || type == '=') {
        int length = Integer.parseInt(line);
        strings.add(reply.toString(at, Math.max(0, length), StandardCharsets.ISO_8859_1));
        at += length < 0 ? 0 : length + 2;
      } else if (types.indexOf(type) >= 0) {
        strings.add(line);
      }
    }
    return strings;
  }

  /**
   * Returns an argument up to its first NUL, as C's string functions read it, with which Redis
   * writes it.
   */
  public static String cString(String argument) {
    int nul = argument.indexOf('\0');
    return nul < 0 ? argument : argument.substring(0, nul);
  }
}
