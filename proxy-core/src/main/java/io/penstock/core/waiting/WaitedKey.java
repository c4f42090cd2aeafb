package io.penstock.core.waiting;

import io.netty.buffer.ByteBuf;
import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.reply.ReplyStrings;
import io.penstock.core.resp.WireRequest;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * A key that calls wait for; calls with equal ones wait in one queue. Characters are bytes.
 *
 * @param connections with the database of the key
 * @param detail of a stream, the id that entries must exceed; of a group, its name; else empty
 */
public record WaitedKey(
    Kind kind, ConnectionKey connections, int partition, String key, String detail) {

  /** What is waited for. */
  public enum Kind {
    /** Elements of a list: each call takes some. */
    LIST("LLEN"),
    /** Members of a sorted set: each call takes some. */
    SORTED_SET("ZCARD"),
    /** An entry of a stream, which all calls may read. */
    STREAM("XREAD"),
    /** An entry that no consumer of a group has got: each call takes some. */
    GROUP("XREAD"),
    /** The end of a group or of its stream, which concerns all calls. */
    END_OF_GROUP("XPENDING");

    private final String command;

    Kind(String command) {
      this.command = command;
    }

    /** Returns the name of the command that asks for it, in lower case. */
    String command() {
      return command.toLowerCase(Locale.ROOT);
    }

    /** Returns whether all calls that wait are woken at once. */
    boolean isShared() {
      return this == STREAM || this == END_OF_GROUP;
    }
  }

  /**
   * Returns the request that asks for it: cheap for the node, and it changes nothing.
   *
   * @param position of a group, the id that new entries will exceed; else not used
   */
  byte[] question(String position) {
    return switch (kind) {
      case LIST, SORTED_SET -> WireRequest.of(kind.command, key);
      case STREAM -> entriesBehind(detail);
      case GROUP -> entriesBehind(position);
      case END_OF_GROUP -> WireRequest.of(kind.command, key, detail, "-", "+", "1");
    };
  }

  private byte[] entriesBehind(String id) {
    return WireRequest.of(kind.command, "COUNT", "1", "STREAMS", key, id);
  }

  /**
   * Returns how many calls may find what they wait for, by the reply to the question.
   *
   * @param reply its beginning; no retryable error
   */
  int ready(ByteBuf reply, int from, int to) {
    boolean error = reply.getByte(from) == '-';
    return switch (kind) {
      case LIST, SORTED_SET -> error ? 0 : integer(reply, from, to);
      case STREAM, GROUP -> error || ReplyStrings.isNil(reply, from) ? 0 : Integer.MAX_VALUE;
      case END_OF_GROUP -> isEnd(reply, from, to) ? Integer.MAX_VALUE : 0;
    };
  }

  private static boolean isEnd(ByteBuf reply, int from, int to) {
    return ReplyStrings.startsWith(reply, from, to, "-NOGROUP")
        || ReplyStrings.startsWith(reply, from, to, "-WRONGTYPE");
  }

  /** Returns the number of an integer reply, or the greatest int if that is less. */
  static int integer(ByteBuf reply, int from, int to) {
    String digits = reply.toString(from + 1, to - from - 3, StandardCharsets.US_ASCII);
    return (int) Math.min(Integer.MAX_VALUE, Long.parseLong(digits));
  }
}
