package io.penstock.core.forward;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.penstock.core.client.Client;
import io.penstock.core.observe.Outcome;
import io.penstock.core.pubsub.Hub;
import io.penstock.core.pubsub.PendingSubscriptions.Channel;
import io.penstock.core.pubsub.Publications;
import io.penstock.core.pubsub.ReceiverCount;
import io.penstock.core.pubsub.ReceiverCounts;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.ReplyWriter;
import io.penstock.core.retry.ClientExchange;
import io.penstock.core.upstream.Endpoint;
import java.nio.charset.StandardCharsets;

/**
 * The exchange of a message that a client publishes. The node's reply counts Penstock's
 * connections; the client gets the number of clients.
 */
final class Publication extends ClientExchange implements ReceiverCounts.Listener {

  private final ReplySlot whole;
  private final Client client;
  private final Hub hub;
  private final Channel channel;
  private final int began; // as the publications know it
  private boolean ended;

  /**
   * @param whole where the client's reply goes
   */
  Publication(ForwardContext context, ReplySlot whole, Channel channel) {
    super(context.owner());
    this.whole = whole;
    this.client = context.clientContext().client();
    this.hub = context.forwardLoop().hub();
    this.channel = channel;
    this.began = publications().begin();
    timeline(whole.timeline());
  }

  private Publications publications() {
    return hub.subscriberCounts().publications();
  }

  private void end() {
    if (!ended) {
      ended = true;
      publications().end(began);
    }
  }

  @Override
  public void deliver(ByteBuf buffer, int from, int to, Outcome outcome) {
    releaseRequest();
    Endpoint node = sentTo();
    if (node == null || buffer.getByte(from) != ':') {
      end();
      whole.deliver(buffer, from, to, outcome);
      return;
    }
    String count = buffer.toString(from + 1, to - from - 3, StandardCharsets.US_ASCII);
    var receivers = new ReceiverCount(channel, node, Long.parseLong(count));
    hub.receivers().count(receivers, this);
  }

  @Override
  public boolean isClosed() {
    return client.isClosed();
  }

  @Override
  public void onConnectionsCounted() {
    end();
  }

  @Override
  public void onCount(long clients) {
    end();
    ByteBuf reply = ByteBufAllocator.DEFAULT.directBuffer(32);
    new ReplyWriter(reply, Protocol.RESP2).integer(clients);
    whole.deliverOwned(reply, Outcome.OK);
  }

  @Override
  public void onFailure(Throwable cause) {
    end();
    client.fail(cause);
  }

  @Override
  public void answer(byte[] reply, Outcome outcome) {
    end();
    releaseRequest();
    whole.answer(reply, outcome);
  }

  @Override
  public void deliverPart(ByteBuf buffer, int from, int to, boolean last) {
    if (last) {
      end();
      releaseRequest();
    }
    whole.deliverPart(buffer, from, to, last);
  }

  @Override
  public void dropPending() {
    // An integer reply does not come in parts.
  }

  @Override
  public void onInternalError() {
    end();
    super.onInternalError();
  }

  @Override
  public boolean hasStartedReply() {
    return whole.hasBegun();
  }
}
