package io.penstock.core.pubsub;

import io.penstock.core.transport.Loop;
import io.penstock.core.upstream.Endpoint;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The number of clients subscribed to each topic, over all loops, and of connections subscribed at
 * each node: for a node, all clients of a loop are one connection. Corrects the numbers that nodes
 * return. Safe from any thread; used only where a message is published or subscribers are counted.
 */
public final class SubscriberCounts {

  /**
   * The subscribers of one name.
   *
   * @param clients of this proxy
   * @param loops that have these clients
   * @param connections of this proxy, by node
   */
  record Subscribers(int clients, Set<Loop> loops, Map<Endpoint, Integer> connections) {

    static final Subscribers NONE = new Subscribers(0, Set.of(), Map.of());

    Subscribers plusClients(int more, Loop loop, boolean hasClients) {
      return new Subscribers(clients + more, with(loop, hasClients), connections);
    }

    private Set<Loop> with(Loop loop, boolean hasClients) {
      if (loops.contains(loop) == hasClients) {
        return loops;
      }
      Set<Loop> changed = new HashSet<>(loops);
      if (hasClients) {
        changed.add(loop);
      } else {
        changed.remove(loop);
      }
      return Set.copyOf(changed);
    }

    Subscribers plusConnections(Endpoint node, int more) {
      Map<Endpoint, Integer> changed = new HashMap<>(connections);
      changed.merge(node, more, Integer::sum);
      changed.values().removeIf(count -> count <= 0);
      return new Subscribers(clients, loops, Map.copyOf(changed));
    }

    int connectionsTo(Endpoint node) {
      return connections.getOrDefault(node, 0);
    }

    int allConnections() {
      int sum = 0;
      for (int count : connections.values()) {
        sum += count;
      }
      return sum;
    }

    @Nullable Subscribers orNull() {
      return clients <= 0 && connections.isEmpty() ? null : this;
    }
  }

  private final Map<Kind, ConcurrentHashMap<Name, Subscribers>> subscribersOf =
      new EnumMap<>(Kind.class);
  private final Publications publications = new Publications();
  private final PendingSubscriptions pending = new PendingSubscriptions();
  private final boolean equalNodes;

  /** For nodes each of which counts its own subscribers. */
  public SubscriberCounts() {
    this(false);
  }

  private SubscriberCounts(boolean equalNodes) {
    this.equalNodes = equalNodes;
    for (Kind kind : Kind.values()) {
      subscribersOf.put(kind, new ConcurrentHashMap<>());
    }
  }

  /**
   * Returns the counts for equal proxies in front of the same servers. Each counts subscribers at
   * the others too: an unknown number for all connections to another one, at most as many as these.
   */
  public static SubscriberCounts ofEqualNodes() {
    return new SubscriberCounts(true);
  }

  private ConcurrentHashMap<Name, Subscribers> of(Kind kind) {
    ConcurrentHashMap<Name, Subscribers> map = subscribersOf.get(kind);
    if (map == null) {
      throw new IllegalStateException("no map for " + kind);
    }
    return map;
  }

  /** The messages whose receivers these counts are needed for. */
  public Publications publications() {
    return publications;
  }

  /** The subscriptions that are not counted yet. */
  public PendingSubscriptions pending() {
    return pending;
  }

  /** Adds clients of a loop; {@code topic} is as it is afterwards. */
  void addClients(Topic topic, int more, Loop loop) {
    boolean hasClients = !topic.subscribers().isEmpty();
    of(topic.kind())
        .compute(
            topic.name(),
            (_, now) ->
                (now == null ? Subscribers.NONE : now)
                    .plusClients(more, loop, hasClients)
                    .orNull());
  }

  void addConnections(Kind kind, Name name, Endpoint node, int more) {
    of(kind)
        .compute(
            name,
            (_, now) ->
                (now == null ? Subscribers.NONE : now).plusConnections(node, more).orNull());
  }

  /** The number of channels, patterns or shard channels with subscribers. */
  public long nameCount(Kind kind) {
    return of(kind).size();
  }

  /** Whether there are no subscriptions, so that the numbers of nodes are correct. */
  public boolean isEmpty() {
    return of(Kind.CHANNEL).isEmpty() && of(Kind.PATTERN).isEmpty() && of(Kind.SHARD).isEmpty();
  }

  /** The subscribers of a channel or shard channel with exactly this name. */
  Subscribers subscribersOf(Kind kind, Name name) {
    return of(kind).getOrDefault(name, Subscribers.NONE);
  }

  /** Returns how many connections a node may have counted, when it published a message. */
  int connectionsCounted(Subscribers subscribers, Endpoint node) {
    return equalNodes ? subscribers.allConnections() : subscribers.connectionsTo(node);
  }

  /** The subscribers of all patterns. May or may not reflect changes during the iteration. */
  Iterator<Map.Entry<Name, Subscribers>> patterns() {
    return of(Kind.PATTERN).entrySet().iterator();
  }

  /**
   * Returns the number of subscribers of a name.
   *
   * @param counted sum of the numbers that the nodes returned
   */
  public long subscribers(Kind kind, Name name, long counted) {
    Subscribers known = subscribersOf(kind, name);
    return Math.max(0, counted - known.allConnections()) + known.clients();
  }

  /**
   * Returns the number of patterns.
   *
   * @param counted sum of the numbers that the nodes returned
   */
  public long patterns(long counted) {
    long nodes = 0;
    long clients = 0;
    for (Subscribers pattern : of(Kind.PATTERN).values()) {
      nodes += pattern.connections().size();
      clients += pattern.clients() > 0 ? 1 : 0;
    }
    return Math.max(0, counted - nodes) + clients;
  }
}
