package io.penstock.core.retry;

import io.netty.buffer.ByteBuf;
import io.penstock.core.backend.CompletionExchange;
import io.penstock.core.backend.Failure;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.Nodes;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.transport.Loop;
import io.penstock.core.upstream.Endpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A request that is sent over the connection that a retryable error came from. When it ends,
 * everything sent over that connection before it has ended.
 */
abstract class NodeFence extends CompletionExchange {

  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private final Client client;
  private final Nodes nodes;
  private final Loop loop;
  private final Endpoint node;
  private final List<Runnable> actions = new ArrayList<>(1);

  /**
   * @param request this fence takes ownership
   */
  NodeFence(ClientContext context, Endpoint node, ClientExchange after, ByteBuf request) {
    this.client = context.client();
    this.nodes = context.nodes();
    this.loop = context.loop();
    this.node = node;
    bytes(new SharedBuffer(request), 0, request.writerIndex());
    // No earlier than the deadline of anything in flight, which must have ended when this ends.
    long deadline = loop.now() + nodes.commandTimeoutNanos();
    sendOptions(after.protocol(), after.affinity(), deadline);
    useConnections(after.connections());
  }

  Endpoint node() {
    return node;
  }

  /** Runs {@code action} when this ends, after the actions added before. */
  void thenRun(Runnable action) {
    actions.add(action);
  }

  void send() {
    nodes.dispatchTo(node, this, false);
  }

  /** Removes this from the open ones: {@link #thenRun} is not called any more. */
  abstract void unregister();

  /** A connection that accepts no more has not sent this, and what was in flight still is. */
  @Override
  protected boolean isRetriedAfter(Failure failure) {
    if (failure != Failure.OVERLOADED || !mustWait()) {
      return false;
    }
    scheduleCheck();
    return true;
  }

  /**
   * Returns whether the connection accepts no more. Without a connection nothing is in flight, so
   * there is nothing to wait for even if the failover hold is full.
   */
  private boolean mustWait() {
    return !client.isClosed()
        && loop.now() - deadline() < 0
        && !nodes.isWritable(node, client.affinity());
  }

  private void scheduleCheck() {
    loop.executor().schedule(this::sendOrWait, RETRY_NANOS, TimeUnit.NANOSECONDS);
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
    actions.forEach(Runnable::run);
  }
}
