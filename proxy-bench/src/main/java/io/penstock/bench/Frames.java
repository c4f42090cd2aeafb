package io.penstock.bench;

import io.netty.buffer.ByteBuf;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.resp.RequestScanner;
import io.penstock.core.resp.RespLimits;
import io.penstock.core.resp.ScanResult;
import io.penstock.testkit.wire.Wire;

/** Requests as the proxy has scanned them, in direct memory of its own allocator. */
public final class Frames {

  /** The limits of a proxy without settings of its own. */
  public static final RespLimits LIMITS = RespLimits.ofMaxBulkLength(512 * 1024 * 1024);

  private Frames() {}

  /** A command name and ten keys as {@code redis-benchmark} makes them. */
  public static String[] tenKeys(String command, int step) {
    String[] arguments = new String[1 + 10 * step];
    arguments[0] = command;
    for (int i = 0; i < 10 * step; i++) {
      arguments[1 + i] = i % step == 0 ? "key:%012d".formatted(i) : "VXK";
    }
    return arguments;
  }

  /** Returns the frame of one request in a buffer of its own. */
  public static RequestFrame of(String... arguments) {
    ByteBuf buffer = Wire.buffer(Wire.request(arguments));
    RequestScanner scanner = new RequestScanner(LIMITS);
    scanner.reset(0);
    if (scanner.scan(buffer, buffer.writerIndex()) != ScanResult.REQUEST) {
      throw new IllegalArgumentException("no request: " + String.join(" ", arguments));
    }
    return scanner.frame();
  }
}
