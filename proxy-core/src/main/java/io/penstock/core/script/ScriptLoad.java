package io.penstock.core.script;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.penstock.core.backend.CompletionExchange;
import io.penstock.core.backend.Exchange;
import io.penstock.core.output.SharedBuffer;
import java.nio.charset.StandardCharsets;

/** A {@code SCRIPT LOAD} that is sent before the call of a script, to a node that may lack it. */
public final class ScriptLoad extends CompletionExchange {

  private static final String LOAD = "*3\r\n$6\r\nSCRIPT\r\n$4\r\nLOAD\r\n$";

  /**
   * @param call the call that needs the script; the load is sent where the call is sent
   */
  ScriptLoad(byte[] body, Exchange call) {
    ByteBuf request = request(body);
    bytes(new SharedBuffer(request), 0, request.writerIndex());
    targetSameAs(call);
    sendOptions(call.protocol(), call.affinity(), call.deadline(), call.holdDeadline());
    useConnectionsOf(call);
  }

  /** Encodes the request; the caller owns it. */
  public static ByteBuf request(byte[] body) {
    String head = LOAD + body.length + "\r\n";
    ByteBuf out = ByteBufAllocator.DEFAULT.directBuffer(head.length() + body.length + 2);
    out.writeCharSequence(head, StandardCharsets.US_ASCII);
    return out.writeBytes(body).writeByte('\r').writeByte('\n');
  }

  @Override
  protected void onEnd() {
    // The reply to the call shows the result.
  }
}
