package io.penstock.core.prefix;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.reply.ReplyRewriter;
import io.penstock.core.resp.Header;
import io.penstock.core.resp.ReplyScanner;
import java.util.Arrays;

/**
 * Takes the prefix off the keys of one reply, RESP2 or RESP3. What has no keys passes as it comes;
 * held back are at most the header of a key, and an error until its end. Confined to the client's
 * loop.
 */
final class KeyStripper implements ReplyRewriter {

  /** Most levels of a reply that matter: EXEC, and three of XREAD. */
  private static final int MAX_DEPTH = 8;

  private static final int LONGEST_HEADER = 32;

  /** What the bytes that come next belong to. */
  private enum State {
    /** The first byte of a value. */
    VALUE,
    /** The header of a key or an array. */
    HEADER,
    /** The begin of a key, which is compared with the prefix. */
    PREFIX,
    /** The rest of a key. */
    REST,
    /** A value that matters no further. */
    SKIPPED,
    /** An error. */
    ERROR,
    /** Nothing: the reply has ended. */
    DONE
  }

  private final byte[] prefix;
  private final Place root;
  private final Place[] replies; // of EXEC
  private final ReplyScanner scanner = new ReplyScanner();
  private final ByteBuf header = Unpooled.buffer(LONGEST_HEADER, LONGEST_HEADER);
  private final Frame[] frames = new Frame[MAX_DEPTH];
  private final ErrorKeys error;
  private State state = State.VALUE;
  private Place place; // of the value that is read
  private int depth;
  private long number; // of the header
  private long rest; // bytes of the key that were not seen
  private int compared; // bytes of the prefix
  private int passed; // index in the piece up to which everything was written or dropped

  /** A value with elements, some of which have not ended. */
  private static final class Frame {
    private Place place = Place.OTHER;
    private boolean map;
    private long index;
    private long count;
  }

  /** For the reply to one request. */
  KeyStripper(byte[] prefix, Place root) {
    this(prefix, root, new Place[0]);
  }

  /** For the reply to {@code EXEC}. */
  KeyStripper(byte[] prefix, Place[] replies) {
    this(prefix, Place.REPLIES, replies);
  }

  private KeyStripper(byte[] prefix, Place root, Place[] replies) {
    this.prefix = prefix;
    this.root = root;
    this.replies = replies;
    this.place = root;
    this.error = new ErrorKeys(prefix);
  }

  @Override
  public void reset() {
    state = State.VALUE;
    place = root;
    depth = 0;
    scanner.reset();
    header.clear();
    error.clear();
  }

  @Override
  public void rewrite(ByteBuf buffer, int from, int to, Output out) {
    passed = from;
    int at = from;
    while (at < to) {
      at =
          switch (state) {
            case VALUE -> begin(buffer, at, out);
            case HEADER -> readHeader(buffer, at, to, out);
            case PREFIX -> compare(buffer, at, to, out);
            case REST -> passRest(at, to);
            case SKIPPED -> skip(buffer, at, to);
            case ERROR -> readError(buffer, at, to, out);
            case DONE -> to;
          };
    }
    if (state == State.HEADER || state == State.PREFIX || state == State.ERROR) {
      passed = to; // it is held back, or compared
    }
    pass(buffer, to, out);
  }

  @Override
  public void end(Output out) {
    append(header, out);
    error.writeTo(out);
  }

  /** Writes what has come since, unless it is dropped. */
  private void pass(ByteBuf buffer, int to, Output out) {
    if (passed < to && !(state == State.SKIPPED && place == Place.DROPPED)) {
      out.append(buffer, passed, to);
    }
    passed = to;
  }

  private static void append(ByteBuf whole, Output out) {
    if (whole.isReadable()) {
      out.append(whole, whole.readerIndex(), whole.writerIndex());
      whole.clear();
    }
  }

  /** Decides by the first byte of a value how it is read. */
  private int begin(ByteBuf buffer, int at, Output out) {
    byte type = buffer.getByte(at);
    if (type == '-' && place != Place.OTHER && place != Place.REPLY_AS_IT_IS) {
      pass(buffer, at, out);
      state = State.ERROR;
    } else if (place.hasElements() ? isAggregate(type) : type == '$' && place == Place.KEY) {
      pass(buffer, at, out);
      number = 0;
      state = State.HEADER;
    } else {
      if (place == Place.DROPPED) {
        pass(buffer, at, out);
      }
      state = State.SKIPPED;
    }
    return at;
  }

  private static boolean isAggregate(byte type) {
    return type == '*' || type == '~' || type == '%' || type == '>';
  }

  private int skip(ByteBuf buffer, int at, int to) {
    int end = scanner.scan(buffer, at, to);
    if (end < 0) {
      return to; // it goes on; what is no RESP is passed to its end
    }
    if (place == Place.DROPPED) {
      passed = end;
    }
    valueEnded();
    return end;
  }

  /** Reads a header up to its end; it is held back until then. */
  private int readHeader(ByteBuf buffer, int from, int to, Output out) {
    for (int at = from; at < to; at++) {
      byte b = buffer.getByte(at);
      header.writeByte(b);
      if (b >= '0' && b <= '9') {
        number = number * 10 + (b - '0');
      }
      if (b == '\n') {
        passed = at + 1;
        onHeader(out);
        return at + 1;
      }
    }
    return to;
  }

  private void onHeader(Output out) {
    boolean isNull = header.getByte(1) == '-';
    if (place == Place.KEY) {
      if (isNull) {
        append(header, out);
        valueEnded();
      } else {
        onKey(out);
      }
      return;
    }
    if (place == Place.COUNTED && !isNull) {
      header.clear();
      Header.write(header, ':', number);
    }
    boolean map = header.getByte(0) == '%';
    append(header, out);
    long count = isNull ? 0 : map ? 2 * number : number;
    if (count == 0) {
      valueEnded();
    } else {
      open(map, place == Place.REPLIES ? Math.max(count, replies.length) : count);
    }
  }

  private void open(boolean map, long count) {
    Frame frame = frames[depth];
    if (frame == null) {
      frame = new Frame();
      frames[depth] = frame;
    }
    depth++;
    frame.place = place;
    frame.map = map;
    frame.index = 0;
    frame.count = count;
    nextElement(frame);
  }

  private void nextElement(Frame frame) {
    if (frame.place == Place.REPLIES) {
      place = frame.index < replies.length ? replies[(int) frame.index] : Place.REPLY_AS_IT_IS;
    } else {
      place = frame.place.element(frame.index, frame.map);
    }
    state = State.VALUE;
  }

  private void valueEnded() {
    while (depth > 0) {
      Frame frame = frames[depth - 1];
      frame.index++;
      if (frame.index < frame.count) {
        nextElement(frame);
        return;
      }
      depth--;
    }
    state = State.DONE;
  }

  private void onKey(Output out) {
    rest = number + 2; // with the line end
    compared = 0;
    if (number < prefix.length) {
      append(header, out);
      state = State.REST;
    } else {
      state = State.PREFIX;
    }
  }

  private int compare(ByteBuf buffer, int from, int to, Output out) {
    int at = from;
    while (at < to && compared < prefix.length && buffer.getByte(at) == prefix[compared]) {
      at++;
      compared++;
    }
    rest -= at - from;
    passed = at;
    if (compared == prefix.length) {
      header.clear();
      Header.write(header, '$', number - prefix.length);
      append(header, out);
      state = State.REST;
    } else if (at < to) { // another key after all
      append(header, out);
      out.append(Unpooled.wrappedBuffer(prefix), 0, compared);
      state = State.REST;
    }
    return at;
  }

  private int passRest(int at, int to) {
    int length = (int) Math.min(rest, to - at);
    rest -= length;
    if (rest == 0) {
      valueEnded();
    }
    return at + length;
  }

  private int readError(ByteBuf buffer, int from, int to, Output out) {
    int newline = buffer.indexOf(from, to, (byte) '\n');
    int end = newline < 0 ? to : newline + 1;
    boolean ended = error.add(buffer, from, end) && newline >= 0;
    passed = end;
    if (ended) {
      error.writeTo(out);
      valueEnded();
    }
    return end;
  }

  @Override
  public String toString() {
    return "KeyStripper[" + root + Arrays.toString(replies) + "]";
  }
}
