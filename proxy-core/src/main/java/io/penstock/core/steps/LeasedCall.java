package io.penstock.core.steps;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
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
  private final PendingReply reply = new PendingReply();
  private @Nullable Failure failure;

  /**
   * @param request one encoded request
   * @param now {@link System#nanoTime()}
   * @param whenDone runs when the reply or a failure is here
   */
  LeasedCall(Client client, Nodes nodes, byte[] request, long now, Consumer<LeasedCall> whenDone) {
    super(client);
    this.whenDone = whenDone;
    bytes(new SharedBuffer(Unpooled.wrappedBuffer(request)), 0, request.length);
    sendOptions(client.protocol(), client.affinity(), now + nodes.commandTimeoutNanos());
    useConnections(client.connections());
  }

  /** Returns why there is no reply; null if there is one. */
  @Nullable Failure failure() {
    return failure;
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
    reply.append(buffer, from, to);
    whenDone.accept(this);
  }

  @Override
  public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    reply.append(buffer, from, to);
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
