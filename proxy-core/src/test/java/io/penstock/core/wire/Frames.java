package io.penstock.core.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.resp.RequestScanner;
import io.penstock.core.resp.RespLimits;
import io.penstock.core.resp.ScanResult;
import io.penstock.testkit.wire.Wire;

/** Requests as frames over heap buffers, which nobody needs to release. */
public final class Frames {

  private Frames() {}

  /** Words separated by single blanks. */
  public static RequestFrame call(String line) {
    return of(line.split(" ", -1));
  }

  public static RequestFrame of(String... arguments) {
    ByteBuf wire = Unpooled.wrappedBuffer(Wire.bytes(Wire.request(arguments)));
    var scanner = new RequestScanner(RespLimits.ofMaxBulkLength(1 << 20));
    if (scanner.scan(wire, wire.writerIndex()) != ScanResult.REQUEST) {
      throw new IllegalArgumentException("no request: " + String.join(" ", arguments));
    }
    return scanner.frame();
  }
}
