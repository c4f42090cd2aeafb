package io.penstock.core.backend;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.fuzz.LettuceReplies;
import io.penstock.core.fuzz.Oracle;
import io.penstock.core.fuzz.Pieces;
import io.penstock.core.resp.ReplyScanner;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * * Fuzzes the bytes that nodes send. The first byte selects the number of exchanges, the second
 * where the bytes are split.
 */
public final class ReplyTarget {

  private static final int CONTROL = 2;
  private static final int ROOM = 4 * 1024;

  /**
   * Bytes that no server writes, and for which Lettuce reads something, waits forever or finds
   * another end: an invalid or too large length, or a line without a proper end.
   */
  private static final Pattern KNOWN_DIFFERENCE =
      Pattern.compile("[$*~>=!](?!-1\r\n|\\d{1,9}\r\n)|[%|](?!\\d{1,9}\r\n)|(?<!\r)\n");

  private static final LettuceReplies LETTUCE = new LettuceReplies();

  private ReplyTarget() {}

  public static void fuzzerTestOneInput(byte[] data) {
    if (data.length < CONTROL) {
      return;
    }
    byte[] wire = new byte[data.length - CONTROL];
    System.arraycopy(data, CONTROL, wire, 0, wire.length);
    List<Integer> ends = new ArrayList<>();
    int last = ends(wire, ends);
    Oracle.requireSame("in pieces they end elsewhere", ends, endsInPieces(data, last));
    stream(data, wire, ends, last);
    compareWithLettuce(wire, ends, last);
  }

  /**
   * Adds the end of each reply to {@code into}. Returns the scanner's result after the last one.
   */
  private static int ends(byte[] wire, List<Integer> into) {
    ByteBuf buffer = Unpooled.wrappedBuffer(wire);
    var scanner = new ReplyScanner();
    int at = 0;
    while (true) {
      int end = scanner.scan(buffer, at, wire.length);
      if (end < 0) {
        return end;
      }
      Oracle.require(end > at && end <= wire.length, "a reply ends where it cannot");
      into.add(end);
      at = end;
    }
  }

  private static List<Integer> endsInPieces(byte[] data, int last) {
    var pieces = new Pieces(data, CONTROL, data[1]);
    var scanner = new ReplyScanner();
    List<Integer> ends = new ArrayList<>();
    int before = 0;
    while (pieces.hasNext()) {
      ByteBuf piece = pieces.next();
      int length = piece.readableBytes();
      for (int at = 0; at < length; ) {
        int end = scanner.scan(piece, at, length);
        if (end == ReplyScanner.MALFORMED) {
          piece.release();
          Oracle.requireSame("in pieces it is malformed", last, end);
          return ends;
        }
        if (end == ReplyScanner.INCOMPLETE) {
          break;
        }
        ends.add(before + end);
        at = end;
      }
      before += length;
      piece.release();
    }
    Oracle.requireSame("in pieces it is not malformed", ReplyScanner.INCOMPLETE, last);
    return ends;
  }

  /** Requires that each exchange gets its whole reply, and the last one fails. */
  private static void stream(byte[] data, byte[] wire, List<Integer> ends, int last) {
    long memory = Pieces.memory();
    var pieces = new Pieces(data, CONTROL, data[1]);
    String text = text(wire, 0);
    List<String> expected = new ArrayList<>();
    int pushes = split(text, ends, expected);
    var pushed = new int[1];
    var stream =
        new ReplyStream(
            (_, _, _, _) -> {
              pushed[0]++;
              return false;
            },
            new NodeCounters());
    List<Waiting> waiting = new ArrayList<>();
    for (int i = 0; i < expected.size() + 1; i++) {
      waiting.add(new Waiting());
      stream.onSent(waiting.getLast());
    }
    String problem = null;
    while (problem == null && pieces.hasNext()) {
      problem = stream.onBytes(pieces.next());
      Oracle.require(
          Pieces.memory() - memory <= 4L * wire.length + ROOM, "too much memory is used");
    }
    stream.close();
    Oracle.requireSame("memory is leaked", memory, Pieces.memory());
    Oracle.requireSame("reported as malformed", problem != null, last == ReplyScanner.MALFORMED);
    Oracle.requireSame("pushes", pushes, pushed[0]);
    for (int i = 0; i < expected.size(); i++) {
      Oracle.requireSame("reply " + i, expected.get(i), waiting.get(i).text.toString());
      Oracle.require(waiting.get(i).ended && !waiting.get(i).failed, "a reply has no end");
    }
    Oracle.require(waiting.getLast().failed, "the last exchange has no end");
  }

  /** Adds the replies without the pushes to {@code replies}. Returns the number of pushes. */
  private static int split(String text, List<Integer> ends, List<String> replies) {
    int from = 0;
    int pushes = 0;
    for (int end : ends) {
      if (text.charAt(from) == '>') {
        pushes++;
      } else {
        replies.add(text.substring(from, end));
      }
      from = end;
    }
    return pushes;
  }

  /**
   * Requires that Lettuce finds the same ends. Lettuce rejects some replies for their content, and
   * accepts some bytes that are not RESP.
   */
  private static void compareWithLettuce(byte[] wire, List<Integer> ends, int last) {
    ByteBuf rest = Unpooled.wrappedBuffer(wire);
    for (int end : ends) {
      int from = rest.readerIndex();
      LettuceReplies.Outcome outcome = LETTUCE.decode(rest).outcome();
      if (outcome == LettuceReplies.Outcome.REFUSED) {
        return;
      }
      if (outcome == LettuceReplies.Outcome.INCOMPLETE || rest.readerIndex() != end) {
        requireKnownDifference(wire, from, "Lettuce finds the end of a reply elsewhere");
        return;
      }
    }
    int from = rest.readerIndex();
    if (last == ReplyScanner.INCOMPLETE
        && LETTUCE.decode(rest).outcome() == LettuceReplies.Outcome.WHOLE) {
      requireKnownDifference(wire, from, "Lettuce reads one more");
    }
  }

  private static void requireKnownDifference(byte[] wire, int from, String what) {
    Oracle.require(KNOWN_DIFFERENCE.matcher(text(wire, from)).find(), what);
  }

  private static String text(byte[] wire, int from) {
    return new String(wire, from, wire.length - from, StandardCharsets.ISO_8859_1);
  }

  /** An exchange that collects its reply. */
  private static final class Waiting extends Exchange {

    private final StringBuilder text = new StringBuilder();
    private boolean ended;
    private boolean failed;

    Waiting() {
      sendOptions(protocol(), 0, Long.MAX_VALUE);
    }

    @Override
    public void onReply(ByteBuf buffer, int from, int to) {
      onReplyPart(buffer, from, to, true);
    }

    @Override
    public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
      Oracle.require(!ended, "there are bytes after the end");
      text.append(buffer.toString(from, to - from, StandardCharsets.ISO_8859_1));
      ended = last;
    }

    @Override
    public void onFailure(Failure failure) {
      Oracle.require(!ended, "it fails after the end");
      ended = true;
      failed = true;
    }
  }
}
