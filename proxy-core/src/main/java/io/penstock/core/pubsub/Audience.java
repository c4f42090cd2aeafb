package io.penstock.core.pubsub;

import io.penstock.core.cluster.Node;
import io.penstock.core.command.Glob;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * How many clients listen to what, over all loops, and what each node believes: to a node, all
 * clients of a loop are one connection. Puts right what nodes count. Safe from any thread; asked
 * only where something is published or counted.
 */
public final class Audience {

  /**
   * Who listens to one name.
   *
   * @param clients of this proxy
   * @param connections of this proxy by the node that counts them
   */
  private record Listeners(int clients, Map<Node, Integer> connections) {

    private static final Listeners NONE = new Listeners(0, Map.of());

    Listeners plusClients(int more) {
      return new Listeners(clients + more, connections);
    }

    Listeners plusConnections(Node node, int more) {
      Map<Node, Integer> changed = new HashMap<>(connections);
      changed.merge(node, more, Integer::sum);
      changed.values().removeIf(count -> count <= 0);
      return new Listeners(clients, Map.copyOf(changed));
    }

    int connectionsTo(Node node) {
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

  private final Map<Kind, ConcurrentHashMap<Name, Listeners>> listeners = new EnumMap<>(Kind.class);

  public Audience() {
    for (Kind kind : Kind.values()) {
      listeners.put(kind, new ConcurrentHashMap<>());
    }
  }

  private ConcurrentHashMap<Name, Listeners> of(Kind kind) {
    ConcurrentHashMap<Name, Listeners> map = listeners.get(kind);
    if (map == null) {
      throw new IllegalStateException("no map for " + kind);
    }
    return map;
  }

  void clients(Topic topic, int more) {
    of(topic.kind())
        .compute(
            topic.name(),
            (_, now) -> (now == null ? Listeners.NONE : now).plusClients(more).orNull());
  }

  void connections(Kind kind, Name name, Node node, int more) {
    of(kind)
        .compute(
            name,
            (_, now) -> (now == null ? Listeners.NONE : now).plusConnections(node, more).orNull());
  }

  /** How many channels, patterns or shard channels there are that somebody listens to. */
  public long names(Kind kind) {
    return of(kind).size();
  }

  /** Whether nothing is subscribed to, so that nodes count right. */
  public boolean isEmpty() {
    return of(Kind.CHANNEL).isEmpty() && of(Kind.PATTERN).isEmpty() && of(Kind.SHARD).isEmpty();
  }

  /**
   * How many got a message.
   *
   * @param kind {@link Kind#CHANNEL} or {@link Kind#SHARD}
   * @param node the one that published it
   * @param counted what it answered
   */
  public long reached(Kind kind, Name channel, Node node, long counted) {
    long clients = 0;
    long connections = 0;
    Listeners direct = of(kind).get(channel);
    if (direct != null) {
      clients += direct.clients();
      connections += direct.connectionsTo(node);
    }
    if (kind == Kind.CHANNEL && !of(Kind.PATTERN).isEmpty()) {
      String text = channel.toString();
      for (Map.Entry<Name, Listeners> pattern : of(Kind.PATTERN).entrySet()) {
        if (Glob.exact(pattern.getKey().toString()).matches(text)) {
          clients += pattern.getValue().clients();
          connections += pattern.getValue().connectionsTo(node);
        }
      }
    }
    return Math.max(0, counted - connections) + clients;
  }

  /** How many listen to a name, when all nodes together counted so many. */
  public long subscribers(Kind kind, Name name, long counted) {
    Listeners known = of(kind).getOrDefault(name, Listeners.NONE);
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
