package io.penstock.core.pubsub;

import io.netty.buffer.ByteBuf;
import io.penstock.core.backend.BackendSettings;
import io.penstock.core.backend.HandshakeError;
import io.penstock.core.observe.ClosedConnections;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.upstream.Endpoint;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions of one loop at one node. They share one connection, except for patterns:
 * servers up to Redis 7.0 compare a new pattern with each pattern of its connection, so a
 * connection has a limited number, and further patterns have further connections. Patterns are sent
 * few at a time. Confined to its loop.
 */
final class Feed implements TopicNode {

  /** Patterns of one connection at most. */
  static final int PATTERNS_PER_CONNECTION = 1_000;

  /** Patterns of one command at most. */
  static final int PATTERNS_PER_COMMAND = 100;

  /** Patterns sent to the node by all loops and not confirmed at most, about. */
  private static final int PATTERNS_IN_FLIGHT = 1_000;

  private final Hub hub;
  private final Endpoint node;
  private final ClosedConnections closed;
  private final SubscribeQueue patternQueue;
  private final FeedConnection main;
  private final List<FeedConnection> connections = new ArrayList<>(); // the first is the main one
  private final Map<Topic, FeedConnection> elsewhere = new HashMap<>(); // not at the main one

  /**
   * @param closed gets the counters of connections that are closed permanently
   */
  Feed(Hub hub, Endpoint node, ClosedConnections closed) {
    this.hub = hub;
    this.node = node;
    this.closed = closed;
    this.patternQueue =
        new SubscribeQueue(Math.max(PATTERNS_PER_COMMAND, PATTERNS_IN_FLIGHT / hub.loopCount()));
    this.main = new FeedConnection(hub, this, patternQueue);
    connections.add(main);
  }

  @Override
  public Endpoint node() {
    return node;
  }

  /** One entry per connection. */
  List<NodeStats> stats() {
    return connections.stream().map(FeedConnection::stats).toList();
  }

  void adopt(BackendSettings settings) {
    connections.forEach(each -> each.adopt(settings));
  }

  void authenticateAgain() {
    connections.forEach(FeedConnection::authenticateAgain);
  }

  private FeedConnection connectionOf(Topic topic) {
    return elsewhere.getOrDefault(topic, main);
  }

  @Override
  public boolean isReadyFor(Topic topic) {
    return connectionOf(topic).isReady();
  }

  @Override
  public @Nullable HandshakeError refusalOf(Topic topic) {
    return connectionOf(topic).refusal();
  }

  @Override
  public boolean isSubscribed(Topic topic) {
    return connectionOf(topic).isSubscribed(topic);
  }

  /** Whether the latest attempt to connect to the node failed. */
  boolean isDown() {
    return main.isDown();
  }

  /** Whether the feed has had no topic and no pending command for ten seconds. */
  boolean isUnused(long now) {
    return connections.size() == 1 && main.isUnused(now);
  }

  /** See {@link FeedConnection#subscribe}. Does nothing if the feed has the topic already. */
  void subscribe(Topic topic) {
    if (connectionOf(topic).has(topic)) {
      return;
    }
    FeedConnection connection = topic.kind() == Kind.PATTERN ? connectionForPattern() : main;
    if (connection != main) {
      elsewhere.put(topic, connection);
    }
    connection.subscribe(topic);
  }

  /**
   * Returns the first connection that has room for a pattern, so that as few are open as possible.
   */
  private FeedConnection connectionForPattern() {
    for (FeedConnection each : connections) {
      if (each.patternCount() < PATTERNS_PER_CONNECTION) {
        return each;
      }
    }
    var further = new FeedConnection(hub, this, patternQueue);
    connections.add(further);
    return further;
  }

  @Override
  public void unsubscribe(Topic topic) {
    FeedConnection other = elsewhere.remove(topic);
    (other == null ? main : other).unsubscribe(topic);
  }

  /** See {@link FeedConnection#awaitEarlierMessages}. */
  void awaitEarlierMessages(Topic topic, AwaitedReplies request) {
    connectionOf(topic).awaitEarlierMessages(topic, request);
  }

  /** Sends the changes since the last flush to the node. */
  void flush(AwaitedReplies replies) {
    for (int i = 0; i < connections.size(); i++) { // a request that goes on may add connections
      connections.get(i).flush(replies);
    }
  }

  void onConnected(FeedConnection connection) {
    hub.onConnected(this);
    if (connection == main) {
      hub.assignAll(); // topics that were subscribed to at another node meanwhile come back
    } else {
      connection.flush(AwaitedReplies.ignored());
    }
  }

  /** Delivers a message. Borrows the buffer. */
  void onMessage(FeedConnection connection, Push push, ByteBuf buffer, int from, int to) {
    if (isFrom(connection, push)) {
      hub.onMessage(this, push, buffer, from, to);
    }
  }

  /**
   * Whether the connection is that of the name. A pattern that is subscribed to again may be at
   * another connection, while the former one still has the subscription and sends the same message.
   */
  private boolean isFrom(FeedConnection connection, Push push) {
    if (connections.size() == 1 || push.kind() != Kind.PATTERN) {
      return true;
    }
    Topic topic = hub.topic(push.kind(), push.name());
    return topic != null && connectionOf(topic) == connection;
  }

  /** Called several times per command timeout. */
  void tick(long now) {
    for (FeedConnection each : List.copyOf(connections)) {
      each.tick(now);
      if (each != main && each.isUnused(now)) {
        connections.remove(each);
        close(each);
      }
    }
  }

  private void close(FeedConnection connection) {
    connection.close();
    closed.add(connection.stats());
  }

  void close() {
    List.copyOf(connections).forEach(this::close);
  }
}
