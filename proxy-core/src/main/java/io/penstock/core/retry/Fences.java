package io.penstock.core.retry;

import io.netty.buffer.Unpooled;
import io.penstock.core.client.ClientContext;
import io.penstock.core.reply.ReplySequence;
import io.penstock.core.resp.WireRequest;
import io.penstock.core.upstream.Endpoint;
import java.util.ArrayList;
import java.util.List;

/**
 * Detects when everything that was in flight behind a request that did not run has been answered: a
 * {@code PING} over the connection that the retryable error came from is answered last. Only then
 * is it known whether a later request has overtaken the one that did not run. Confined to the
 * client's loop.
 */
final class Fences {

  private static final byte[] PING = WireRequest.of("PING");

  private final ClientContext context;
  private final ReplySequence replies;
  private final List<Fence> open = new ArrayList<>(0);
  private long resent;

  Fences(ClientContext context) {
    this.context = context;
    this.replies = context.replies();
  }

  /** Notes that a request is sent again. */
  void onResend() {
    resent++;
  }

  /**
   * Returns a mark that stays the same until something is sent: what is in flight now was sent
   * before it.
   */
  long mark() {
    return replies.lastRequestNumber() + resent;
  }

  /** Returns whether later requests may be in flight behind {@code request}. */
  boolean isNeededFor(ClientExchange request) {
    return request.requestNumber() < replies.lastRequestNumber()
        && !request.mustUseSeparateConnection();
  }

  /** Runs {@code then} when every request behind {@code request} is answered or has failed. */
  void whenPassed(ClientExchange request, Endpoint node, Runnable then) {
    for (Fence known : open) {
      if (known.covers(request, node)) {
        known.thenRun(then);
        return;
      }
    }
    var fence = new Fence(request, node);
    fence.thenRun(then);
    open.add(fence);
    fence.send();
  }

  private final class Fence extends NodeFence {

    private final long mark = Fences.this.mark();

    Fence(ClientExchange request, Endpoint node) {
      super(context, node, request, Unpooled.wrappedBuffer(PING));
    }

    /** Returns whether this fence was sent after everything that is behind {@code request}. */
    boolean covers(ClientExchange request, Endpoint from) {
      return mark == Fences.this.mark()
          && node().equals(from)
          && protocol() == request.protocol()
          && connections().equals(request.connections());
    }

    @Override
    void unregister() {
      open.remove(this);
    }
  }
}
