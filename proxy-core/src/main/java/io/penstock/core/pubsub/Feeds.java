package io.penstock.core.pubsub;

import io.penstock.core.cluster.Node;
import io.penstock.core.cluster.Shard;
import io.penstock.core.cluster.SlotMap;
import io.penstock.core.observe.ProxyStats.NodeStats;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The nodes that one loop listens to, and which topic belongs to which of them. */
final class Feeds {

  private final Hub hub;
  private final Map<Node, Feed> feeds = new LinkedHashMap<>();
  private SlotMap adopted = SlotMap.EMPTY;

  Feeds(Hub hub) {
    this.hub = hub;
  }

  /** The snapshot that {@link #settle} goes by. */
  SlotMap adopted() {
    return adopted;
  }

  void adopt(SlotMap map) {
    adopted = map;
  }

  /** Sees to it that a topic is wanted where it should be, and nowhere else. */
  void settle(Topic topic) {
    Feed owner = ownerOf(topic);
    if (owner != null) {
      owner.want(topic);
      topic.moveTo(owner);
    }
    if (topic.isEverywhere()) {
      adopted.shards().forEach(shard -> feed(shard.master()).want(topic));
    }
    for (Feed feed : feeds.values()) {
      if (!topic.dependsOn(feed) && !isOneOfMany(topic, feed)) {
        feed.unwant(topic);
      }
    }
  }

  /**
   * The node that a topic belongs to; null while nobody serves the slot of a shard channel. What
   * else is published in a cluster is passed on to all nodes, so while the owner cannot be reached
   * another one will do.
   */
  private @Nullable Feed ownerOf(Topic topic) {
    int owner = adopted.ownerOf(topic.slot());
    List<Shard> shards = adopted.shards();
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

  private Feed feed(Node node) {
    Feed known = feeds.get(node);
    if (known == null) {
      known = new Feed(hub, node);
      feeds.put(node, known);
    }
    return known;
  }

  /** Whether the feed is one of those that a topic listens to for keyspace notifications. */
  boolean isOneOfMany(Topic topic, Feed feed) {
    return topic.isEverywhere() && adopted.indexOfMaster(feed.node()) >= 0;
  }

  /** Whether all feeds that a topic needs listen. */
  boolean isReady(Topic topic) {
    Feed home = topic.home();
    if (home == null || !home.isListening(topic)) {
      return false;
    }
    if (topic.isEverywhere()) {
      for (Shard shard : adopted.shards()) {
        if (!feed(shard.master()).isListening(topic)) {
          return false;
        }
      }
    }
    return true;
  }

  /** Nobody wants the topic any more. */
  void drop(Topic topic) {
    feeds.values().forEach(feed -> feed.unwant(topic));
  }

  /** Tells the nodes what has changed. */
  void flush(Leaving leaving) {
    for (Feed feed : List.copyOf(feeds.values())) {
      feed.flush(leaving);
    }
  }

  void tick(long now, long silence) {
    for (Feed feed : List.copyOf(feeds.values())) {
      feed.tick(now, silence);
      if (feed.isSpare(now)) {
        feeds.remove(feed.node());
        feed.close();
      }
    }
  }

  List<NodeStats> stats() {
    List<NodeStats> stats = new ArrayList<>();
    feeds.values().forEach(feed -> stats.add(feed.stats()));
    return stats;
  }

  void close() {
    List.copyOf(feeds.values()).forEach(Feed::close);
    feeds.clear();
  }
}
