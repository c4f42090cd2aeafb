package io.penstock.core.resp;

import io.netty.buffer.ByteBuf;

/**
 * Finds the end of a node's reply, RESP2 or RESP3, without interpreting its content.
 *
 * <p>Resumable at every byte: a byte is examined once, however the reply is cut. Nesting needs no
 * stack, since an array of n elements is n more replies to wait for. One scanner per backend
 * connection, confined to its event loop; never keeps a buffer.
 */
public final class ReplyScanner {

  /** Returned by {@link #scan}: the reply continues beyond the available bytes. */
  public static final int INCOMPLETE = -1;

  /** Returned by {@link #scan}: the bytes are not RESP. */
  public static final int MALFORMED = -2;

  /**
   * Longest line in bytes. A script can return an error of any length, and code that reads an error
   * waits for its end.
   */
  static final int LONGEST_LINE = 32 * 1024 * 1024;

  private static final int MAX_DIGITS = 18;
  private static final long MAX_PENDING = Long.MAX_VALUE / 4;

  private long pending; // values not yet complete; 0 between replies
  private long skip; // payload bytes not yet skipped, CRLF included
  private byte type; // of the header being read; 0 between headers
  private boolean afterReturn; // the last byte examined was a CR
  private int lineLength; // so far
  private long number;
  private int digits;
  private boolean negative;

  /** Whether a reply has begun and not ended. */
  public boolean isInsideReply() {
    return pending != 0;
  }

  /** Discards the state of an incomplete reply. */
  public void reset() {
    pending = 0;
    skip = 0;
    type = 0;
  }

  /**
   * Continues with the incomplete reply, or begins one, at {@code from}.
   *
   * @param buffer borrowed
   * @return index just past the reply; {@link #INCOMPLETE} if all bytes before {@code to} belong to
   *     it and more must follow; or {@link #MALFORMED}
   */
  public int scan(ByteBuf buffer, int from, int to) {
    int at = from;
    if (pending == 0) {
      int end = scanCommon(buffer, from, to);
      if (end >= 0) {
        return end;
      }
      pending = 1;
    }
    while (true) {
      if (skip > 0) {
        int available = (int) Math.min(skip, to - at);
        at += available;
        skip -= available;
        if (skip > 0) {
          return INCOMPLETE;
        }
        pending--;
      }
      if (pending > 0 && type == 0) {
        at = scanElements(buffer, at, to);
      }
      if (pending == 0) {
        return at;
      }
      int line = scanHeader(buffer, at, to);
      if (line < 0) {
        return line;
      }
      at = line;
      if (!applyHeader()) {
        return MALFORMED;
      }
    }
  }

  /** Skips values of common types, as long as they are complete in the buffer. */
  private int scanElements(ByteBuf buffer, int from, int to) {
    int at = from;
    int lengthBefore = 0;
    while (pending > 0) {
      int end = scanCommon(buffer, at, to);
      if (end < 0) {
        break;
      }
      pending--;
      int length = end - at;
      if (length == lengthBefore && buffer.getByte(at) == '$' && to - at >= Long.BYTES) {
        end = skipSameHeader(buffer, at, end, to);
      }
      at = end;
      lengthBefore = length;
    }
    return at;
  }

  /**
   * Skips bulk strings that have the same header as the one from {@code first} to {@code end}, and
   * thus its length. The position of each does not depend on the one before it, so the processor
   * examines many in parallel.
   */
  private int skipSameHeader(ByteBuf buffer, int first, int end, int to) {
    int newline = buffer.indexOf(first, first + Long.BYTES, (byte) '\n');
    if (newline < 0) {
      return end; // a longer header
    }
    long head = buffer.getLongLE(first);
    int behind = first + Long.BYTES - (newline + 1);
    long header = -1L >>> (behind * Byte.SIZE); // mask of the header's bytes
    int length = end - first;
    int last = to - Math.max(length, Long.BYTES);
    int at = end;
    long left = pending;
    while (left > 0 && at <= last && ((buffer.getLongLE(at) ^ head) & header) == 0) {
      at += length;
      left--;
    }
    pending = left;
    return at;
  }

  /**
   * Scans the replies that make up nearly all traffic, if they are complete in the buffer: status,
   * integer, short bulk string.
   */
  private static int scanCommon(ByteBuf buffer, int from, int to) {
    if (to - from < 4) {
      return INCOMPLETE;
    }
    byte first = buffer.getByte(from);
    if (first == '$') {
      int length = 0;
      for (int i = from + 1, last = Math.min(to, from + 9); i < last; i++) {
        byte b = buffer.getByte(i);
        if (b == '\r') {
          int end = i + 2 + length + 2;
          return i > from + 1 && end <= to && buffer.getByte(i + 1) == '\n' ? end : INCOMPLETE;
        }
        if (b < '0' || b > '9') {
          return INCOMPLETE; // a null or something unusual, which scanHeader handles
        }
        length = length * 10 + (b - '0');
      }
    } else if (first == '+' || first == ':') {
      for (int i = from + 1, last = Math.min(to, from + 24); i < last; i++) {
        if (buffer.getByte(i) == '\n' && buffer.getByte(i - 1) == '\r') {
          return i + 1;
        }
      }
    }
    return INCOMPLETE;
  }

  /**
   * Reads one header line. Returns the index past its LF, {@link #INCOMPLETE} or {@link
   * #MALFORMED}.
   */
  private int scanHeader(ByteBuf buffer, int from, int to) {
    int at = from;
    if (type == 0) {
      if (at == to) {
        return INCOMPLETE;
      }
      type = buffer.getByte(at++);
      afterReturn = false;
      lineLength = 0;
      number = 0;
      digits = 0;
      negative = false;
    }
    if (isCounted(type)) {
      return scanCount(buffer, at, to);
    }
    if (type == '_' || type == '#') {
      return scanFixed(buffer, at, to);
    }
    return isLine(type) ? scanLine(buffer, at, to) : MALFORMED;
  }

  /** A null has no content and a boolean has one letter: client libraries accept nothing else. */
  private int scanFixed(ByteBuf buffer, int from, int to) {
    int end = type == '_' ? 1 : 2; // index in the line of the last byte
    for (int at = from; at < to; at++, lineLength++) {
      byte b = buffer.getByte(at);
      if (lineLength == end) {
        return b == '\n' ? at + 1 : MALFORMED;
      }
      if (lineLength == end - 1 ? b != '\r' : b != 't' && b != 'f') {
        return MALFORMED;
      }
    }
    return INCOMPLETE;
  }

  /** A line ends with CR LF: a line from a module may contain an LF. */
  private int scanLine(ByteBuf buffer, int from, int to) {
    for (int at = from; at < to; ) {
      int newline = buffer.indexOf(at, to, (byte) '\n');
      int last = newline < 0 ? to - 1 : newline;
      lineLength += last + 1 - at;
      if (lineLength > LONGEST_LINE) {
        return MALFORMED;
      }
      boolean returned = last > at ? buffer.getByte(last - 1) == '\r' : afterReturn;
      if (newline >= 0 && returned) {
        return newline + 1;
      }
      afterReturn = buffer.getByte(last) == '\r';
      at = last + 1;
    }
    return INCOMPLETE;
  }

  private int scanCount(ByteBuf buffer, int from, int to) {
    for (int at = from; at < to; at++) {
      byte b = buffer.getByte(at);
      if (afterReturn) {
        return b == '\n' ? at + 1 : MALFORMED;
      }
      if (b >= '0' && b <= '9') {
        number = number * 10 + (b - '0');
        if (++digits > MAX_DIGITS) {
          return MALFORMED;
        }
      } else if (b == '\r' && digits > 0) {
        afterReturn = true;
      } else if (b == '-' && digits == 0 && !negative) {
        negative = true;
      } else {
        return MALFORMED;
      }
    }
    return INCOMPLETE;
  }

  private static boolean isCounted(byte type) {
    return switch (type) {
      case '$', '*', '%', '~', '>', '=', '!', '|' -> true;
      default -> false;
    };
  }

  private static boolean isLine(byte type) {
    return switch (type) {
      case '+', '-', ':', ',', '(' -> true;
      default -> false;
    };
  }

  /** Applies the header just read. Returns false if no such header exists. */
  private boolean applyHeader() {
    byte header = type;
    type = 0;
    if (negative && number != 1) {
      return false; // -1 means null; no other negative number is valid
    }
    switch (header) {
      case '$', '=', '!' -> {
        if (negative) {
          pending--;
        } else {
          skip = number + 2;
        }
      }
      case '*', '~', '>' -> pending += negative ? -1 : number - 1;
      case '%' -> pending += 2 * number - 1;
      case '|' -> pending += 2 * number; // an attribute precedes the value that it describes
      default -> pending--;
    }
    boolean nullPair = negative && (header == '%' || header == '|');
    return pending <= MAX_PENDING && !nullPair;
  }
}
