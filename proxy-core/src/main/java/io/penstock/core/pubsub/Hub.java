package io.penstock.core.pubsub;

import io.netty.buffer.ByteBuf;
import io.penstock.core.backend.BackendSettings;
import io.penstock.core.backend.BackendSite;
import io.penstock.core.backend.Failure;
import io.penstock.core.cluster.Node;
import io.penstock.core.cluster.Redirect;
import io.penstock.core.cluster.RefreshTrigger;
import io.penstock.core.cluster.SlotMap;
import io.penstock.core.cluster.Topology;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions of one loop's clients. Each channel, pattern and shard channel is subscribed to
 * once, at the node that the slot map names for it, as long as a client wants it. Confined to its
 * loop.
 */
public final class Hub {

  private final LoopGroup group;
  private final Loop loop;
  private final BackendSettings settings;
  private final Topology topology;
  private final ProxyEvents events;
  private final Audience audience;
  private final Map<Kind, Map<Name, Topic>> topics = new EnumMap<>(Kind.class);
  private final Feeds feeds = new Feeds(this);
  private final Set<Joining> joinings = new LinkedHashSet<>();
  private boolean closed;

  public Hub(
      LoopGroup group,
      Loop loop,
      BackendSettings settings,
      Topology topology,
      ProxyEvents events,
      Audience audience) {
    this.group = group;
    this.loop = loop;
    this.settings = settings;
    this.topology = topology;
    this.events = events;
    this.audience = audience;
    for (Kind kind : Kind.values()) {
      topics.put(kind, new HashMap<>());
    }
  }

  BackendSite siteFor(Feed feed) {
    return new BackendSite(group, loop, settings, feed, feed);
  }

  long now() {
    return loop.now();
  }

  public Audience audience() {
    return audience;
  }

  private Map<Name, Topic> of(Kind kind) {
    Map<Name, Topic> map = topics.get(kind);
    if (map == null) {
      throw new IllegalStateException("no map for " + kind);
    }
    return map;
  }

  @Nullable Topic topic(Kind kind, Name name) {
    return of(kind).get(name);
  }

  /**
   * Subscribes. The outcome may be told before this returns.
   *
   * @param deadline {@link System#nanoTime()} at which it fails
   */
  public Joining join(
      Subscriber subscriber, Kind kind, Iterable<Name> names, long deadline, Joining.Outcome end) {
    adoptTopology();
    var joining = new Joining(subscriber, end, deadline);
    for (Name name : names) {
      Topic topic = of(kind).computeIfAbsent(name, _ -> new Topic(kind, name));
      topic.joinings().add(joining);
      feeds.settle(topic);
      joining.needs(topic, feeds.isReady(topic));
      if (topic.home() == null) {
        topology.requestRefresh(RefreshTrigger.UNCOVERED_SLOT);
      }
    }
    joinings.add(joining);
    flush();
    if (joining.isComplete()) {
      complete(joining);
    }
    return joining;
  }

  private void complete(Joining joining) {
    joinings.remove(joining);
    for (Topic topic : joining.topics()) {
      topic.joinings().remove(joining);
      if (topic.subscribers().add(joining.subscriber())) {
        audience.clients(topic, 1);
      }
    }
    joining.outcome().joined();
  }

  /** Gives up a joining whose outcome nobody waits for any more; none is told. */
  public void cancel(Joining joining) {
    if (joinings.remove(joining)) {
      for (Topic topic : joining.topics()) {
        topic.joinings().remove(joining);
        dropUnlessWanted(topic);
      }
      flush();
    }
  }

  /**
   * Unsubscribes: no message comes from now on.
   *
   * @param done runs when the nodes know it too; perhaps before this returns
   */
  public void leave(Subscriber subscriber, Kind kind, Iterable<Name> names, Runnable done) {
    for (Name name : names) {
      Topic topic = topic(kind, name);
      if (topic != null && topic.subscribers().remove(subscriber)) {
        audience.clients(topic, -1);
        dropUnlessWanted(topic);
      }
    }
    var leaving = new Leaving(done);
    feeds.flush(leaving);
    leaving.oneDone();
  }

  private void dropUnlessWanted(Topic topic) {
    if (!topic.isOfInterest()) {
      of(topic.kind()).remove(topic.name());
      feeds.drop(topic);
    }
  }

  /** Tells the nodes what has changed; nobody waits for their answer. */
  void flush() {
    feeds.flush(Leaving.unnoticed());
  }

  /** A feed's node has confirmed a topic. */
  void listening(Feed feed, Topic topic) {
    Feed before = topic.listensAt(feed);
    if (before != null && !feeds.isOneOfMany(topic, before)) {
      before.unwant(topic);
      flush();
    }
    if (feeds.isReady(topic)) {
      for (Joining joining : List.copyOf(topic.joinings())) {
        if (joining.ready(topic)) {
          complete(joining);
        }
      }
    }
  }

  /** A node has ended a topic's subscription by itself. */
  void interrupted(Feed feed, Topic topic) {
    topology.requestRefresh(RefreshTrigger.MOVED);
    notListening(feed, topic);
    flush();
  }

  private void notListening(Feed feed, Topic topic) {
    topic.lost(feed);
    topic.joinings().forEach(joining -> joining.notReady(topic));
    feeds.settle(topic);
  }

  /** A node named the owner of a slot. */
  void moved(Redirect redirect, Node answered) {
    if (redirect.kind() == Redirect.Kind.MOVED) {
      topology.moved(redirect.slot(), redirect.target(answered));
      adoptTopology();
    }
  }

  /** A node does not allow a topic. Who listens already goes on hoping. */
  void refused(Topic topic, byte[] error) {
    for (Joining joining : List.copyOf(topic.joinings())) {
      cancel(joining);
      joining.outcome().refused(error);
    }
  }

  void connected(Feed feed) {
    events.backendConnected(feed.node());
    settleAll(); // what had to go elsewhere meanwhile comes back
  }

  void disconnected(Feed feed, int attempts, Throwable cause) {
    events.backendDisconnected(feed.node(), cause);
    for (Topic topic : List.copyOf(feed.wanted())) {
      notListening(feed, topic);
    }
    flush();
    if (attempts > 0) {
      topology.requestRefresh(RefreshTrigger.RECONNECT);
    }
  }

  /** Passes a message on to those who have joined. Borrows the buffer. */
  void message(Feed feed, Push push, ByteBuf buffer, int from, int to) {
    Topic topic = topic(push.kind(), push.name());
    if (topic == null || !feeds.believes(feed, topic, push)) {
      return;
    }
    topic.pass(new Message(buffer, from, to));
  }

  /** Looks at the newest snapshot and moves what belongs elsewhere now. */
  public void adoptTopology() {
    SlotMap map = topology.current();
    if (map != feeds.adopted() && !closed) {
      feeds.adopt(map);
      settleAll();
    }
  }

  private void settleAll() {
    for (Map<Name, Topic> ofKind : topics.values()) {
      ofKind.values().forEach(feeds::settle);
    }
    flush();
  }

  /** Ends what is past its deadline; called several times per command timeout. */
  public void tick(long now) {
    adoptTopology();
    for (Joining joining : List.copyOf(joinings)) {
      if (joining.deadline() - now <= 0 && joinings.contains(joining)) {
        cancel(joining);
        joining.outcome().failed(reason(joining));
      }
    }
    feeds.tick(now);
  }

  private static Failure reason(Joining joining) {
    for (Topic topic : joining.missing()) {
      Feed home = topic.home();
      if (home == null) {
        return Failure.NO_OWNER;
      }
      if (home.isReady() && !home.isListening(topic)) {
        return Failure.TIMEOUT;
      }
    }
    return Failure.NOT_SENT;
  }

  /** One entry per node with a connection. */
  public List<NodeStats> stats() {
    return feeds.stats();
  }

  /** What was counted on connections that are closed, by node. */
  public List<NodeStats> closedStats() {
    return feeds.closedStats();
  }

  /** Closes all connections at once. */
  public void close() {
    closed = true;
    feeds.close();
  }
}
