package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.fuzz.LettuceReplies;
import io.penstock.core.fuzz.Oracle;
import io.penstock.core.fuzz.Pieces;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.resp.RequestScanner;
import io.penstock.core.resp.RespLimits;
import io.penstock.core.resp.ScanResult;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Bytes of a client. The first byte of the input chooses limits and options, the second one where
 * the rest is cut.
 */
public final class RequestTarget {

  private static final RespLimits REDIS = RespLimits.ofMaxBulkLength(512 * 1024 * 1024);
  private static final RespLimits SMALL = new RespLimits(64, 8, 40, 150);
  private static final int CONTROL = 2;
  private static final int ROOM = 130 * 1024; // two buffers for announced bytes

  private static final LettuceReplies LETTUCE = new LettuceReplies();

  private RequestTarget() {}

  public static void fuzzerTestOneInput(byte[] data) {
    if (data.length < CONTROL) {
      return;
    }
    boolean small = (data[0] & 1) != 0;
    boolean authenticated = (data[0] & 2) == 0;
    RespLimits limits = small ? SMALL : REDIS;
    byte[] wire = new byte[data.length - CONTROL];
    System.arraycopy(data, CONTROL, wire, 0, wire.length);

    List<String> whole = whole(wire, limits, authenticated);
    List<String> pieced = inPieces(data, limits, authenticated);
    Oracle.requireSame("in pieces other requests are found", whole, pieced);
    if (!small && authenticated) {
      compareWithLettuce(wire, whole);
    }
  }

  private static List<String> whole(byte[] wire, RespLimits limits, boolean authenticated) {
    ByteBuf buffer = Unpooled.wrappedBuffer(wire);
    var scanner = new RequestScanner(limits);
    scanner.authenticated(authenticated);
    List<String> found = new ArrayList<>();
    while (true) {
      int before = scanner.start();
      ScanResult result = scanner.scan(buffer, wire.length);
      if (!write(result, scanner, found)) {
        return found;
      }
      Oracle.require(scanner.consumed() > before, "nothing was consumed");
      Oracle.require(scanner.consumed() <= wire.length, "more was consumed than available");
      if (result == ScanResult.REQUEST) {
        requireSameRequest(scanner.frame());
      }
    }
  }

  /** As a session does, with bytes of earlier requests still in use, and with requests put back. */
  private static List<String> inPieces(byte[] data, RespLimits limits, boolean authenticated) {
    long memory = Pieces.memory();
    var pieces = new Pieces(data, CONTROL, data[1]);
    boolean keeping = (data[0] & 4) != 0;
    boolean puttingBack = (data[0] & 8) != 0;
    var input = new Input(limits);
    input.scanner().authenticated(authenticated);
    List<String> found = new ArrayList<>();
    List<SharedBuffer> kept = new ArrayList<>();
    boolean sound = true;
    while (sound && pieces.hasNext()) {
      input.add(pieces.next());
      for (ScanResult result = input.scan(); sound; result = sound ? input.scan() : result) {
        boolean back = puttingBack && result == ScanResult.REQUEST && pieces.random(3) == 0;
        if (back) {
          input.putBack();
          break; // and found again with the next piece
        }
        sound = write(result, input.scanner(), found);
        if (result == ScanResult.REQUEST && keeping && pieces.random(2) == 0) {
          kept.add(input.shareFrame());
        }
        if (result == ScanResult.INCOMPLETE) {
          sound = true;
          break;
        }
      }
      if (!keeping) {
        Oracle.require(
            Pieces.memory() - memory <= 4L * data.length + ROOM, "too much memory is used");
      }
    }
    if (input.isPutBack()) {
      finish(input, found);
    }
    input.close();
    kept.forEach(SharedBuffer::release);
    Oracle.requireSame("memory was not released", memory, Pieces.memory());
    return found;
  }

  private static void finish(Input input, List<String> found) {
    while (write(input.scan(), input.scanner(), found)) {
      // until no more is found
    }
  }

  /** Returns false if there is nothing more to find. */
  private static boolean write(ScanResult result, RequestScanner scanner, List<String> found) {
    return switch (result) {
      case REQUEST -> found.add(text(scanner.frame()));
      case NOTHING -> found.add("nothing");
      case INCOMPLETE -> false;
      case PROTOCOL_ERROR -> {
        found.add("error " + scanner.error());
        yield false;
      }
    };
  }

  private static String text(RequestFrame frame) {
    var text = new StringBuilder("request");
    for (int i = 0; i < frame.argc(); i++) {
      text.append(' ').append(frame.length(i)).append(':').append(argument(frame, i));
    }
    return text.toString();
  }

  private static String argument(RequestFrame frame, int i) {
    return frame.buffer().toString(frame.offset(i), frame.length(i), StandardCharsets.ISO_8859_1);
  }

  /** The bytes of a request, even an inline one, are sent to nodes and must be a request. */
  private static void requireSameRequest(RequestFrame frame) {
    var again = new RequestScanner(REDIS);
    again.reset(frame.start());
    Oracle.requireSame(
        "the bytes of a request are not a request",
        ScanResult.REQUEST,
        again.scan(frame.buffer(), frame.end()));
    Oracle.requireSame(
        "the bytes of a request are another request", text(frame), text(again.frame()));
    Oracle.requireSame("the request ends elsewhere", frame.end(), again.frame().end());
  }

  /** Compares with Lettuce as far as both read requests in the form that client libraries use. */
  private static void compareWithLettuce(byte[] wire, List<String> whole) {
    ByteBuf rest = Unpooled.wrappedBuffer(wire);
    String text = rest.toString(StandardCharsets.ISO_8859_1);
    var scanner = new RequestScanner(REDIS);
    for (String found : whole) {
      int from = rest.readerIndex();
      LettuceReplies.Decoded reference = LETTUCE.decode(rest);
      ScanResult result = scanner.scan(rest, wire.length);
      boolean ours =
          result == ScanResult.REQUEST && text.startsWith(canonical(scanner.frame()), from);
      String theirs = canonical(reference.tokens());
      boolean read = reference.outcome() == LettuceReplies.Outcome.WHOLE && theirs != null;
      if (!ours && !(read && text.startsWith(theirs, from))) {
        return;
      }
      Oracle.requireSame(found + " is read differently", canonical(scanner.frame()), theirs);
      Oracle.requireSame(found + " ends elsewhere", scanner.consumed(), rest.readerIndex());
    }
  }

  private static String canonical(RequestFrame frame) {
    var text = new StringBuilder("*" + frame.argc() + "\r\n");
    for (int i = 0; i < frame.argc(); i++) {
      text.append('$').append(frame.length(i)).append("\r\n");
      text.append(argument(frame, i)).append("\r\n");
    }
    return text.toString();
  }

  /** Returns null for anything but a non-empty array of strings. */
  private static @Nullable String canonical(List<String> tokens) {
    if (tokens.size() < 2 || !tokens.getFirst().equals("array " + (tokens.size() - 1))) {
      return null;
    }
    var text = new StringBuilder("*" + (tokens.size() - 1) + "\r\n");
    for (String token : tokens.subList(1, tokens.size())) {
      if (!token.startsWith("text ")) {
        return null;
      }
      String argument = token.substring("text ".length());
      text.append('$').append(argument.length()).append("\r\n").append(argument).append("\r\n");
    }
    return text.toString();
  }
}
