package io.penstock.core.pubsub;

import io.penstock.core.backend.ClosedConnections;
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

/** The nodes that one loop listens to, and which topic belongs to which of them. */
final class Feeds {

  /**
   * How long messages may take from node to node: for so long a topic stays where it is listened to
   * after it has come to belong elsewhere. There, what was published at the old owner is heard
   * before what is published at the new one; at the new one it may come behind. A shard channel
   * moves as soon as the old owner has ended its subscription.
   */
  static final long BUS_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private final Hub hub;
  private final Map<Endpoint, Feed> feeds = new LinkedHashMap<>();
  private final ClosedConnections closed = new ClosedConnections();
  private Placement placement = UnknownPlacement.INSTANCE;
  private final Set<Topic> staying = new LinkedHashSet<>(); // for now, where they do not belong

  Feeds(Hub hub) {
    this.hub = hub;
  }

  /** The snapshot that {@link #assign} goes by. */
  Placement placement() {
    return placement;
  }

  void adopt(Placement map) {
    placement = map;
  }

  /** Sees to it that a topic is wanted where it should be, and nowhere else. */
  void assign(Topic topic) {
    Feed owner = ownerOf(topic);
    if (owner != null) {
      topic.assignTo(owner, hub.now() + BUS_DELAY_NANOS);
      if (topic.mustStay()) {
        staying.add(topic);
      } else {
        staying.remove(topic);
        owner.subscribe(topic);
        topic.moveTo(owner);
      }
    }
    if (topic.isOnEveryMaster()) {
      placement.shards().forEach(shard -> feed(shard.master()).subscribe(topic));
    }
    for (Feed feed : feeds.values()) {
      if (!topic.uses(feed) && !isKeyspaceFeed(topic, feed)) {
        feed.unsubscribe(topic);
      }
    }
  }

  /**
   * The node that a topic belongs to; null while nobody serves the slot of a shard channel. What
   * else is published in a cluster is passed on to all nodes, so while the owner cannot be reached
   * another one will do.
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
      known = new Feed(hub, node);
      feeds.put(node, known);
    }
    return known;
  }

  /** Whether the feed is one of those that a topic listens to for keyspace notifications. */
  boolean isKeyspaceFeed(Topic topic, Feed feed) {
    return topic.isOnEveryMaster() && placement.indexOfMaster(feed.node()) >= 0;
  }

  /** In a cluster every node passes on what was published, so one of them is believed. */
  boolean accepts(Feed feed, Topic topic, Push push) {
    if (topic.kind() == Kind.SHARD) {
      return topic.uses(feed);
    }
    if (topic.isOnEveryMaster() && KeyspaceChannels.isKeyspaceChannel(push.channel().toString())) {
      return isKeyspaceFeed(topic, feed);
    }
    return feed == topic.home();
  }

  /** Whether all feeds that a topic needs listen. */
  boolean isReady(Topic topic) {
    Feed home = topic.home();
    if (home == null || !home.isSubscribed(topic)) {
      return false;
    }
    if (topic.isOnEveryMaster()) {
      for (Shard shard : placement.shards()) {
        if (!feed(shard.master()).isSubscribed(topic)) {
          return false;
        }
      }
    }
    return true;
  }

  /** Nobody wants the topic any more. */
  void unsubscribe(Topic topic) {
    staying.remove(topic);
    feeds.values().forEach(feed -> feed.unsubscribe(topic));
  }

  /** Tells the nodes what has changed. */
  void flush(UnsubscribeRequest leaving) {
    for (Feed feed : List.copyOf(feeds.values())) {
      feed.flush(leaving);
    }
  }

  void tick(long now) {
    for (Topic topic : List.copyOf(staying)) {
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
        closed.add(feed.stats());
      }
    }
  }

  List<NodeStats> stats() {
    List<NodeStats> stats = new ArrayList<>();
    feeds.values().forEach(feed -> stats.add(feed.stats()));
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
