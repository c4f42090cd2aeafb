package io.penstock.core.pubsub;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.backend.BackendListener;
import io.penstock.core.backend.BackendSettings;
import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.HandshakeError;
import io.penstock.core.backend.PushSink;
import io.penstock.core.cluster.Redirect;
import io.penstock.core.node.SubscriberConnection;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.upstream.Endpoint;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions of one loop over one connection to a node. Subscribes again after each
 * reconnect until the node has confirmed. Confined to its loop.
 */
final class FeedConnection implements PushSink, BackendListener {

  /** Nanoseconds after which an unused connection is closed. */
  private static final long UNUSED_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Commands for channels in flight at most have so many names. */
  private static final int MAX_NAMES = 16_384;

  private final Hub hub;
  private final Feed feed;
  private final Endpoint node;
  private final SubscriberConnection connection;
  private final Map<Topic, SubscriptionState> states = new LinkedHashMap<>();
  private final NodeSubscriptions nodeSubscriptions;
  private final SubscribeQueue channels = new SubscribeQueue(MAX_NAMES);
  private final SubscribeQueue patterns;
  private final List<Topic> toSubscribe = new ArrayList<>();
  private final List<Topic> toUnsubscribe = new ArrayList<>();
  private final List<Topic> unsubscribeAgain = new ArrayList<>(); // could not be sent yet
  private final EarlierMessages earlierMessages;
  private int patternCount; // topics that are patterns
  private int pending; // commands that have not ended
  private boolean hasRetries; // there are topics to subscribe to or unsubscribe from again
  private boolean down; // the latest attempt to connect failed
  private long usedAt;

  /**
   * @param patterns the commands for patterns of all connections of the feed
   */
  FeedConnection(Hub hub, Feed feed, SubscribeQueue patterns) {
    this.hub = hub;
    this.feed = feed;
    this.node = feed.node();
    this.patterns = patterns;
    this.connection = new SubscriberConnection(node, hub.siteFor(this));
    this.nodeSubscriptions = new NodeSubscriptions(hub.subscriberCounts(), node);
    this.usedAt = hub.now();
    this.earlierMessages = new EarlierMessages(connection);
  }

  NodeStats stats() {
    return connection.stats();
  }

  void adopt(BackendSettings settings) {
    connection.adopt(settings);
  }

  void authenticateAgain() {
    connection.authenticateAgain();
  }

  boolean isReady() {
    return connection.isReady();
  }

  /** The error with which the node refuses the connection; null if waiting may help. */
  @Nullable HandshakeError refusal() {
    return connection.refusal();
  }

  /** Whether the topic is to be subscribed to over this connection. */
  boolean has(Topic topic) {
    return states.containsKey(topic);
  }

  /** The number of patterns that are to be subscribed to over this connection. */
  int patternCount() {
    return patternCount;
  }

  boolean isSubscribed(Topic topic) {
    SubscriptionState state = states.get(topic);
    return state != null && state.confirmed;
  }

  /** Whether the latest attempt to connect to the node failed. */
  boolean isDown() {
    return down;
  }

  /** Whether the connection has had no topic and no pending command for ten seconds. */
  boolean isUnused(long now) {
    if (!states.isEmpty() || pending > 0 || !earlierMessages.isEmpty()) {
      usedAt = now;
    }
    return now - usedAt > UNUSED_NANOS;
  }

  /**
   * Subscribes to a topic that the connection does not have, at the next {@link #flush} or when the
   * connection is established.
   */
  void subscribe(Topic topic) {
    states.put(topic, new SubscriptionState());
    patternCount += topic.kind() == Kind.PATTERN ? 1 : 0;
    if (connection.isReady()) {
      toSubscribe.add(topic);
    } else {
      connection.connect();
    }
  }

  /** Unsubscribes from the topic at the next {@link #flush}. */
  void unsubscribe(Topic topic) {
    SubscriptionState state = states.remove(topic);
    if (state == null) {
      return;
    }
    patternCount -= topic.kind() == Kind.PATTERN ? 1 : 0;
    state.withdraw(topic);
    if (state.mustUnsubscribe()) {
      toUnsubscribe.add(topic);
    }
  }

  /**
   * Makes the request wait until all messages for the topic have arrived that the node has sent by
   * now: a client that subscribes must not get them, and one that unsubscribes must. {@link #flush}
   * asks the node.
   */
  void awaitEarlierMessages(Topic topic, AwaitedReplies request) {
    SubscriptionState state = states.get(topic);
    if (state != null && state.mayHaveMessages()) {
      earlierMessages.await(request);
    }
  }

  /** Sends the changes since the last flush to the node. */
  void flush(AwaitedReplies replies) {
    if (toSubscribe.isEmpty() && toUnsubscribe.isEmpty()) {
      earlierMessages.ask();
      return;
    }
    toSubscribe.removeIf(topic -> !mustSend(topic));
    if (connection.isReady()) {
      Batches.of(toUnsubscribe).forEach(batch -> send(false, batch, replies));
      Batches.of(toSubscribe).forEach(batch -> send(true, batch, AwaitedReplies.ignored()));
      earlierMessages.ask();
    }
    toUnsubscribe.clear();
    toSubscribe.clear();
  }

  private boolean mustSend(Topic topic) {
    SubscriptionState state = states.get(topic);
    return state != null && state.exchange == null && !state.confirmed;
  }

  private void send(boolean subscribing, List<Topic> topics, AwaitedReplies replies) {
    var exchange = new SubscribeExchange(this, subscribing, topics, replies);
    if (subscribing) {
      topics.forEach(topic -> Objects.requireNonNull(states.get(topic)).exchange = exchange);
    }
    pending++;
    queueOf(exchange).add(exchange);
  }

  private SubscribeQueue queueOf(SubscribeExchange exchange) {
    return exchange.kind() == Kind.PATTERN ? patterns : channels;
  }

  /** Sends a command of one of the queues. */
  void sendNow(SubscribeExchange exchange) {
    connection.send(exchange);
  }

  /** A command has ended, whether it was sent or not. */
  void onEnd() {
    pending--;
  }

  @Override
  public boolean onPush(@Nullable Exchange oldest, ByteBuf buffer, int from, int to) {
    Push push = Push.read(buffer, from, to);
    if (push == null) {
      return false;
    }
    if (push.isMessage()) {
      feed.onMessage(this, push, buffer, from, to);
      return false;
    }
    if (!(oldest instanceof SubscribeExchange exchange) || !exchange.isNextConfirmation(push)) {
      onEnded(push);
      return false;
    }
    onConfirmation(exchange);
    if (exchange.isDone()) {
      queueOf(exchange).remove(exchange);
      exchange.end();
      return true;
    }
    return false;
  }

  /**
   * A node that has ended the subscription to a shard channel by itself answers a later {@code
   * SUNSUBSCRIBE} with an error. That exchange has been confirmed by then, so the error belongs to
   * no exchange in flight.
   */
  @Override
  public boolean onError(@Nullable Exchange oldest, ByteBuf buffer, int from, int to) {
    boolean mayBeNext = oldest instanceof SubscribeExchange;
    return SubscribeErrors.isStale(buffer, from, to, mayBeNext ? inFlight() : List.of());
  }

  /** One that a node ends by itself has an error and no exchange. */
  @Override
  public boolean mayOwnErrors() {
    return true;
  }

  private List<SubscribeExchange> inFlight() {
    List<SubscribeExchange> all = new ArrayList<>(channels.inFlight(this));
    all.addAll(patterns.inFlight(this));
    return all;
  }

  private void onConfirmation(SubscribeExchange exchange) {
    Topic topic = exchange.confirm();
    if (!exchange.isSubscribing()) {
      nodeSubscriptions.remove(topic.kind(), topic.name());
      return;
    }
    nodeSubscriptions.add(topic.kind(), topic.name());
    SubscriptionState state = states.get(topic);
    if (state != null && state.exchange == exchange) {
      state.exchange = null;
      state.confirmed = true;
      hub.onConfirmed(feed, topic);
    }
  }

  /**
   * The node ended a subscription by itself, as it does when the slot of a shard channel moves
   * away.
   */
  private void onEnded(Push push) {
    nodeSubscriptions.remove(push.kind(), push.name());
    Topic topic = hub.topic(push.kind(), push.name());
    SubscriptionState state = topic == null ? null : states.get(topic);
    if (topic != null && state != null && state.confirmed) {
      state.confirmed = false;
      toSubscribe.add(topic);
      hub.onEnded(feed, topic);
    }
  }

  /** The node answered with an error: the command had no effect. */
  void onErrorReply(SubscribeExchange exchange, byte[] error) {
    queueOf(exchange).remove(exchange);
    if (exchange.isSubscribing()) {
      exchange.topics().forEach(topic -> onErrorReply(topic, exchange, error));
    } else {
      // Only a slot that the node does not serve causes this error. The node has ended the
      // subscription already.
      exchange.topics().forEach(topic -> nodeSubscriptions.remove(topic.kind(), topic.name()));
    }
    exchange.end();
    hub.flush();
  }

  private void onErrorReply(Topic topic, SubscribeExchange exchange, byte[] error) {
    SubscriptionState state = retryLater(topic, exchange, SubscribeErrors.retryDelay(error));
    if (state == null) {
      return;
    }
    Redirect redirect = Redirect.parse(Unpooled.wrappedBuffer(error), 0, error.length);
    if (redirect != null) {
      hub.onMoved(redirect, node);
    } else if (!SubscribeErrors.isTransient(error)) {
      if (exchange.topics().size() > 1) {
        send(true, List.of(topic), AwaitedReplies.ignored()); // find out which one is not allowed
      } else {
        state.logOnce(hub.upstream(), node, error);
        hub.onError(topic, error);
      }
    }
  }

  /** Returns null if the topic does not wait for this exchange. */
  private @Nullable SubscriptionState retryLater(
      Topic topic, SubscribeExchange exchange, long pause) {
    SubscriptionState state = states.get(topic);
    if (state == null || state.exchange != exchange) {
      return null;
    }
    state.exchange = null;
    state.retryAt = hub.now() + pause;
    hasRetries = true;
    return state;
  }

  /** The connection closed before the node confirmed, or the connection accepts no more for now. */
  void onFailure(SubscribeExchange exchange) {
    queueOf(exchange).remove(exchange);
    exchange.topics().forEach(topic -> retryLater(topic, exchange, SubscribeErrors.SHORT_DELAY));
    if (!exchange.isSubscribing()) {
      unsubscribeAgain.addAll(exchange.topics());
      hasRetries = true;
    }
    exchange.end();
  }

  @Override
  public void onConnected(Endpoint to) {
    down = false;
    toSubscribe.clear();
    unsubscribeAgain.clear(); // a new connection has no subscriptions
    toSubscribe.addAll(states.keySet());
    feed.onConnected(this);
  }

  @Override
  public void onDisconnected(Endpoint from, int attempts, Throwable cause) {
    states.values().forEach(SubscriptionState::disconnected);
    channels.removeUnsent(this).forEach(SubscribeExchange::end);
    patterns.removeUnsent(this).forEach(SubscribeExchange::end);
    nodeSubscriptions.clear();
    down = attempts > 0;
    hub.onDisconnected(feed, states.keySet(), attempts, cause);
    earlierMessages.end(); // the topics wait for the next connection
  }

  @Override
  public void onNoReply(Endpoint silent) {
    hub.onNoReply();
  }

  @Override
  public void onWritable() {
    // Nothing waits for this: the topics are kept here anyway.
  }

  /** Called several times per command timeout. */
  void tick(long now) {
    connection.tick(now);
    if (states.isEmpty()) {
      earlierMessages.end(); // they are delivered from other nodes
    }
    earlierMessages.ask();
    if (hasRetries && connection.isReady()) {
      hasRetries = false;
      states.forEach((topic, state) -> retry(topic, state, now));
      unsubscribeAgain.stream().filter(topic -> !keepIfWanted(topic)).forEach(toUnsubscribe::add);
      unsubscribeAgain.clear();
      flush(AwaitedReplies.ignored());
    }
  }

  private boolean keepIfWanted(Topic dropped) {
    Topic now = hub.topic(dropped.kind(), dropped.name());
    SubscriptionState state = now == null ? null : states.get(now);
    if (state != null) {
      state.notUnsubscribed = true;
    }
    return state != null;
  }

  private void retry(Topic topic, SubscriptionState state, long now) {
    boolean due = now - state.retryAt >= 0;
    hasRetries |= !due;
    if (due) {
      toSubscribe.add(topic); // flush removes those that were confirmed meanwhile
    }
  }

  void close() {
    connection.close();
    nodeSubscriptions.clear();
    earlierMessages.end();
  }
}
