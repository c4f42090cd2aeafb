package io.penstock.core.crossslot;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.ReplyWriter;
import io.penstock.core.resp.RequestFrame;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * An {@code MSETNX}, or an {@code MSETEX} with {@code NX} or {@code XX}: it sets all of its keys,
 * or none.
 *
 * @param name of the command
 * @param firstKey argument index
 * @param keys how many there are
 * @param ifExist whether it sets them if all exist; otherwise if none does
 * @param options what follows the keys and values
 */
record ConditionalSet(
    RequestFrame frame,
    String name,
    int firstKey,
    int keys,
    boolean ifExist,
    List<String> options) {

  private static final byte[] SYNTAX = ErrorReplies.encode("ERR syntax error");
  private static final byte[] NOT_AN_INTEGER =
      ErrorReplies.encode("ERR value is not an integer or out of range");
  private static final byte[] INVALID_EXPIRY =
      ErrorReplies.encode("ERR invalid expire time in 'msetex' command");
  private static final byte[] WRONG_ARITY =
      ErrorReplies.encode("ERR wrong number of arguments for 'msetnx' command");
  private static final byte[] UNCONDITIONAL =
      ErrorReplies.encode("CROSSSLOT Keys in request don't hash to the same slot");

  private static final List<String> CONDITIONS = List.of("NX", "XX");
  private static final List<String> EXPIRIES = List.of("EX", "PX", "EXAT", "PXAT");

  /** Either a request, or the error that a server answers it with. */
  record Parsed(@Nullable ConditionalSet set, byte[] error) {}

  private static Parsed wrong(byte[] error) {
    return new Parsed(null, error);
  }

  /**
   * Reads a request.
   *
   * @param name of the command
   * @param firstKey argument index; behind the number of keys, if the command has that
   */
  static Parsed parse(RequestFrame frame, String name, int firstKey) {
    if (firstKey > 1) {
      return parseOptions(frame, name, firstKey, Integer.parseInt(frame.text(firstKey - 1)));
    }
    return frame.argc() % 2 == 0
        ? wrong(WRONG_ARITY)
        : new Parsed(
            new ConditionalSet(frame, name, firstKey, (frame.argc() - 1) / 2, false, List.of()),
            SYNTAX);
  }

  /** As servers, which look at the number when all options are read. */
  private static Parsed parseOptions(RequestFrame frame, String name, int firstKey, int keys) {
    List<String> options = new ArrayList<>();
    String condition = null;
    String expiry = null;
    byte[] wrongNumber = null;
    for (int i = firstKey + 2 * keys; i < frame.argc(); i++) {
      String option = frame.text(i).toUpperCase(Locale.ROOT);
      options.add(frame.text(i));
      if (CONDITIONS.contains(option) && (condition == null || condition.equals(option))) {
        condition = option;
        continue;
      }
      boolean hasNumber = EXPIRIES.contains(option) && i + 1 < frame.argc();
      if (expiry != null || !(hasNumber || option.equals("KEEPTTL"))) {
        return wrong(SYNTAX);
      }
      expiry = option;
      if (hasNumber) {
        i++;
        options.add(frame.text(i));
        wrongNumber = errorIn(frame.text(i));
      }
    }
    if (wrongNumber != null) {
      return wrong(wrongNumber);
    }
    return condition == null
        ? wrong(UNCONDITIONAL)
        : new Parsed(
            new ConditionalSet(frame, name, firstKey, keys, condition.equals("XX"), options),
            SYNTAX);
  }

  private static byte @Nullable [] errorIn(String number) {
    try {
      return Long.parseLong(number) <= 0 ? INVALID_EXPIRY : null;
    } catch (NumberFormatException e) {
      return NOT_AN_INTEGER;
    }
  }

  /** Returns key {@code i}, counted from 0; its characters are bytes. */
  String key(int i) {
    return frame.text(firstKey + 2 * i);
  }

  /** Returns the value of key {@code i}, counted from 0; a view. */
  ByteBuf value(int i) {
    return frame.argument(firstKey + 2 * i + 1);
  }

  /** Returns the same request for some of the keys, given by their numbers. */
  ByteBuf of(List<Integer> some) {
    ByteBuf request = Unpooled.buffer();
    var writer = new ReplyWriter(request, Protocol.RESP2);
    boolean hasCount = firstKey > 1;
    writer.array(1 + (hasCount ? 1 : 0) + 2 * some.size() + options.size());
    writer.bulk(name);
    if (hasCount) {
      writer.bulk(Integer.toString(some.size()));
    }
    for (int i : some) {
      writer.bulk(key(i));
      ByteBuf value = value(i);
      writer.bulk(value, value.readerIndex(), value.readableBytes());
    }
    options.forEach(writer::bulk);
    return request;
  }
}
