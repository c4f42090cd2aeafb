package io.penstock.core.pubsub;

import io.penstock.core.backend.BackendSettings;
import io.penstock.core.backend.HandshakeError;
import io.penstock.core.observe.ClosedConnections;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.Shard;
import io.penstock.core.upstream.UnknownPlacement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The feeds of one loop, one per node, and the assignment of topics to them. */
final class Feeds {

  /**
   * How long a message may take from node to node over the cluster bus. When a topic gets another
   * owner, its subscription stays at the old owner for this time. The old owner delivers messages
   * published there before those published at the new owner; the new owner may deliver them in the
   * other order. A shard channel moves as soon as the old owner has ended its subscription.
   */
  static final long BUS_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private final Hub hub;
  private final Map<Endpoint, Feed> feeds = new LinkedHashMap<>();
  private final ClosedConnections closed = new ClosedConnections();
  private Placement placement = UnknownPlacement.INSTANCE;
  private DepartedSystems departed = DepartedSystems.NONE;
  private final Set<Topic> delayed =
      new LinkedHashSet<>(); // topics still subscribed to at their old owner

  Feeds(Hub hub) {
    this.hub = hub;
  }

  /** The snapshot that {@link #assign} uses. */
  Placement placement() {
    return placement;
  }

  void adopt(Placement latest) {
    placement = latest;
    departed.adopt(latest);
  }

  /**
   * The settings change. Subscriptions at systems that the next placement does not have stay for
   * some time.
   */
  void keepDeparted(long until) {
    departed = new DepartedSystems(placement, until);
  }

  /** Subscribes to the topic at the feeds where it belongs and unsubscribes it from all others. */
  void assign(Topic topic) {
    Feed owner = ownerOf(topic);
    if (owner != null) {
      topic.assignTo(owner, hub.now() + BUS_DELAY_NANOS);
      if (topic.mustStay() && haveOneBus(topic.home(), owner)) {
        delayed.add(topic);
      } else {
        delayed.remove(topic);
        owner.subscribe(topic);
        topic.moveTo(owner);
      }
    }
    if (isOnEveryMaster(topic)) {
      placement.shards().forEach(shard -> feed(shard.master()).subscribe(topic));
    }
    for (Feed feed : feeds.values()) {
      if (!topic.uses(feed) && !mayStay(topic, feed)) {
        feed.unsubscribe(topic);
      }
    }
  }

  /** Whether messages that are published at one node reach the other, possibly later. */
  private boolean haveOneBus(@Nullable TopicNode one, TopicNode other) {
    int first = one == null ? -1 : indexOfShard(one.node());
    int second = indexOfShard(other.node());
    return first >= 0 && second >= 0 && placement.busOf(first) == placement.busOf(second);
  }

  private int indexOfShard(Endpoint node) {
    List<Shard> shards = placement.shards();
    for (int i = 0; i < shards.size(); i++) {
      if (shards.get(i).master().equals(node) || shards.get(i).replicas().contains(node)) {
        return i;
      }
    }
    return -1;
  }

  /**
   * Returns the feed of the node that the topic belongs to, or null if no node serves the slot of a
   * shard channel. Cluster nodes forward all other messages to each other, and other shards are
   * subscribed to as well, so another node is used while the owner cannot be reached.
   */
  private @Nullable Feed ownerOf(Topic topic) {
    int owner = placement.ownerOf(topic.partition());
    List<Shard> shards = placement.shards();
    if (shards.isEmpty() || (owner < 0 && topic.kind() == Kind.SHARD)) {
      return null;
    }
    Feed first = feed(shards.get(Math.max(owner, 0)).master());
    if (topic.kind() == Kind.SHARD || !first.isDown()) {
      return first;
    }
    for (int i = 1; i < shards.size(); i++) {
      Feed other = feed(shards.get((owner + i) % shards.size()).master());
      if (!other.isDown()) {
        return other;
      }
    }
    return first;
  }

  private Feed feed(Endpoint node) {
    Feed known = feeds.get(node);
    if (known == null) {
      known = new Feed(hub, node, closed);
      feeds.put(node, known);
    }
    return known;
  }

  /**
   * Whether the topic is subscribed to at every master: for keyspace notifications, and where
   * shards do not forward messages to each other.
   */
  boolean isOnEveryMaster(Topic topic) {
    return topic.isOnEveryMaster() || (!placement.hasOneBus() && topic.kind() != Kind.SHARD);
  }

  /** Whether the topic is subscribed to at this feed as at every master. */
  boolean isFeedOfMaster(Topic topic, TopicNode feed) {
    return isOnEveryMaster(topic) && placement.indexOfMaster(feed.node()) >= 0;
  }

  /** Whether a subscription at this feed may stay although it is not of the topic's home. */
  boolean mayStay(Topic topic, TopicNode feed) {
    return departed.has(feed.node()) || isFeedOfMaster(topic, feed);
  }

  /**
   * Whether a message from this feed is delivered. In a cluster every node forwards published
   * messages, so only those of one node are accepted. Of several systems, one node of each is.
   */
  boolean accepts(Feed feed, Topic topic, Push push) {
    boolean hasDeparted = departed.has(feed.node());
    if (topic.kind() == Kind.SHARD) {
      return hasDeparted || topic.uses(feed);
    }
    if (topic.isOnEveryMaster() && KeyspaceChannels.isKeyspaceChannel(push.channel().toString())) {
      return hasDeparted || isFeedOfMaster(topic, feed);
    }
    if (hasDeparted) {
      return isFirstOfDeparted(feed, topic);
    }
    return placement.hasOneBus() ? feed == topic.home() : isFirstOfBus(feed);
  }

  /** Returns whether the feed is the first of its departed system that has the topic. */
  private boolean isFirstOfDeparted(Feed feed, Topic topic) {
    for (Feed other : feeds.values()) {
      if (other.isSubscribed(topic) && departed.haveOneBus(other.node(), feed.node())) {
        return other == feed;
      }
    }
    return true;
  }

  /** Returns whether the feed is of the first master of its system that can be reached. */
  private boolean isFirstOfBus(Feed feed) {
    int own = placement.indexOfMaster(feed.node());
    if (own < 0) {
      return false;
    }
    int bus = placement.busOf(own);
    for (int other = own - 1; other >= 0 && placement.busOf(other) == bus; other--) {
      if (!feed(placement.shards().get(other).master()).isDown()) {
        return false;
      }
    }
    return true;
  }

  /**
   * Whether the topic is subscribed to at all feeds that it needs. A shard that cannot be reached
   * delays only keyspace notifications.
   */
  boolean isReady(Topic topic) {
    TopicNode home = topic.home();
    if (home == null || !home.isSubscribed(topic)) {
      return false;
    }
    if (isOnEveryMaster(topic)) {
      for (Shard shard : placement.shards()) {
        Feed feed = feed(shard.master());
        if (!feed.isSubscribed(topic) && (topic.isOnEveryMaster() || !feed.isDown())) {
          return false;
        }
      }
    }
    return true;
  }

  /**
   * The error with which a node that the topic needs refuses connections; null if none does, or if
   * waiting may help.
   */
  @Nullable HandshakeError refusalOf(Topic topic) {
    TopicNode home = topic.home();
    if (home != null && !home.isSubscribed(topic)) {
      return home.refusalOf(topic);
    }
    if (topic.isOnEveryMaster()) {
      for (Shard shard : placement.shards()) {
        Feed feed = feed(shard.master());
        HandshakeError refusal = feed.isSubscribed(topic) ? null : feed.refusalOf(topic);
        if (refusal != null) {
          return refusal;
        }
      }
    }
    return null;
  }

  /** See {@link Feed#awaitEarlierMessages}. */
  void awaitEarlierMessages(Topic topic, AwaitedReplies request) {
    feeds.values().forEach(feed -> feed.awaitEarlierMessages(topic, request));
  }

  /** Unsubscribes from the topic at all nodes: no client wants it. */
  void unsubscribe(Topic topic) {
    delayed.remove(topic);
    feeds.values().forEach(feed -> feed.unsubscribe(topic));
  }

  /** Sends the changes to the nodes. */
  void flush(AwaitedReplies replies) {
    for (Feed feed : List.copyOf(feeds.values())) {
      feed.flush(replies);
    }
  }

  void tick(long now) {
    if (departed != DepartedSystems.NONE && departed.isOver(now)) {
      departed = DepartedSystems.NONE;
      hub.assignAll();
    }
    for (Topic topic : List.copyOf(delayed)) {
      if (topic.mayMove(now)) {
        assign(topic);
        hub.flush();
      }
    }
    for (Feed feed : List.copyOf(feeds.values())) {
      feed.tick(now);
      if (feed.isUnused(now)) {
        feeds.remove(feed.node());
        feed.close();
      }
    }
  }

  void adopt(BackendSettings settings) {
    feeds.values().forEach(feed -> feed.adopt(settings));
  }

  void authenticateAgain() {
    feeds.values().forEach(Feed::authenticateAgain);
  }

  List<NodeStats> stats() {
    List<NodeStats> stats = new ArrayList<>();
    feeds.values().forEach(feed -> stats.addAll(feed.stats()));
    return stats;
  }

  List<NodeStats> closedStats() {
    return closed.stats();
  }

  void close() {
    List.copyOf(feeds.values()).forEach(Feed::close);
    feeds.clear();
  }
}
