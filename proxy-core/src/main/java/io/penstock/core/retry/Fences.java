package io.penstock.core.retry;

import io.netty.buffer.Unpooled;
import io.penstock.core.client.ClientContext;
import io.penstock.core.reply.ReplySequence;
import io.penstock.core.reply.WireRequest;
import io.penstock.core.upstream.Endpoint;
import java.util.ArrayList;
import java.util.List;

/**
 * Tells when everything has been answered that was on its way behind a refused request: a {@code
 * PING} over the connection that the refusal came by is answered last. Only then is it known
 * whether a later request has overtaken the refused one. Confined to its client's loop.
 */
final class Fences {

  private static final byte[] PING = WireRequest.of("PING");

  private final ClientContext context;
  private final ReplySequence replies;
  private final List<Fence> open = new ArrayList<>(0);
  private long onResend;

  Fences(ClientContext context) {
    this.context = context;
    this.replies = context.replies();
  }

  /** A request is sent again. */
  void onResend() {
    onResend++;
  }

  /** The same as long as nothing is sent: what is under way now lies before it. */
  long mark() {
    return replies.lastRequestNumber() + onResend;
  }

  /** Whether later requests may be on their way behind it. */
  boolean isNeededFor(ClientExchange refused) {
    return refused.requestNumber() < replies.lastRequestNumber() && !refused.mustUseSeparateConnection();
  }

  /** Runs {@code then} when all that is behind it is answered or has failed. */
  void whenPassed(ClientExchange refused, Endpoint node, Runnable then) {
    for (Fence known : open) {
      if (known.covers(refused, node)) {
        known.thenRun(then);
        return;
      }
    }
    var fence = new Fence(refused, node);
    fence.thenRun(then);
    open.add(fence);
    fence.send();
  }

  private final class Fence extends NodeFence {

    private final long mark = Fences.this.mark();

    Fence(ClientExchange refused, Endpoint node) {
      super(context, node, refused, Unpooled.wrappedBuffer(PING));
    }

    /** Whether it stands behind all that is behind {@code refused}. */
    boolean covers(ClientExchange refused, Endpoint refusing) {
      return mark == Fences.this.mark()
          && node().equals(refusing)
          && protocol() == refused.protocol();
    }

    @Override
    void unregister() {
      open.remove(this);
    }
  }
}
