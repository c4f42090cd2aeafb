package io.penstock.core.transaction;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.backend.Failure;
import io.penstock.core.backend.HandshakeError;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.client.LeasedExchange;
import io.penstock.core.client.Nodes;
import io.penstock.core.node.Lease;
import io.penstock.core.observe.Outcome;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.retry.RetryableError;
import io.penstock.core.retry.RetryableErrors;
import io.penstock.core.transport.Loop;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ErrorPolicy.Scope;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.Shard;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One {@code WATCH}. The client's first one finds the node, and is retried until its deadline. A
 * later one that gets a retryable error shows that the watched keys are lost.
 */
final class WatchCall extends LeasedExchange {

  private static final byte[] OK = "+OK\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final long DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(25);

  private final Nodes nodes;
  private final Loop loop;
  private final RetryableErrors retryableErrors;
  private final Watch watch;
  private final Target target;
  private @Nullable Lease taken; // by this call
  private boolean asking;
  private boolean cancelled;

  /** Takes the reply. */
  interface Target {
    void answer(byte[] reply, Outcome outcome);
  }

  /** Makes a call of the client's request. */
  static WatchCall of(ClientContext context, Watch watch, ReplySlot slot, IncomingRequest request) {
    RequestFrame frame = request.frame();
    Client client = context.client();
    var call =
        new WatchCall(
            context,
            watch,
            slot,
            (reply, outcome) -> {
              client.resume(slot);
              slot.answer(reply, outcome);
            });
    call.bytes(request.share(), frame.start(), frame.end() - frame.start());
    return call;
  }

  /** Makes a call of another request, for the client's request of that slot. */
  WatchCall(ClientContext context, Watch watch, byte[] request, ReplySlot slot, Target target) {
    this(context, watch, slot, target);
    bytes(new SharedBuffer(Unpooled.wrappedBuffer(request)), 0, request.length);
  }

  private WatchCall(ClientContext context, Watch watch, ReplySlot slot, Target target) {
    super(context.client());
    this.nodes = context.nodes();
    this.loop = context.loop();
    this.retryableErrors = watch.retryableErrors();
    this.watch = watch;
    this.target = target;
    timeline(slot.timeline());
    long now = loop.tick();
    sendOptions(
        client.protocol(),
        client.affinity(),
        now + nodes.commandTimeoutNanos(),
        now + nodes.retryWindowNanos());
    useConnections(client.connections());
  }

  void send() {
    watch.setWaiting(null);
    if (cancelled) {
      return;
    }
    if (nodes.heldRequests().leave(this)) {
      extendDeadline(loop.tick(), nodes.commandTimeoutNanos());
    }
    if (!watch.isNew()) {
      watch.send(this);
      return;
    }
    Shard owner = nodes.placement().shardOf(watch.partition());
    if (owner == null) {
      nodes.requestRefresh(RefreshTrigger.UNCOVERED_SLOT);
      retry(nodes.notServed(), Outcome.UNAVAILABLE, null, null);
    } else {
      sendTo(owner.master(), false);
    }
  }

  private void sendTo(Endpoint node, boolean withAsking) {
    Lease lease = nodes.lease(node, this);
    if (lease == null) {
      answer(ErrorReplies.NO_LEASE, Outcome.OVERLOADED);
      return;
    }
    taken = lease;
    asking = withAsking;
    lease.send(this, withAsking);
  }

  /**
   * Sends the call again later.
   *
   * @param node that the call waits for; null if no node serves its keys
   * @param rejection the error reply of that node; null if the node could not be reached
   */
  private void retry(
      byte[] reply, Outcome outcome, @Nullable Endpoint node, byte @Nullable [] rejection) {
    if (client.isInputEnded() || isTooLate()) {
      answer(reply, outcome);
    } else if (nodes.heldRequests().tryEnter(this, node, rejection)) {
      watch.setWaiting(this);
      loop.executor().schedule(this::send, DELAY_NANOS, TimeUnit.NANOSECONDS);
    } else {
      answer(ErrorReplies.OVERLOADED, Outcome.OVERLOADED);
    }
  }

  private boolean isTooLate() {
    long now = loop.tick();
    return now - deadline() >= 0 && now - holdDeadline() >= 0;
  }

  /** Cancels this call while it waits for its next attempt. */
  void cancel() {
    cancelled = true;
    nodes.heldRequests().leave(this);
    answer(ErrorReplies.UNAVAILABLE, Outcome.UNAVAILABLE);
  }

  @Override
  public void onReply(ByteBuf buffer, int from, int to) {
    Lease lease = taken;
    taken = null;
    if (buffer.getByte(from) != '-') {
      if (lease != null) {
        watch.setLease(lease, asking);
      }
      answer(OK, Outcome.OK);
      return;
    }
    RetryableError error = retryableErrors.parse(this, Scope.KEYS, buffer, from, to);
    if (error != null) {
      retryableErrors.applyToTopology(error);
    }
    if (lease == null && error != null) {
      invalidateWatch();
      return;
    }
    if (lease != null) {
      lease.release();
    }
    byte[] line = new byte[to - from];
    buffer.getBytes(from, line);
    if (error == null) {
      answer(line, Outcome.ERROR);
    } else if (error.isAsk() && error.target() != null) {
      sendTo(error.target(), true);
    } else if (error.isMoved()) {
      retry(ErrorReplies.SLOT_MIGRATING, Outcome.UNAVAILABLE, sentTo(), error.rejection(line));
    } else {
      retry(line, Outcome.ERROR, sentTo(), line);
    }
  }

  /** Invalidates the watch, with the keys of this call: a transaction will not run. */
  private void invalidateWatch() {
    watch.invalidate();
    answer(OK, Outcome.OK);
  }

  private void answer(byte[] reply, Outcome outcome) {
    releaseBytes();
    if (watch.isNew()) {
      watch.onFirstWatchFailed();
    }
    target.answer(reply, outcome);
  }

  @Override
  public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    throw new IllegalStateException("WATCH was answered with a large reply");
  }

  @Override
  public void onFailure(Failure failure) {
    Lease lease = taken;
    taken = null;
    if (lease == null) {
      invalidateWatch();
      return;
    }
    lease.discard();
    if (failure == Failure.TIMEOUT) {
      answer(ErrorReplies.TIMEOUT_READ, Outcome.TIMEOUT);
    } else {
      HandshakeError error = nodes.handshakeError(sentTo());
      byte[] reply = ErrorReplies.unavailable(error);
      if (error != null && error.permanent()) {
        answer(reply, Outcome.UNAVAILABLE);
      } else {
        retry(reply, Outcome.UNAVAILABLE, sentTo(), null);
      }
    }
  }
}
