package io.penstock.core.resp;

import io.netty.buffer.ByteBuf;

/**
 * Finds where a node's reply ends, RESP2 or RESP3, without reading what is in it.
 *
 * <p>Resumable at every byte: what was looked at once is not looked at again, however the reply is
 * cut. Nesting needs no stack, since an array of n is n more replies to wait for. One scanner per
 * backend connection, confined to its event loop; never keeps a buffer.
 */
public final class ReplyScanner {

  /** Answer of {@link #scan}: the reply goes on beyond the bytes there are. */
  public static final int INCOMPLETE = -1;

  /** Answer of {@link #scan}: the bytes are not RESP. */
  public static final int MALFORMED = -2;

  /**
   * Longest line in bytes: a script may make an error of any length, and whoever reads an error
   * waits for its end.
   */
  static final int LONGEST_LINE = 32 * 1024 * 1024;

  private static final int MAX_DIGITS = 18;
  private static final long MAX_PENDING = Long.MAX_VALUE / 4;

  private long pending; // values still to be completed; 0 between replies
  private long skip; // payload bytes still to be passed over, CRLF included
  private byte type; // of the header being read; 0 between headers
  private boolean afterReturn; // the last byte looked at was a CR
  private int lineLength; // so far
  private long number;
  private int digits;
  private boolean negative;

  /** True while a reply has begun and not ended. */
  public boolean isInsideReply() {
    return pending != 0;
  }

  /** Forgets a reply in progress. */
  public void reset() {
    pending = 0;
    skip = 0;
    type = 0;
  }

  /**
   * Goes on with the reply in progress, or begins one, at {@code from}.
   *
   * @param buffer borrowed
   * @return index just past the reply, {@link #INCOMPLETE} when all bytes before {@code to} belong
   *     to it and more are to come, or {@link #MALFORMED}
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

  /**
   * Passes over the common ones among the values still to come, as long as they lie there whole.
   */
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
        end = passAlike(buffer, at, end, to);
      }
      at = end;
      lengthBefore = length;
    }
    return at;
  }

  /**
   * Passes over bulks with the same header as the one from {@code first} to {@code end}, which are
   * as long. Where each begins need not be found out from the one before it, so that the processor
   * looks at many at once.
   */
  private int passAlike(ByteBuf buffer, int first, int end, int to) {
    int newline = buffer.indexOf(first, first + Long.BYTES, (byte) '\n');
    if (newline < 0) {
      return end; // a header of more bytes
    }
    long head = buffer.getLongLE(first);
    int behind = first + Long.BYTES - (newline + 1);
    long header = -1L >>> (behind * Byte.SIZE); // a mask of its bytes
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
   * The replies that make up nearly all traffic, when they lie whole in the buffer: status,
   * integer, short bulk.
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
          return INCOMPLETE; // a null or something odd: the long way
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

  /** Reads one header line; answers the index past its LF, INCOMPLETE or MALFORMED. */
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

  /** A null says nothing and a boolean one letter: client libraries take nothing else. */
  private int scanFixed(ByteBuf buffer, int from, int to) {
    int end = type == '_' ? 1 : 2; // where in the line its last byte is
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

  /** A line ends with CR LF: what a module says may have an LF in it. */
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

  /** Counts what the header just read announces; false when there is no such thing. */
  private boolean applyHeader() {
    byte header = type;
    type = 0;
    if (negative && number != 1) {
      return false; // -1 stands for null, and nothing else below zero for anything
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
      case '|' -> pending += 2 * number; // an attribute comes before the value it describes
      default -> pending--;
    }
    boolean nullPair = negative && (header == '%' || header == '|');
    return pending <= MAX_PENDING && !nullPair;
  }
}
