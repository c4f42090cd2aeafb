package io.penstock.core.pubsub;

import io.penstock.core.upstream.Endpoint;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * How many clients listen to what, over all loops, and what each node believes: to a node, all
 * clients of a loop are one connection. Puts right what nodes count. Safe from any thread; asked
 * only where something is published or counted.
 */
public final class SubscriberCounts {

  /**
   * Who listens to one name.
   *
   * @param clients of this proxy
   * @param connections of this proxy by the node that counts them
   */
  record Listeners(int clients, Map<Endpoint, Integer> connections) {

    static final Listeners NONE = new Listeners(0, Map.of());

    Listeners plusClients(int more) {
      return new Listeners(clients + more, connections);
    }

    Listeners plusConnections(Endpoint node, int more) {
      Map<Endpoint, Integer> changed = new HashMap<>(connections);
      changed.merge(node, more, Integer::sum);
      changed.values().removeIf(count -> count <= 0);
      return new Listeners(clients, Map.copyOf(changed));
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

    @Nullable Listeners orNull() {
      return clients <= 0 && connections.isEmpty() ? null : this;
    }
  }

  private final Map<Kind, ConcurrentHashMap<Name, Listeners>> subscribersOf =
      new EnumMap<>(Kind.class);

  public SubscriberCounts() {
    for (Kind kind : Kind.values()) {
      subscribersOf.put(kind, new ConcurrentHashMap<>());
    }
  }

  private ConcurrentHashMap<Name, Listeners> of(Kind kind) {
    ConcurrentHashMap<Name, Listeners> map = subscribersOf.get(kind);
    if (map == null) {
      throw new IllegalStateException("no map for " + kind);
    }
    return map;
  }

  void addClients(Topic topic, int more) {
    of(topic.kind())
        .compute(
            topic.name(),
            (_, now) -> (now == null ? Listeners.NONE : now).plusClients(more).orNull());
  }

  void addConnections(Kind kind, Name name, Endpoint node, int more) {
    of(kind)
        .compute(
            name,
            (_, now) -> (now == null ? Listeners.NONE : now).plusConnections(node, more).orNull());
  }

  /** How many channels, patterns or shard channels there are that somebody listens to. */
  public long nameCount(Kind kind) {
    return of(kind).size();
  }

  /** Whether nothing is subscribed to, so that nodes count right. */
  public boolean isEmpty() {
    return of(Kind.CHANNEL).isEmpty() && of(Kind.PATTERN).isEmpty() && of(Kind.SHARD).isEmpty();
  }

  /** The listeners of one channel or shard channel, by its name. */
  Listeners subscribersOf(Kind kind, Name name) {
    return of(kind).getOrDefault(name, Listeners.NONE);
  }

  /** The listeners of all patterns; changes during the iteration may be seen or not. */
  Iterator<Map.Entry<Name, Listeners>> patterns() {
    return of(Kind.PATTERN).entrySet().iterator();
  }

  /** How many listen to a name, when all nodes together counted so many. */
  public long subscribers(Kind kind, Name name, long counted) {
    Listeners known = subscribersOf(kind, name);
    return Math.max(0, counted - known.allConnections()) + known.clients();
  }

  /** How many patterns there are, when the nodes' numbers of patterns come to {@code counted}. */
  public long patterns(long counted) {
    long nodes = 0;
    long clients = 0;
    for (Listeners pattern : of(Kind.PATTERN).values()) {
      nodes += pattern.connections().size();
      clients += pattern.clients() > 0 ? 1 : 0;
    }
    return Math.max(0, counted - nodes) + clients;
  }
}
