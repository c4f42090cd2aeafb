package io.penstock.core.pubsub;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.Failure;
import io.penstock.core.node.SubscriberConnection;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.WireRequest;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Lets requests wait until all messages have arrived that a node sent before them. A {@code PING}
 * on the same connection is answered behind these messages. Confined to its loop.
 */
final class EarlierMessages {

  private static final byte[] PING = WireRequest.of("PING");

  private final SubscriberConnection connection;
  private final Set<AwaitedReplies> waiting = new LinkedHashSet<>(); // for the next PING
  private @Nullable Ping sent; // not answered

  EarlierMessages(SubscriberConnection connection) {
    this.connection = connection;
  }

  /** Whether no request waits and no {@code PING} is unanswered. */
  boolean isEmpty() {
    return waiting.isEmpty() && sent == null;
  }

  /** Adds a request that waits; {@link #ask} sends the {@code PING}. */
  void await(AwaitedReplies request) {
    if (waiting.add(request)) {
      request.addPending();
    }
  }

  /**
   * Sends a {@code PING} if requests wait for it. One is sent at a time, so that requests which
   * come meanwhile share the next one. To be called again later if the connection accepts none now.
   */
  void ask() {
    if (sent == null && !waiting.isEmpty() && connection.isReady()) {
      var ping = new Ping(waiting);
      waiting.clear();
      sent = ping;
      connection.send(ping);
    }
  }

  /** Nothing from the node is delivered any more: no request waits for it. */
  void end() {
    List<AwaitedReplies> requests = new ArrayList<>(waiting);
    waiting.clear();
    if (sent != null) {
      requests.addAll(sent.take());
    }
    requests.forEach(AwaitedReplies::completeOne);
  }

  /** One {@code PING}. Any reply will do, also the error of a node that does not permit it. */
  private final class Ping extends Exchange {

    private List<AwaitedReplies> requests;

    Ping(Set<AwaitedReplies> requests) {
      this.requests = List.copyOf(requests);
      bytes(new SharedBuffer(Unpooled.wrappedBuffer(PING)), 0, PING.length);
      sendOptions(Protocol.RESP3, 0, Long.MAX_VALUE); // a silent connection is closed
    }

    List<AwaitedReplies> take() {
      List<AwaitedReplies> taken = requests;
      requests = List.of();
      return taken;
    }

    @Override
    public void onReply(ByteBuf buffer, int from, int to) {
      releaseBytes();
      sent = null;
      take().forEach(AwaitedReplies::completeOne);
      ask();
    }

    @Override
    public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
      if (last) {
        onReply(buffer, from, to);
      }
    }

    /** The connection closed, or it accepts no more for now. */
    @Override
    public void onFailure(Failure failure) {
      releaseBytes();
      sent = null;
      for (AwaitedReplies request : take()) {
        if (!waiting.add(request)) {
          request.completeOne(); // it waits for the next one already
        }
      }
    }
  }
}
