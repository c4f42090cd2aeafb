package io.penstock.core.pubsub;

import io.penstock.core.upstream.Endpoint;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The subscriptions that a node has for one connection. Keeps {@link SubscriberCounts} up to date:
 * a node may have counted a subscription that has ended for messages that it has answered already.
 */
final class NodeSubscriptions {

  private final SubscriberCounts counts;
  private final Endpoint node;
  private final Map<Kind, Set<Name>> names = new EnumMap<>(Kind.class);

  NodeSubscriptions(SubscriberCounts counts, Endpoint node) {
    this.counts = counts;
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
      counts.addConnections(kind, name, node, 1);
    }
  }

  void remove(Kind kind, Name name) {
    if (of(kind).remove(name)) {
      end(kind, name);
    }
  }

  private void end(Kind kind, Name name) {
    counts.publications().afterwards(() -> counts.addConnections(kind, name, node, -1));
  }

  /** Removes all subscriptions: the connection is closed. */
  void clear() {
    names.forEach((kind, all) -> {
      all.forEach(name -> end(kind, name));
      names.put(kind, new HashSet<>());
    });
  }
}
