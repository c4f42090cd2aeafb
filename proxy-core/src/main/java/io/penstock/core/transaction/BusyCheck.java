package io.penstock.core.transaction;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.Failure;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.Nodes;
import io.penstock.core.observe.Outcome;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.reply.ReplyStrings;
import io.penstock.core.resp.WireRequest;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Shard;
import org.jspecify.annotations.Nullable;

/**
 * Asks a node, before a command is answered with {@code QUEUED}, whether it is busy with a script:
 * it would reject the command then. A node is asked only if the client waits for that answer, and
 * if the node has not answered anything lately. Later requests of the client wait. Confined to its
 * loop.
 */
final class BusyCheck extends Exchange {

  private static final byte[] PING = WireRequest.of("PING");
  private static final String BUSY = "-BUSY ";

  private final Client client;
  private final Transaction transaction;
  private final ReplySlot slot;
  private final byte[] queued;

  /**
   * @param slot of the command
   * @param queued its reply if the node is not busy
   */
  BusyCheck(ClientContext context, Transaction transaction, ReplySlot slot, byte[] queued) {
    this.client = context.client();
    this.transaction = transaction;
    this.slot = slot;
    this.queued = queued;
    bytes(new SharedBuffer(Unpooled.wrappedBuffer(PING)), 0, PING.length);
    long deadline = context.loop().now() + context.nodes().commandTimeoutNanos();
    sendOptions(client.protocol(), client.affinity(), deadline);
  }

  /** Returns the node of the transaction if it must be asked, else null. */
  static @Nullable Endpoint nodeToAsk(ClientContext context, Transaction transaction) {
    if (transaction.isNodeSilent()) {
      return null;
    }
    Nodes nodes = context.nodes();
    Shard owner = nodes.placement().shardOf(Math.max(0, transaction.partition()));
    return owner != null && nodes.mayBeBusy(owner.master(), context.client(), context.loop().now())
        ? owner.master()
        : null;
  }

  void send(Nodes nodes, Endpoint node) {
    client.suspend(slot);
    nodes.sendPastScripts(node, this);
  }

  @Override
  public void onReply(ByteBuf buffer, int from, int to) {
    if (ReplyStrings.startsWith(buffer, from, to, BUSY)) {
      transaction.abort();
      end(ByteBufUtil.getBytes(buffer, from, to - from), Outcome.ERROR);
    } else {
      end(queued, Outcome.OK);
    }
  }

  @Override
  public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    throw new IllegalStateException("PING was answered with a large reply");
  }

  /** Whether the node is busy remains unknown; the reply to {@code EXEC} will say more. */
  @Override
  public void onFailure(Failure failure) {
    transaction.nodeIsSilent();
    end(queued, Outcome.OK);
  }

  @Override
  public boolean recoverFrom(Throwable defect) {
    client.fail(defect);
    releaseBytes();
    return true;
  }

  private void end(byte[] reply, Outcome outcome) {
    releaseBytes();
    client.resume(slot);
    slot.answer(reply, outcome);
  }
}
