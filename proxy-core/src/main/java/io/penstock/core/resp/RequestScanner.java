package io.penstock.core.resp;

import io.netty.buffer.ByteBuf;

/**
 * Finds the bounds of each request in a client's bytes, and of each argument in it.
 *
 * <p>Resumable: after {@link ScanResult#INCOMPLETE} the next call continues where the bytes ended,
 * so a value that arrives in a thousand pieces is examined once. Between calls the bytes may move
 * to another buffer if {@link #rebase} is called. The rules and error texts are those of {@code
 * processMultibulkBuffer} and {@code processInlineBuffer} (networking.c) of Redis. Confined to one
 * event loop; never keeps or releases a buffer.
 */
public final class RequestScanner {

  /** Before authentication Redis accepts no more than this number of arguments … */
  private static final int UNAUTHENTICATED_ARGUMENTS = 10;

  /** … and no argument longer than this. */
  private static final int UNAUTHENTICATED_BULK = 16_384;

  private static final int NO_LENGTH = -1;
  private static final int NO_END = -1;

  private RespLimits limits;
  private final RequestFrame frame = new RequestFrame();
  private boolean authenticated = true;

  private int next; // where scanning continues
  private int argumentsLeft; // of the current array request; 0 between requests
  private int bulkLength = NO_LENGTH; // of the argument whose bytes have not arrived
  private int lineEnd; // set by findLineEnd
  private long number; // set by parseNumber
  private String error = "";

  public RequestScanner(RespLimits limits) {
    this.limits = limits;
  }

  /** The request of the last {@link ScanResult#REQUEST}; valid until the next scan. */
  public RequestFrame frame() {
    return frame;
  }

  /** Index of the first byte that no request found so far has used. */
  public int consumed() {
    return next;
  }

  /** Index of the first byte still needed: of the current request, or of the next one. */
  public int start() {
    return argumentsLeft > 0 ? frame.start() : next;
  }

  /**
   * The error text of Redis for the last {@link ScanResult#PROTOCOL_ERROR}, without {@code "ERR
   * Protocol error: "}.
   */
  public String error() {
    return error;
  }

  /** Replaces the limits, for lengths that are read from now on. */
  public void limits(RespLimits next) {
    limits = next;
  }

  /** Sets whether the client has authenticated; before that the smaller limits of Redis apply. */
  public void authenticated(boolean value) {
    authenticated = value;
  }

  /** Bytes that the current argument lacks beyond {@code to}, CRLF included; 0 if not known. */
  public int missing(int to) {
    return bulkLength == NO_LENGTH ? 0 : Math.max(0, next + bulkLength + 2 - to);
  }

  /** Continues at {@code from} in a new buffer, between two requests. */
  public void reset(int from) {
    next = from;
    argumentsLeft = 0;
    bulkLength = NO_LENGTH;
  }

  /** As {@link #rebase}, while the last frame is still in use. */
  public void rebaseFrame(ByteBuf buffer, int shift) {
    next += shift;
    frame.rebase(buffer, shift);
  }

  /** The bytes are now in {@code buffer}, {@code shift} bytes further on (or back, if negative). */
  public void rebase(ByteBuf buffer, int shift) {
    next += shift;
    if (argumentsLeft > 0) {
      frame.rebase(buffer, shift);
    }
  }

  /**
   * Scans for the next request in {@code buffer} before index {@code to}.
   *
   * @param buffer borrowed; the frame refers to it until the next scan (the frame of an inline
   *     request refers to a new heap buffer instead)
   */
  public ScanResult scan(ByteBuf buffer, int to) {
    if (argumentsLeft == 0) {
      if (next >= to) {
        return ScanResult.INCOMPLETE;
      }
      if (buffer.getByte(next) != '*') {
        return scanInline(buffer, to);
      }
      ScanResult header = scanArrayHeader(buffer, to);
      if (header != ScanResult.REQUEST) {
        return header;
      }
    }
    return scanArguments(buffer, to);
  }

  private ScanResult scanArrayHeader(ByteBuf buffer, int to) {
    int at = next;
    if (!findLineEnd(buffer, at, to)) {
      return lineWithoutEnd(to - at, "too big mbulk count string");
    }
    if (!parseNumber(buffer, at + 1, lineEnd) || number > Integer.MAX_VALUE) {
      return fail("invalid multibulk length");
    }
    if (!authenticated && number > UNAUTHENTICATED_ARGUMENTS) {
      return fail("unauthenticated multibulk length");
    }
    if (number > limits.maxArguments()) {
      return fail("invalid multibulk length");
    }
    next = lineEnd + 2;
    if (number <= 0) {
      return ScanResult.NOTHING;
    }
    argumentsLeft = (int) number;
    frame.begin(buffer, at);
    return ScanResult.REQUEST;
  }

  private ScanResult scanArguments(ByteBuf buffer, int to) {
    while (argumentsLeft > 0) {
      if (bulkLength == NO_LENGTH) {
        ScanResult header = scanBulkHeader(buffer, to);
        if (header != ScanResult.REQUEST) {
          return header;
        }
      }
      if (to - next < bulkLength + 2) {
        return ScanResult.INCOMPLETE;
      }
      frame.add(next, bulkLength);
      next += bulkLength + 2;
      bulkLength = NO_LENGTH;
      argumentsLeft--;
    }
    frame.finish(next);
    return ScanResult.REQUEST;
  }

  private ScanResult scanBulkHeader(ByteBuf buffer, int to) {
    int at = next;
    // The form of nearly every argument, "$n\r\n" or "$nn\r\n", without a search.
    if (to - at >= 5 && buffer.getByte(at) == '$') {
      int first = buffer.getByte(at + 1) - '0';
      if (first > 0 && first <= 9) {
        int second = buffer.getByte(at + 2);
        if (second == '\r') {
          bulkLength = first;
          next = at + 4;
          return checkedBulk();
        }
        second -= '0';
        if (second >= 0 && second <= 9 && buffer.getByte(at + 3) == '\r') {
          bulkLength = first * 10 + second;
          next = at + 5;
          return checkedBulk();
        }
      }
    }
    return scanLongBulkHeader(buffer, to);
  }

  private ScanResult scanLongBulkHeader(ByteBuf buffer, int to) {
    int at = next;
    if (!findLineEnd(buffer, at, to)) {
      return lineWithoutEnd(to - at, "too big bulk count string");
    }
    byte type = buffer.getByte(at);
    if (type != '$') {
      char got = type == '\r' || type == '\n' ? ' ' : (char) (type & 0xFF); // an error is one line
      return fail("expected '$', got '" + got + "'");
    }
    if (!parseNumber(buffer, at + 1, lineEnd) || number < 0 || number > limits.maxBulkLength()) {
      return fail("invalid bulk length");
    }
    if (!authenticated && number > UNAUTHENTICATED_BULK) {
      return fail("unauthenticated bulk length");
    }
    bulkLength = (int) number;
    next = lineEnd + 2;
    return checkedBulk();
  }

  private ScanResult checkedBulk() {
    if (bulkLength > limits.maxBulkLength()) {
      return fail("invalid bulk length");
    }
    boolean tooLong = (long) next - frame.start() + bulkLength > limits.maxRequestLength();
    return tooLong ? fail("too big request") : ScanResult.REQUEST;
  }

  private ScanResult scanInline(ByteBuf buffer, int to) {
    int at = next;
    int newline = buffer.indexOf(at, to, (byte) '\n');
    if (newline < 0 || buffer.indexOf(at, newline, (byte) 0) >= 0) {
      lineEnd = NO_END;
      return lineWithoutEnd(to - at, "too big inline request");
    }
    if (newline - at > limits.maxInlineLength()) {
      return fail("too big inline request");
    }
    int end = newline > at && buffer.getByte(newline - 1) == '\r' ? newline - 1 : newline;
    byte[] line = new byte[end - at];
    buffer.getBytes(at, line);
    next = newline + 1;
    var arguments = InlineArguments.split(line);
    if (arguments == null) {
      return fail("unbalanced quotes in request");
    }
    if (arguments.isEmpty()) {
      return ScanResult.NOTHING;
    }
    InlineArguments.encode(arguments, frame);
    return ScanResult.REQUEST;
  }

  /**
   * Redis ends a header line at the first CR and skips the next byte, whatever it is. It searches
   * for the end of a line as for a character of a C string: behind a zero byte it finds none, and
   * waits for more until the line is too long.
   */
  private boolean findLineEnd(ByteBuf buffer, int from, int to) {
    for (int i = from, last = Math.min(to, from + limits.maxInlineLength() + 1); i < last; i++) {
      byte b = buffer.getByte(i);
      if (b == '\r') {
        lineEnd = i;
        return i + 1 < to;
      }
      if (b == 0) {
        break;
      }
    }
    lineEnd = NO_END;
    return false;
  }

  /** As string2ll of Redis: no sign but '-', no leading zero, no space. */
  private boolean parseNumber(ByteBuf buffer, int from, int to) {
    int i = from;
    boolean negative = i < to && buffer.getByte(i) == '-';
    if (negative) {
      i++;
    }
    int digits = to - i;
    if (digits < 1 || digits > 18 || (buffer.getByte(i) == '0' && (digits > 1 || negative))) {
      return false;
    }
    long value = 0;
    for (; i < to; i++) {
      int digit = buffer.getByte(i) - '0';
      if (digit < 0 || digit > 9) {
        return false;
      }
      value = value * 10 + digit;
    }
    number = negative ? -value : value;
    return true;
  }

  /** A line is not too long while only its very last byte is missing. */
  private ScanResult lineWithoutEnd(int length, String words) {
    return lineEnd == NO_END && length > limits.maxInlineLength()
        ? fail(words)
        : ScanResult.INCOMPLETE;
  }

  private ScanResult fail(String words) {
    error = words;
    return ScanResult.PROTOCOL_ERROR;
  }
}
