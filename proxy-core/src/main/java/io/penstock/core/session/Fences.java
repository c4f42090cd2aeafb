package io.penstock.core.session;

import io.netty.buffer.Unpooled;
import io.penstock.core.upstream.Endpoint;
import java.util.ArrayList;
import java.util.List;

/**
 * Tells when everything has been answered that was on its way behind a refused request: a {@code
 * PING} over the connection that the refusal came by is answered last. Only then is it known
 * whether a later request has overtaken the refused one. Confined to its session's loop.
 */
final class Fences {

  private static final byte[] PING = WireRequest.of("PING");

  private final Session session;
  private final List<Fence> open = new ArrayList<>(0);
  private long resent;

  Fences(Session session) {
    this.session = session;
  }

  /** A request is sent again. */
  void resent() {
    resent++;
  }

  /** The same as long as nothing is sent: what is under way now lies before it. */
  long mark() {
    return session.activity().requests() + resent;
  }

  /** Whether later requests may be on their way behind it. */
  boolean isNeededFor(Routed refused) {
    return refused.order() < session.activity().requests() && !refused.isAside();
  }

  /** Runs {@code then} when all that is behind it is answered or has failed. */
  void whenPassed(Routed refused, Endpoint node, Runnable then) {
    for (Fence known : open) {
      if (known.covers(refused, node)) {
        known.then(then);
        return;
      }
    }
    var fence = new Fence(refused, node);
    fence.then(then);
    open.add(fence);
    fence.send();
  }

  private final class Fence extends NodeFence {

    private final long mark = Fences.this.mark();

    Fence(Routed refused, Endpoint node) {
      super(session, node, refused, Unpooled.wrappedBuffer(PING));
    }

    /** Whether it stands behind all that is behind {@code refused}. */
    boolean covers(Routed refused, Endpoint refusing) {
      return mark == Fences.this.mark()
          && node().equals(refusing)
          && protocol() == refused.protocol();
    }

    @Override
    void forget() {
      open.remove(this);
    }
  }
}
