package io.penstock.core.retry;

import io.netty.buffer.ByteBuf;
import io.penstock.core.backend.CompletionExchange;
import io.penstock.core.backend.Failure;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.Nodes;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.SharedBuffer;
import io.penstock.core.upstream.Endpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Goes behind a refused request over the connection that the refusal came by. Its end tells that
 * everything has ended which was on its way there before.
 */
abstract class NodeFence extends CompletionExchange {

  private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private final Client client;
  private final Nodes nodes;
  private final Loop loop;
  private final Endpoint node;
  private final List<Runnable> thenRun = new ArrayList<>(1);

  /**
   * @param request ownership goes over
   */
  NodeFence(ClientContext context, Endpoint node, ClientExchange refused, ByteBuf request) {
    this.client = context.client();
    this.nodes = context.nodes();
    this.loop = context.loop();
    this.node = node;
    bytes(new SharedBuffer(request), 0, request.writerIndex());
    // No earlier than that of whatever is on its way: the end of this tells of theirs.
    long deadline = loop.now() + nodes.commandTimeoutNanos();
    targetEndpoint();
    sendOptions(refused.protocol(), refused.affinity(), deadline);
  }

  Endpoint node() {
    return node;
  }

  /** Runs {@code action} at the end, after those given before. */
  void thenRun(Runnable action) {
    thenRun.add(action);
  }

  void send() {
    nodes.dispatchTo(node, this, false);
  }

  /** It is known no longer: nothing more can be given to {@link #thenRun}. */
  abstract void unregister();

  /** A connection that takes no more has not carried it, and what was on its way still is. */
  @Override
  protected boolean isRetriedAfter(Failure failure) {
    if (failure != Failure.OVERLOADED || !mustWait()) {
      return false;
    }
    scheduleCheck();
    return true;
  }

  /** Where there is no connection nothing is on its way: a full hold is none of this. */
  private boolean mustWait() {
    return !client.isClosed()
        && loop.now() - deadline() < 0
        && !nodes.isWritable(node, client.affinity());
  }

  private void scheduleCheck() {
    loop.executor().schedule(this::sendOrWait, AGAIN_NANOS, TimeUnit.NANOSECONDS);
  }

  private void sendOrWait() {
    if (mustWait()) {
      scheduleCheck();
    } else if (client.isClosed()) {
      fail(Failure.NOT_SENT);
    } else {
      send();
    }
  }

  @Override
  protected void onEnd() {
    unregister();
    thenRun.forEach(Runnable::run);
  }
}
