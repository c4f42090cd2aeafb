package io.penstock.core.steps;

import io.netty.buffer.ByteBuf;
import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.backend.Failure;
import io.penstock.core.client.Client;
import io.penstock.core.client.LeasedExchange;
import io.penstock.core.client.Nodes;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.reply.PendingReply;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One request over a leased connection, and its whole reply. Confined to the client's loop. */
final class LeasedCall extends LeasedExchange {

  private final Consumer<LeasedCall> whenDone;
  private final WatchedNode.KeptReplies gathered;
  private final PendingReply reply = new PendingReply();
  private @Nullable Failure failure;

  /**
   * @param connections that it is sent over
   * @param request one encoded request; this takes ownership
   * @param gathered counts the reply, of which nothing is kept beyond its limit
   * @param now {@link System#nanoTime()}
   * @param whenDone runs when the reply or a failure is here
   */
  LeasedCall(
      Client client,
      Nodes nodes,
      ConnectionKey connections,
      ByteBuf request,
      WatchedNode.KeptReplies gathered,
      long now,
      Consumer<LeasedCall> whenDone) {
    super(client);
    this.whenDone = whenDone;
    this.gathered = gathered;
    bytes(new SharedBuffer(request), request.readerIndex(), request.readableBytes());
    sendOptions(client.protocol(), client.affinity(), now + nodes.commandTimeoutNanos());
    useConnections(connections);
  }

  /** Releases the request, which is not sent. */
  void drop() {
    releaseBytes();
  }

  /** Returns why there is no reply; null if there is one. */
  @Nullable Failure failure() {
    return failure;
  }

  /** Returns whether the reply is too large to be kept. */
  boolean isTooLarge() {
    return gathered.isTooLarge();
  }

  /** Returns the reply; borrowed until {@link #release}. */
  ByteBuf reply() {
    return reply.view();
  }

  /** Releases the reply. */
  void release() {
    reply.clear();
  }

  @Override
  public void onReply(ByteBuf buffer, int from, int to) {
    releaseBytes();
    keep(buffer, from, to);
    whenDone.accept(this);
  }

  private void keep(ByteBuf buffer, int from, int to) {
    gathered.add(to - from);
    if (isTooLarge()) {
      reply.clear();
    } else {
      reply.append(buffer, from, to, true);
    }
  }

  @Override
  public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    keep(buffer, from, to);
    if (last) {
      releaseBytes();
      whenDone.accept(this);
    }
  }

  @Override
  public void onFailure(Failure why) {
    releaseBytes();
    reply.clear();
    failure = why;
    whenDone.accept(this);
  }
}
