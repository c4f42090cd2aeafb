package io.penstock.core.pubsub;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.Failure;
import io.penstock.core.cluster.Redirect;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.resp.Protocol;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One command to a node that subscribes to topics of one kind or unsubscribes from them. The node
 * confirms each name with a push and sends no reply, or sends an error and no pushes.
 */
final class SubscribeExchange extends Exchange {

  private final FeedConnection connection;
  private final Kind kind;
  private final boolean subscribing;
  private final List<Topic> topics;
  private final AwaitedReplies replies;
  private boolean sent;
  private int confirmed;

  SubscribeExchange(
      FeedConnection connection, boolean subscribing, List<Topic> topics, AwaitedReplies replies) {
    this.connection = connection;
    this.kind = topics.getFirst().kind();
    this.subscribing = subscribing;
    this.topics = new ArrayList<>(topics);
    this.replies = replies;
    replies.addPending();
  }

  FeedConnection connection() {
    return connection;
  }

  Kind kind() {
    return kind;
  }

  /** Removes a topic that is not wanted any more. Returns false if the command has been sent. */
  boolean withdraw(Topic topic) {
    return !sent && topics.remove(topic);
  }

  /** Sends the command over its connection, which must be ready. */
  void send() {
    sent = true;
    ByteBuf bytes = ByteBufAllocator.DEFAULT.directBuffer();
    encode(bytes);
    bytes(new SharedBuffer(bytes), 0, bytes.readableBytes());
    sendOptions(Protocol.RESP3, 0, Long.MAX_VALUE); // requests have deadlines, see SubscribeRequest
    connection.sendNow(this);
  }

  private void encode(ByteBuf out) {
    String command = subscribing ? kind.subscribe() : kind.unsubscribe();
    text(out, "*" + (topics.size() + 1) + "\r\n$" + command.length() + "\r\n" + command + "\r\n");
    for (Topic topic : topics) {
      text(out, "$" + topic.name().length() + "\r\n");
      topic.name().writeTo(out);
      text(out, "\r\n");
    }
  }

  private static void text(ByteBuf out, String ascii) {
    out.writeCharSequence(ascii, StandardCharsets.US_ASCII);
  }

  boolean isSubscribing() {
    return subscribing;
  }

  /**
   * Whether a node may answer with this redirect, or, if {@code redirect} is null, with an error
   * about any slot.
   */
  boolean dependsOnSlot(@Nullable Redirect redirect) {
    return kind == Kind.SHARD
        && (redirect == null || redirect.slot() == topics.getFirst().partition());
  }

  /** The topics; after the command was sent they do not change. */
  List<Topic> topics() {
    return topics;
  }

  /** Whether the push is the next expected confirmation. */
  boolean isNextConfirmation(Push push) {
    return push.kind() == kind
        && push.isSubscribing() == subscribing
        && push.name().equals(topics.get(confirmed).name());
  }

  /** Marks the next topic as confirmed and returns it. */
  Topic confirm() {
    return topics.get(confirmed++);
  }

  /** Whether all names were confirmed. */
  boolean isDone() {
    return confirmed == topics.size();
  }

  /** Releases the bytes and informs the {@link AwaitedReplies}. */
  void end() {
    releaseBytes();
    connection.onEnd();
    replies.completeOne();
  }

  @Override
  public void onReply(ByteBuf buffer, int from, int to) {
    byte[] reply = new byte[to - from];
    buffer.getBytes(from, reply);
    connection.onErrorReply(this, reply);
  }

  @Override
  public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    if (last) {
      connection.onErrorReply(this, new byte[0]); // no such reply exists
    }
  }

  @Override
  public void onFailure(Failure failure) {
    connection.onFailure(this);
  }
}
