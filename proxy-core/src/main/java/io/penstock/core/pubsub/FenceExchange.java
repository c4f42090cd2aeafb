package io.penstock.core.pubsub;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.Failure;
import io.penstock.core.resp.Protocol;
import io.penstock.core.transport.SharedBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A {@code PING} for clients that subscribe to or unsubscribe from what is subscribed to at the
 * node. Its reply follows all messages that the node sent before.
 */
final class FenceExchange extends Exchange {

  private static final byte[] PING = "*1\r\n$4\r\nPING\r\n".getBytes(StandardCharsets.US_ASCII);

  private final Feed feed;
  private final List<AwaitedReplies> requests;

  FenceExchange(Feed feed, List<AwaitedReplies> requests) {
    this.feed = feed;
    this.requests = requests;
    ByteBuf ping = ByteBufAllocator.DEFAULT.directBuffer(PING.length).writeBytes(PING);
    bytes(new SharedBuffer(ping), 0, PING.length);
    sendOptions(Protocol.RESP3, 0, Long.MAX_VALUE); // requests have deadlines, see SubscribeRequest
  }

  List<AwaitedReplies> requests() {
    return requests;
  }

  /** Any reply will do, also one of a node that does not allow {@code PING}. */
  @Override
  public void onReply(ByteBuf buffer, int from, int to) {
    releaseBytes();
    feed.onFencePassed(this);
  }

  @Override
  public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    if (last) {
      onReply(buffer, from, to);
    }
  }

  @Override
  public void onFailure(Failure failure) {
    releaseBytes();
    feed.onFenceFailure(this);
  }
}
