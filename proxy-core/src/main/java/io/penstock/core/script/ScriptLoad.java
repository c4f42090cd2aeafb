package io.penstock.core.script;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.penstock.core.backend.Failure;
import io.penstock.core.dispatch.PlacedExchange;
import io.penstock.core.output.SharedBuffer;
import java.nio.charset.StandardCharsets;

/** A {@code SCRIPT LOAD} that is sent before the call of a script, to a node that may lack it. */
public final class ScriptLoad extends PlacedExchange {

  private static final String LOAD = "*3\r\n$6\r\nSCRIPT\r\n$4\r\nLOAD\r\n$";

  /**
   * @param call the call that needs the script; the load is sent where the call is sent
   */
  ScriptLoad(byte[] body, PlacedExchange call) {
    ByteBuf request = request(body);
    bytes(new SharedBuffer(request), 0, request.writerIndex());
    targetSameAs(call);
    sendOptions(call.protocol(), call.affinity(), call.deadline(), call.holdDeadline());
  }

  /** Encodes the request; the caller owns it. */
  public static ByteBuf request(byte[] body) {
    String head = LOAD + body.length + "\r\n";
    ByteBuf out = ByteBufAllocator.DEFAULT.directBuffer(head.length() + body.length + 2);
    out.writeCharSequence(head, StandardCharsets.US_ASCII);
    return out.writeBytes(body).writeByte('\r').writeByte('\n');
  }

  /** The reply to the call shows the result. */
  @Override
  public void onReply(ByteBuf buffer, int from, int to) {
    releaseBytes();
  }

  @Override
  public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    if (last) {
      releaseBytes();
    }
  }

  @Override
  public void onFailure(Failure failure) {
    releaseBytes();
  }
}
