package io.penstock.core.pubsub;

import io.netty.buffer.ByteBuf;
import io.penstock.core.backend.BackendContext;
import io.penstock.core.backend.BackendSettings;
import io.penstock.core.backend.HandshakeError;
import io.penstock.core.cluster.Redirect;
import io.penstock.core.observe.Label;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.pubsub.PendingSubscriptions.Channel;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.transport.LoopPolls;
import io.penstock.core.transport.Sliced;
import io.penstock.core.transport.Slices;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Partitioner;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.Topology;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The subscriptions of the clients of one loop. Each channel, pattern and shard channel is
 * subscribed to once, at the node that owns it according to the placement, as long as a client
 * wants it. Confined to its loop.
 */
public final class Hub {

  private static final Logger log = LoggerFactory.getLogger(Hub.class);

  /** Patterns of all clients of one loop at most, and so connections for them to one node. */
  static final int MAX_PATTERNS = 100 * Feed.PATTERNS_PER_CONNECTION;

  private final LoopGroup group;
  private final Loop loop;
  private final Set<Loop> allLoops;
  private BackendSettings settings;
  private Topology topology;
  private Partitioner partitioner;
  private final ProxyEvents events;
  private final SubscriberCounts subscriberCounts;
  private final Map<Kind, Map<Name, Topic>> topics = new EnumMap<>(Kind.class);
  private final Feeds feeds = new Feeds(this);
  private final ReceiverCounts receivers;
  private final LoopPolls polls;
  private final SubscribeRequests requests;
  private final TopicMoves moves = new TopicMoves();
  private boolean closed;

  public Hub(
      LoopGroup group,
      Loop loop,
      BackendSettings settings,
      Topology topology,
      ProxyEvents events,
      SubscriberCounts subscriberCounts) {
    this.group = group;
    this.loop = loop;
    this.allLoops = Set.copyOf(group.loops());
    this.settings = settings;
    this.topology = topology;
    this.partitioner = topology.current().partitioner();
    this.events = events;
    this.subscriberCounts = subscriberCounts;
    this.requests = new SubscribeRequests(subscriberCounts.pending());
    this.polls = new LoopPolls(loop);
    this.receivers = new ReceiverCounts(subscriberCounts, loop.slices(), polls);
    for (Kind kind : Kind.values()) {
      topics.put(kind, new HashMap<>());
    }
  }

  /** The partition of a shard channel with this name. */
  public int partitionOf(Name name) {
    return name.partition(partitioner);
  }

  BackendContext siteFor(FeedConnection connection) {
    return new BackendContext(group, loop, settings, connection, _ -> connection);
  }

  /** The number of event loops, each of which has a hub. */
  int loopCount() {
    return allLoops.size();
  }

  /** The upstream, for log lines. */
  Label upstream() {
    return settings.upstream();
  }

  long now() {
    return loop.now();
  }

  public SubscriberCounts subscriberCounts() {
    return subscriberCounts;
  }

  /** Counts the receivers of messages that clients of this loop publish. */
  public ReceiverCounts receivers() {
    return receivers;
  }

  /**
   * Whether a client of another loop that has asked for a channel may be the first one, and may not
   * have been read yet. Not as long as nobody has ever subscribed.
   */
  public boolean mayHaveUnreadSubscriber(Channel channel) {
    return allLoops.size() > 1
        && subscriberCounts.pending().isUsed()
        && subscriberCounts.subscribersOf(channel.kind(), channel.name()).clients() == 0;
  }

  /**
   * Runs {@code action} on this loop when the other loops have read what clients have sent by now.
   * It must not throw.
   */
  public void whenAllAreRead(Runnable action) {
    polls.whenPolled(allLoops, action);
  }

  /**
   * Runs {@code action} on this loop when the clients that have closed by now are unsubscribed at
   * the nodes. It must not throw.
   */
  public void whenClosedClientsAreKnown(Runnable action) {
    if (subscriberCounts.isEmpty()) {
      action.run();
      return;
    }
    // A loop sends at the end of its turn, or, with io_uring, when it polls the next time.
    polls.whenPolled(allLoops, () -> polls.whenPolled(allLoops, action));
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
   * Begins a request to subscribe. Its names follow by {@link #add}, then {@link #end}. The caller
   * calls {@link #flush} from time to time.
   *
   * @param deadline {@link System#nanoTime()} at which the request fails
   */
  public SubscribeRequest begin(
      Subscriber subscriber, Kind kind, long deadline, SubscribeRequest.Callback callback) {
    adoptTopology();
    return requests.begin(subscriber, kind, deadline, callback);
  }

  /**
   * Whether a name can be added: it is subscribed to already, or there is room for one more. Only
   * patterns are limited, so that a node has a limited number of connections for them.
   */
  public boolean hasRoomFor(Kind kind, Name name) {
    return kind != Kind.PATTERN || of(kind).size() < MAX_PATTERNS || of(kind).containsKey(name);
  }

  /**
   * Adds a name to the request. Returns false if the request contains it already. May call the
   * callback before this method returns.
   */
  public boolean add(SubscribeRequest request, Name name) {
    Kind kind = request.kind();
    Topic topic = of(kind).computeIfAbsent(name, _ -> new Topic(kind, name, partitionOf(name)));
    feeds.assign(topic);
    requests.update(topic, feeds.isReady(topic));
    if (topic.home() == null) {
      topology.requestRefresh(RefreshTrigger.UNCOVERED_SLOT);
    }
    boolean isNew = requests.add(request, topic);
    if (isNew) {
      feeds.awaitEarlierMessages(topic, request.earlierMessages());
      failIfRefused(topic);
    }
    return isNew;
  }

  /** Requests do not wait for a node that has begun to ask for a password, for example. */
  private void failIfRefused(Topic topic) {
    HandshakeError refusal = topic.isReady() ? null : feeds.refusalOf(topic);
    if (refusal != null) {
      requests.onRefused(this, topic, refusal);
    }
  }

  /** Ends the names of the request. May call the callback before this method returns. */
  public void end(SubscribeRequest request) {
    request.endNames();
  }

  /**
   * Subscribes the client of the request to the topic: messages are delivered from now on. To be
   * called once for each name, after {@linkplain SubscribeRequest.Callback#onSubscribed all are
   * subscribed to}.
   *
   * @return the name, as the hub keeps it
   */
  public Name addSubscriber(SubscribeRequest request, Name name) {
    Topic topic = Objects.requireNonNull(topic(request.kind(), name));
    if (topic.requests().remove(request)) {
      add(topic, request.subscriber());
      requests.onReleased(request, topic);
    }
    return topic.name();
  }

  private void add(Topic topic, Subscriber subscriber) {
    if (topic.subscribers().add(subscriber)) {
      subscriberCounts.addClients(topic, 1, loop);
    }
  }

  /**
   * Delivers the messages for a name of a request to another subscriber until that is {@linkplain
   * #removeSubscriber removed}: the client of the request is not subscribed to it, and may not be
   * yet. To be called after {@linkplain SubscribeRequest.Callback#onSubscribed all are subscribed
   * to}.
   *
   * @return the name, as the hub keeps it, or null if the client is subscribed to it already
   */
  public @Nullable Name addInPlaceOfClient(Subscriber other, SubscribeRequest request, Name name) {
    Topic topic = Objects.requireNonNull(topic(request.kind(), name));
    if (topic.subscribers().contains(request.subscriber())) {
      return null;
    }
    add(topic, other);
    return topic.name();
  }

  /** Whether the name is subscribed to at every master. */
  public boolean isOnEveryMaster(Kind kind, Name name) {
    Topic topic = topic(kind, name);
    return topic != null && topic.isOnEveryMaster();
  }

  /**
   * Drops all names of the request that have not been {@linkplain #addSubscriber added}. Does not
   * call the callback.
   */
  public void cancel(SubscribeRequest request) {
    requests.remove(request);
    loop.slices()
        .startInTurn(
            new Sliced() {
              @Override
              public boolean step() {
                return releaseTopics(request);
              }

              @Override
              public void onFailure(Throwable cause) {
                log.error("A request to subscribe could not be cancelled", cause);
              }
            },
            request.topics().size());
  }

  private boolean releaseTopics(SubscribeRequest request) {
    Topic topic = request.nextTopic();
    for (int i = 1; topic != null; i++) {
      if (topic.requests().remove(request)) {
        unsubscribeUnlessWanted(topic);
        requests.onReleased(request, topic);
      }
      topic = i < Slices.LONG_STEPS_PER_SLICE ? request.nextTopic() : null;
    }
    flush();
    return request.hasTopics();
  }

  /**
   * Unsubscribes the client: no message is delivered from now on. {@link #flush} unsubscribes at
   * the nodes.
   */
  public void removeSubscriber(Subscriber subscriber, Kind kind, Name name) {
    Topic topic = topic(kind, name);
    if (topic != null && topic.subscribers().remove(subscriber)) {
      subscriberCounts.addClients(topic, -1, loop);
      unsubscribeUnlessWanted(topic);
    }
  }

  private void unsubscribeUnlessWanted(Topic topic) {
    if (!topic.isWanted()) {
      moves.end(topic);
      of(topic.kind()).remove(topic.name());
      feeds.unsubscribe(topic);
    }
  }

  /**
   * Makes {@code request} wait until the messages for the name have arrived that nodes have sent by
   * now. {@link #flush} asks the nodes.
   */
  public void awaitEarlierMessages(Kind kind, Name name, AwaitedReplies request) {
    Topic topic = topic(kind, name);
    if (topic != null) {
      feeds.awaitEarlierMessages(topic, request);
    }
  }

  /** Sends the changes to the nodes, without a callback for their confirmations. */
  public void flush() {
    feeds.flush(AwaitedReplies.ignored());
  }

  /**
   * Sends the changes to the nodes. {@code replies} completes when the nodes have confirmed the
   * {@linkplain #removeSubscriber removals}.
   */
  public void flush(AwaitedReplies replies) {
    feeds.flush(replies);
  }

  /** The node of a feed has confirmed the subscription to a topic. */
  void onConfirmed(Feed feed, Topic topic) {
    TopicNode before = topic.onConfirmed(feed);
    if (before != null && !feeds.mayStay(topic, before)) {
      before.unsubscribe(topic);
      flush();
    }
    requests.update(topic, feeds.isReady(topic));
    if (topic.isReady()) {
      moves.end(topic);
    }
  }

  /** A node has ended the subscription to a topic by itself. */
  void onEnded(Feed feed, Topic topic) {
    topology.requestRefresh(RefreshTrigger.MOVED);
    onLost(feed, topic);
    flush();
  }

  private void onLost(Feed feed, Topic topic) {
    topic.onLost(feed);
    feeds.assign(topic);
    requests.update(topic, feeds.isReady(topic));
  }

  /** A node has named the owner of a slot. */
  void onMoved(Redirect redirect, Endpoint answered) {
    if (redirect.kind() == Redirect.Kind.MOVED) {
      int partition = topology.errorPolicy().of(answered).partitionOf(redirect.slot());
      topology.moved(partition, redirect.target(answered));
      adoptTopology();
    }
  }

  /** A node does not allow a topic. Clients that are subscribed to it already get no error. */
  void onError(Topic topic, byte[] error) {
    requests.onError(this, topic, error);
  }

  void onConnected(Feed feed) {
    events.backendConnected(feed.node());
  }

  /**
   * A connection of a feed was lost.
   *
   * @param lost the topics of the connection
   */
  void onDisconnected(Feed feed, Collection<Topic> lost, int attempts, Throwable cause) {
    events.backendDisconnected(feed.node(), cause);
    List<Topic> all = List.copyOf(lost);
    for (Topic topic : all) {
      onLost(feed, topic);
    }
    all.forEach(this::failIfRefused);
    flush();
    if (attempts > 0) {
      topology.requestRefresh(RefreshTrigger.RECONNECT);
    }
  }

  /** A node owes replies and sends nothing. */
  void onNoReply() {
    topology.requestRefresh(RefreshTrigger.NO_REPLY);
  }

  /** Delivers a message to the subscribers. Borrows the buffer. */
  void onMessage(Feed feed, Push push, ByteBuf buffer, int from, int to) {
    Topic topic = topic(push.kind(), push.name());
    if (topic == null || !feeds.accepts(feed, topic, push)) {
      return;
    }
    topic.deliver(new Message(push.kind(), topic.name(), buffer, from, to));
  }

  /**
   * Follows another topology from now on, with other settings. Subscriptions stay, and connections
   * to nodes that both have. Does nothing if it follows that topology already.
   */
  public void adopt(Topology latest, BackendSettings changed) {
    if (latest != topology) {
      topology = latest;
      settings = changed;
      feeds.keepDeparted(loop.now() + TopicMoves.MOST_NANOS + Feeds.BUS_DELAY_NANOS);
      feeds.adopt(changed);
      adoptTopology();
    }
  }

  /**
   * Returns what completes when everything that clients are subscribed to now is subscribed to
   * where the placement wants it, so that they miss nothing that is published there; but after
   * {@link TopicMoves#MOST_NANOS} at the latest, possibly on another thread.
   */
  public CompletableFuture<Void> moves() {
    Set<Topic> moving = new HashSet<>();
    for (Map<Name, Topic> ofKind : topics.values()) {
      for (Topic topic : ofKind.values()) {
        requests.update(topic, feeds.isReady(topic));
        if (!topic.isReady() && !topic.subscribers().isEmpty()) {
          moving.add(topic);
        }
      }
    }
    return moves.begin(moving);
  }

  /** Adopts the latest placement and moves topics to their new owners. */
  public void adoptTopology() {
    Placement latest = topology.current();
    if (latest != feeds.placement() && !closed) {
      adopt(latest.partitioner());
      feeds.adopt(latest);
      assignAll();
    }
  }

  /** Topologies of the same servers may divide the names differently. */
  private void adopt(Partitioner latest) {
    if (latest != partitioner) {
      partitioner = latest;
      for (Map<Name, Topic> ofKind : topics.values()) {
        ofKind.values().forEach(topic -> topic.partition(partitionOf(topic.name())));
      }
    }
  }

  /** Moves topics to where they belong. */
  void assignAll() {
    for (Map<Name, Topic> ofKind : topics.values()) {
      ofKind.values().forEach(feeds::assign);
    }
    flush();
  }

  /** Fails requests that are past their deadline; called several times per command timeout. */
  public void tick(long now) {
    adoptTopology();
    requests.tick(this, now);
    feeds.tick(now);
  }

  /** Authenticates again on all connections: the password has changed. */
  public void authenticateAgain() {
    feeds.authenticateAgain();
  }

  /** One entry per node that has a connection. */
  public List<NodeStats> stats() {
    return feeds.stats();
  }

  /** The counts of closed connections, by node. */
  public List<NodeStats> closedStats() {
    return feeds.closedStats();
  }

  /** Closes all connections at once. */
  public void close() {
    closed = true;
    feeds.close();
  }
}
