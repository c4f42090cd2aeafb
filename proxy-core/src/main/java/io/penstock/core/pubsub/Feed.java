package io.penstock.core.pubsub;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.backend.BackendListener;
import io.penstock.core.backend.PushSink;
import io.penstock.core.backend.SubscriberConnection;
import io.penstock.core.cluster.Redirect;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.upstream.Endpoint;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What one loop listens to at one node, over one connection. Says again what is wanted whenever the
 * connection comes back, until the node has confirmed it. Confined to its loop.
 */
final class Feed implements PushSink, BackendListener {

  /** Nanoseconds that a connection is kept for which there is no use. */
  private static final long SPARE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Hub hub;
  private final Endpoint node;
  private final SubscriberConnection connection;
  private final Map<Topic, SubscriptionState> placements = new LinkedHashMap<>();
  private final NodeSubscriptions believed;
  private final SubscribeQueue orders;
  private final List<Topic> toAsk = new ArrayList<>();
  private final List<Topic> toDrop = new ArrayList<>();
  private final List<Topic> undropped = new ArrayList<>(); // the node took no more just then
  private boolean someRefused; // there may be topics to ask for again, or to drop
  private boolean down; // the newest attempt to connect failed
  private long usedAt;

  Feed(Hub hub, Endpoint node) {
    this.hub = hub;
    this.node = node;
    this.connection = new SubscriberConnection(node, hub.siteFor(this));
    this.believed = new NodeSubscriptions(hub.subscriberCounts(), node);
    this.usedAt = hub.now();
    this.orders = new SubscribeQueue(connection);
  }

  Endpoint node() {
    return node;
  }

  NodeStats stats() {
    return connection.stats();
  }

  boolean isReady() {
    return connection.isReady();
  }

  boolean isSubscribed(Topic topic) {
    SubscriptionState placement = placements.get(topic);
    return placement != null && placement.confirmed;
  }

  /** Whether the node cannot be reached, as far as is known. */
  boolean isDown() {
    return down;
  }

  /** Whether nothing has been wanted here for a while. */
  boolean isUnused(long now) {
    if (!placements.isEmpty() || !orders.isEmpty()) {
      usedAt = now;
    }
    return now - usedAt > SPARE_NANOS;
  }

  /** Subscribes at the next {@link #flush}, or when there is a connection. */
  void subscribe(Topic topic) {
    if (placements.containsKey(topic)) {
      return;
    }
    placements.put(topic, new SubscriptionState());
    if (connection.isReady()) {
      toAsk.add(topic);
    } else {
      connection.connect();
    }
  }

  /** Unsubscribes at the next {@link #flush}. */
  void unsubscribe(Topic topic) {
    SubscriptionState placement = placements.remove(topic);
    if (placement != null && placement.mustUnsubscribe()) {
      toDrop.add(topic);
    }
  }

  /** Tells the node what has changed since the last time. */
  void flush(UnsubscribeRequest leaving) {
    toAsk.removeIf(topic -> !isToBeAsked(topic));
    if (connection.isReady()) {
      Batches.of(toDrop).forEach(batch -> send(false, batch, leaving));
      Batches.of(toAsk).forEach(batch -> send(true, batch, UnsubscribeRequest.withoutCallback()));
    }
    toDrop.clear();
    toAsk.clear();
  }

  private boolean isToBeAsked(Topic topic) {
    SubscriptionState placement = placements.get(topic);
    return placement != null && placement.exchange == null && !placement.confirmed;
  }

  private void send(boolean subscribing, List<Topic> topics, UnsubscribeRequest leaving) {
    var order = new SubscribeExchange(this, subscribing, topics, leaving);
    if (subscribing) {
      topics.forEach(topic -> Objects.requireNonNull(placements.get(topic)).exchange = order);
    }
    orders.add(order);
  }

  @Override
  public boolean onPush(ByteBuf buffer, int from, int to) {
    Push push = Push.read(buffer, from, to);
    if (push == null) {
      return false;
    }
    if (push.isMessage()) {
      hub.onMessage(this, push, buffer, from, to);
      return false;
    }
    SubscribeExchange oldest = orders.oldest();
    if (oldest == null || !oldest.isNextConfirmation(push)) {
      dropped(push);
      return false;
    }
    confirmed(oldest);
    if (oldest.isDone()) {
      orders.remove(oldest);
      oldest.end();
      return true;
    }
    return false;
  }

  /**
   * A shard channel that a node has ended by itself it refuses to end, which was confirmed then.
   */
  @Override
  public boolean onError(ByteBuf buffer, int from, int to) {
    return orders.isStaleError(buffer, from, to);
  }

  private void confirmed(SubscribeExchange order) {
    Topic topic = order.confirm();
    if (!order.isSubscribing()) {
      believed.remove(topic.kind(), topic.name());
      return;
    }
    believed.add(topic.kind(), topic.name());
    SubscriptionState placement = placements.get(topic);
    if (placement != null && placement.exchange == order) {
      placement.exchange = null;
      placement.confirmed = true;
      hub.onConfirmed(this, topic);
    }
  }

  /** The node ended a subscription by itself, as when a shard channel's slot moves away. */
  private void dropped(Push push) {
    believed.remove(push.kind(), push.name());
    Topic topic = hub.topic(push.kind(), push.name());
    SubscriptionState placement = topic == null ? null : placements.get(topic);
    if (topic != null && placement != null && placement.confirmed) {
      placement.confirmed = false;
      toAsk.add(topic);
      hub.onEnded(this, topic);
    }
  }

  /** A node refused an order: nothing of it took effect. */
  void onError(SubscribeExchange order, byte[] error) {
    orders.remove(order);
    if (order.isSubscribing()) {
      order.topics().forEach(topic -> onError(topic, order, error));
    } else {
      // Only a slot that is not here any more is refused, and then the node has forgotten already.
      order.topics().forEach(topic -> believed.remove(topic.kind(), topic.name()));
    }
    order.end();
    hub.flush();
  }

  private void onError(Topic topic, SubscribeExchange order, byte[] error) {
    SubscriptionState placement = askLater(topic, order, SubscribeErrors.retryDelay(error));
    if (placement == null) {
      return;
    }
    Redirect redirect = Redirect.parse(Unpooled.wrappedBuffer(error), 0, error.length);
    if (redirect != null) {
      hub.onMoved(redirect, node);
    } else if (!SubscribeErrors.isTransient(error)) {
      if (order.topics().size() > 1) {
        send(
            true,
            List.of(topic),
            UnsubscribeRequest.withoutCallback()); // which of them is not allowed?
      } else {
        placement.logOnce(node, error);
        hub.onError(topic, error);
      }
    }
  }

  /** Answers null when it is not the order that the topic waits for. */
  private @Nullable SubscriptionState askLater(Topic topic, SubscribeExchange order, long pause) {
    SubscriptionState placement = placements.get(topic);
    if (placement == null || placement.exchange != order) {
      return null;
    }
    placement.exchange = null;
    placement.retryAt = hub.now() + pause;
    someRefused = true;
    return placement;
  }

  /** The connection ended before the node confirmed, or takes no more for now. */
  void onFailure(SubscribeExchange order) {
    orders.remove(order);
    order.topics().forEach(topic -> askLater(topic, order, SubscribeErrors.SHORT_DELAY));
    if (!order.isSubscribing()) {
      undropped.addAll(order.topics());
      someRefused = true;
    }
    order.end();
  }

  @Override
  public void onConnected(Endpoint to) {
    down = false;
    toAsk.clear();
    undropped.clear(); // it knows of nothing
    toAsk.addAll(placements.keySet());
    hub.onConnected(this);
  }

  @Override
  public void onDisconnected(Endpoint from, int attempts, Throwable cause) {
    placements.values().forEach(SubscriptionState::disconnected);
    orders.removeUnsent().forEach(SubscribeExchange::end);
    believed.clear();
    down = attempts > 0;
    hub.onDisconnected(this, attempts, cause);
  }

  @Override
  public void onNoReply(Endpoint silent) {
    hub.onNoReply();
  }

  @Override
  public void onWritable() {
    // Nobody waits: what is subscribed to is kept here anyway.
  }

  Set<Topic> topics() {
    return placements.keySet();
  }

  /** Called several times per command timeout. */
  void tick(long now) {
    connection.tick(now);
    if (someRefused && connection.isReady()) {
      someRefused = false;
      placements.forEach((topic, placement) -> askAgain(topic, placement, now));
      undropped.stream().filter(topic -> !isWantedAgain(topic)).forEach(toDrop::add);
      undropped.clear();
      flush(UnsubscribeRequest.withoutCallback());
    }
  }

  private boolean isWantedAgain(Topic dropped) {
    Topic now = hub.topic(dropped.kind(), dropped.name());
    SubscriptionState again = now == null ? null : placements.get(now);
    if (again != null) {
      again.notUnsubscribed = true;
    }
    return again != null;
  }

  private void askAgain(Topic topic, SubscriptionState placement, long now) {
    boolean due = now - placement.retryAt >= 0;
    someRefused |= !due;
    if (due) {
      toAsk.add(topic); // those that were answered meanwhile are sorted out
    }
  }

  void close() {
    connection.close();
    believed.clear();
  }
}
