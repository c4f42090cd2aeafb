package io.penstock.core.pubsub;

import io.netty.buffer.ByteBuf;
import io.penstock.core.backend.BackendContext;
import io.penstock.core.backend.BackendSettings;
import io.penstock.core.cluster.Redirect;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.transport.Sliced;
import io.penstock.core.transport.Slices;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Partitioner;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.Topology;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The subscriptions of one loop's clients. Each channel, pattern and shard channel is subscribed to
 * once, at the node that the slot map names for it, as long as a client wants it. Confined to its
 * loop.
 */
public final class Hub {

  private static final Logger log = LoggerFactory.getLogger(Hub.class);

  private final LoopGroup group;
  private final Loop loop;
  private final BackendSettings settings;
  private final Topology topology;
  private final Partitioner partitioner;
  private final ProxyEvents events;
  private final SubscriberCounts subscriberCounts;
  private final Map<Kind, Map<Name, Topic>> topics = new EnumMap<>(Kind.class);
  private final Feeds feeds = new Feeds(this);
  private final ReceiverCounts receivers;
  private final SubscribeRequests joinings = new SubscribeRequests();
  private boolean closed;

  public Hub(
      LoopGroup group,
      Loop loop,
      BackendSettings settings,
      Topology topology,
      ProxyEvents events,
      SubscriberCounts audience) {
    this.group = group;
    this.loop = loop;
    this.settings = settings;
    this.topology = topology;
    this.partitioner = topology.current().partitioner();
    this.events = events;
    this.subscriberCounts = audience;
    this.receivers = new ReceiverCounts(audience, loop.slices());
    for (Kind kind : Kind.values()) {
      topics.put(kind, new HashMap<>());
    }
  }

  /** The partition whose shard has shard channels of this name. */
  public int partitionOf(Name name) {
    return name.partition(partitioner);
  }

  BackendContext siteFor(Feed feed) {
    return new BackendContext(group, loop, settings, feed, feed);
  }

  long now() {
    return loop.now();
  }

  public SubscriberCounts subscriberCounts() {
    return subscriberCounts;
  }

  /** Counts the receivers of what clients of this loop publish. */
  public ReceiverCounts receivers() {
    return receivers;
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
   * Begins a request to subscribe: its names follow, by {@link #add}, and {@link #end}. The caller
   * calls {@link #flush} now and then.
   *
   * @param deadline {@link System#nanoTime()} at which it fails
   */
  public SubscribeRequest begin(
      Subscriber subscriber, Kind kind, long deadline, SubscribeRequest.Outcome outcome) {
    adoptTopology();
    var joining = new SubscribeRequest(subscriber, kind, deadline, outcome);
    joinings.add(joining);
    return joining;
  }

  /** One more name of the request. Answers false when it is in it already. */
  public boolean add(SubscribeRequest joining, Name name) {
    Kind kind = joining.kind();
    Topic topic = of(kind).computeIfAbsent(name, _ -> new Topic(kind, name, partitionOf(name)));
    feeds.assign(topic);
    joinings.update(topic, feeds.isReady(topic));
    if (topic.home() == null) {
      topology.requestRefresh(RefreshTrigger.UNCOVERED_SLOT);
    }
    boolean isNew = topic.requests().add(joining);
    if (isNew) {
      joining.addTopic(topic);
    }
    return isNew;
  }

  /** No name follows. The outcome may be told before this returns. */
  public void end(SubscribeRequest joining) {
    joining.endNames();
    joinings.completeIfReady(joining);
  }

  /**
   * Messages come from now on: once for each name of a joining that has {@linkplain
   * Joining.Outcome#onSubscribed joined}.
   *
   * @return the name, as it is kept
   */
  public Name addSubscriber(SubscribeRequest joining, Name name) {
    Topic topic = Objects.requireNonNull(topic(joining.kind(), name));
    if (topic.requests().remove(joining) && topic.subscribers().add(joining.subscriber())) {
      subscriberCounts.addClients(topic, 1);
    }
    return topic.name();
  }

  /** Whether messages for a name come from every master. */
  public boolean isOnEveryMaster(Kind kind, Name name) {
    Topic topic = topic(kind, name);
    return topic != null && topic.isOnEveryMaster();
  }

  /** Gives up what of a joining has not been entered; no outcome is told. */
  public void cancel(SubscribeRequest joining) {
    joinings.remove(joining);
    loop.slices()
        .startNow(
            new Sliced() {
              @Override
              public boolean step() {
                return release(joining);
              }

              @Override
              public void onFailure(Throwable cause) {
                log.error("a request to subscribe could not be given up", cause);
              }
            });
  }

  private boolean release(SubscribeRequest joining) {
    Topic topic = joining.nextTopic();
    for (int i = 1; topic != null; i++) {
      if (topic.requests().remove(joining)) {
        dropUnlessWanted(topic);
      }
      topic = i < Slices.LONG_STEPS_PER_SLICE ? joining.nextTopic() : null;
    }
    flush();
    return joining.hasTopics();
  }

  /** Unsubscribes: no message comes from now on. The nodes are told by {@link #flush}. */
  public void removeSubscriber(Subscriber subscriber, Kind kind, Name name) {
    Topic topic = topic(kind, name);
    if (topic != null && topic.subscribers().remove(subscriber)) {
      subscriberCounts.addClients(topic, -1);
      dropUnlessWanted(topic);
    }
  }

  private void dropUnlessWanted(Topic topic) {
    if (!topic.isWanted()) {
      of(topic.kind()).remove(topic.name());
      feeds.unsubscribe(topic);
    }
  }

  /** Tells the nodes what has changed; nobody waits for their answer. */
  public void flush() {
    feeds.flush(UnsubscribeRequest.withoutCallback());
  }

  /**
   * The same; {@code leaving} ends when the nodes know what was {@linkplain #removeSubscriber
   * left}.
   */
  public void flush(UnsubscribeRequest leaving) {
    feeds.flush(leaving);
  }

  /** A feed's node has confirmed a topic. */
  void onConfirmed(Feed feed, Topic topic) {
    Feed before = topic.onConfirmed(feed);
    if (before != null && !feeds.isKeyspaceFeed(topic, before)) {
      before.unsubscribe(topic);
      flush();
    }
    joinings.update(topic, feeds.isReady(topic));
  }

  /** A node has ended a topic's subscription by itself. */
  void onEnded(Feed feed, Topic topic) {
    topology.requestRefresh(RefreshTrigger.MOVED);
    notListening(feed, topic);
    flush();
  }

  private void notListening(Feed feed, Topic topic) {
    topic.onLost(feed);
    feeds.assign(topic);
    joinings.update(topic, feeds.isReady(topic));
  }

  /** A node named the owner of a slot. */
  void onMoved(Redirect redirect, Endpoint answered) {
    if (redirect.kind() == Redirect.Kind.MOVED) {
      topology.moved(redirect.slot(), redirect.target(answered));
      adoptTopology();
    }
  }

  /** A node does not allow a topic. Clients that listen already are not told. */
  void onError(Topic topic, byte[] error) {
    joinings.onError(this, topic, error);
  }

  void onConnected(Feed feed) {
    events.backendConnected(feed.node());
    settleAll(); // what had to go elsewhere meanwhile comes back
  }

  void onDisconnected(Feed feed, int attempts, Throwable cause) {
    events.backendDisconnected(feed.node(), cause);
    for (Topic topic : List.copyOf(feed.topics())) {
      notListening(feed, topic);
    }
    flush();
    if (attempts > 0) {
      topology.requestRefresh(RefreshTrigger.RECONNECT);
    }
  }

  /** A node owes replies and is silent. */
  void onNoReply() {
    topology.requestRefresh(RefreshTrigger.NO_REPLY);
  }

  /** Passes a message on to those who have joined. Borrows the buffer. */
  void onMessage(Feed feed, Push push, ByteBuf buffer, int from, int to) {
    Topic topic = topic(push.kind(), push.name());
    if (topic == null || !feeds.accepts(feed, topic, push)) {
      return;
    }
    topic.deliver(new Message(buffer, from, to));
  }

  /** Looks at the newest snapshot and moves what belongs elsewhere now. */
  public void adoptTopology() {
    Placement map = topology.current();
    if (map != feeds.placement() && !closed) {
      feeds.adopt(map);
      settleAll();
    }
  }

  private void settleAll() {
    for (Map<Name, Topic> ofKind : topics.values()) {
      ofKind.values().forEach(feeds::assign);
    }
    flush();
  }

  /** Ends what is past its deadline; called several times per command timeout. */
  public void tick(long now) {
    adoptTopology();
    joinings.tick(this, now);
    feeds.tick(now);
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
