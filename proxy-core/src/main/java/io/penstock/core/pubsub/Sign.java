package io.penstock.core.pubsub;

import io.netty.buffer.Unpooled;
import io.penstock.core.backend.SignalExchange;
import io.penstock.core.resp.Protocol;
import io.penstock.core.transport.SharedBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A {@code PING} that asks a node on which nobody publishes for a sign of life: a dead host would
 * be noticed by nobody else.
 */
final class Sign extends SignalExchange {

  private static final byte[] PING = "*1\r\n$4\r\nPING\r\n".getBytes(StandardCharsets.US_ASCII);

  private final Runnable done;

  Sign(Runnable done) {
    this.done = done;
    bytes(new SharedBuffer(Unpooled.wrappedBuffer(PING)), 0, PING.length);
    destination(ANY_NODE, Protocol.RESP3, 0, Long.MAX_VALUE);
  }

  @Override
  protected void ended() {
    done.run();
  }
}
