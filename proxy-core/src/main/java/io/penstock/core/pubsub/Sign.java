package io.penstock.core.pubsub;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.Failure;
import io.penstock.core.resp.Protocol;
import io.penstock.core.transport.SharedBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A {@code PING} that asks a node on which nobody publishes for a sign of life: a dead host would
 * be noticed by nobody else.
 */
final class Sign extends Exchange {

  private static final byte[] PING = "*1\r\n$4\r\nPING\r\n".getBytes(StandardCharsets.US_ASCII);

  private final Runnable done;

  Sign(Runnable done) {
    this.done = done;
    bytes(new SharedBuffer(Unpooled.wrappedBuffer(PING)), 0, PING.length);
    destination(ANY_NODE, Protocol.RESP3, 0, Long.MAX_VALUE);
  }

  private void end() {
    releaseBytes();
    done.run();
  }

  @Override
  public void onReply(ByteBuf buffer, int from, int to) {
    end();
  }

  @Override
  public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    if (last) {
      end();
    }
  }

  @Override
  public void onFailure(Failure failure) {
    end();
  }
}
