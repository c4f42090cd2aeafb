package io.penstock.core.pubsub;

import io.penstock.core.upstream.Endpoint;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** What a node believes that one connection listens to; the audience is kept informed. */
final class NodeSubscriptions {

  private final SubscriberCounts audience;
  private final Endpoint node;
  private final Map<Kind, Set<Name>> names = new EnumMap<>(Kind.class);

  NodeSubscriptions(SubscriberCounts audience, Endpoint node) {
    this.audience = audience;
    this.node = node;
    for (Kind kind : Kind.values()) {
      names.put(kind, new HashSet<>());
    }
  }

  private Set<Name> of(Kind kind) {
    return Objects.requireNonNull(names.get(kind));
  }

  void add(Kind kind, Name name) {
    if (of(kind).add(name)) {
      audience.addConnections(kind, name, node, 1);
    }
  }

  void remove(Kind kind, Name name) {
    if (of(kind).remove(name)) {
      audience.addConnections(kind, name, node, -1);
    }
  }

  /** The connection ended. */
  void clear() {
    names.forEach((kind, all) -> {
      all.forEach(name -> audience.addConnections(kind, name, node, -1));
      names.put(kind, new HashSet<>());
    });
  }
}
