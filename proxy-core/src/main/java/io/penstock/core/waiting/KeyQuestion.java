package io.penstock.core.waiting;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.backend.Failure;
import io.penstock.core.client.Client;
import io.penstock.core.dispatch.PlacedExchange;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.retry.RetryableError;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ErrorPolicy.Scope;

/**
 * Asks a node once whether a key has what calls wait for. It is not repeated: the next interval has
 * the next question. Confined to the loop.
 */
final class KeyQuestion extends PlacedExchange {

  private final KeyQueue queue;
  private final KeyWaits waits;
  private final Client client;
  private final byte[] request;
  private final long deadline;

  /**
   * @param first the call that has waited longest: its client's connections are used
   */
  KeyQuestion(KeyQueue queue, KeyWaits waits, WaitingCall first) {
    this.queue = queue;
    this.waits = waits;
    this.client = first.client();
    this.request = queue.key().question(first.position(queue.key()));
    this.deadline = waits.loop().now() + waits.nodes().commandTimeoutNanos();
    useConnections(queue.key().connections());
  }

  void send() {
    prepare();
    waits.nodes().dispatch(this);
  }

  private void prepare() {
    bytes(new SharedBuffer(Unpooled.wrappedBuffer(request)), 0, request.length);
    targetPartition(queue.key().partition());
    sendOptions(client.protocol(), client.affinity(), deadline);
  }

  @Override
  public void onReply(ByteBuf buffer, int from, int to) {
    releaseBytes();
    RetryableError error = waits.retryableErrors().parse(this, Scope.KEYS, buffer, from, to);
    if (error == null) {
      queue.onAnswer(queue.key().ready(buffer, from, to));
      return;
    }
    waits.retryableErrors().applyToTopology(error);
    Endpoint importing = error.isAsk() ? error.target() : null;
    if (importing == null) {
      queue.onNoAnswer(null);
    } else {
      prepare();
      waits.nodes().dispatchTo(importing, this, true);
    }
  }

  @Override
  public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    if (last) {
      releaseBytes();
      queue.onAnswer(Integer.MAX_VALUE); // only entries are large
    }
  }

  @Override
  public void onFailure(Failure failure) {
    releaseBytes();
    queue.onNoAnswer(waits.nodes().handshakeError(sentTo()));
  }
}
