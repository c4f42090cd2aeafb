package io.penstock.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.resp.RequestScanner;
import io.penstock.core.resp.RespLimits;
import io.penstock.core.resp.ScanResult;
import java.nio.charset.StandardCharsets;

/**
 * Messages as they lie in a proxy's buffers: direct memory of the allocator that the proxy uses.
 */
public final class Wire {

  /** The limits of a proxy without settings of its own. */
  public static final RespLimits LIMITS = RespLimits.ofMaxBulkLength(512 * 1024 * 1024);

  private Wire() {}

  /** One character a byte; the caller owns the buffer. */
  public static ByteBuf direct(String bytes) {
    byte[] copy = bytes.getBytes(StandardCharsets.ISO_8859_1);
    return ByteBufAllocator.DEFAULT.directBuffer(copy.length).writeBytes(copy);
  }

  /** A request of these arguments. */
  public static String request(String... arguments) {
    StringBuilder wire = new StringBuilder("*").append(arguments.length).append("\r\n");
    for (String argument : arguments) {
      wire.append(bulk(argument));
    }
    return wire.toString();
  }

  /** One bulk string. */
  public static String bulk(String value) {
    return "$" + value.length() + "\r\n" + value + "\r\n";
  }

  /** A name, and ten keys with so many arguments each as {@code redis-benchmark} makes them. */
  public static String[] tenKeys(String command, int step) {
    String[] arguments = new String[1 + 10 * step];
    arguments[0] = command;
    for (int i = 0; i < 10 * step; i++) {
      arguments[1 + i] = i % step == 0 ? "key:%012d".formatted(i) : "VXK";
    }
    return arguments;
  }

  /** A request's frame over a buffer of its own. */
  public static RequestFrame frame(String... arguments) {
    ByteBuf buffer = direct(request(arguments));
    RequestScanner scanner = new RequestScanner(LIMITS);
    scanner.reset(0);
    if (scanner.scan(buffer, buffer.writerIndex()) != ScanResult.REQUEST) {
      throw new IllegalArgumentException("no request: " + String.join(" ", arguments));
    }
    return scanner.frame();
  }
}
