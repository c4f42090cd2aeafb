package io.penstock.core.pubsub;

import io.penstock.core.cluster.Node;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** What a node believes that one connection listens to; the audience is kept informed. */
final class Believed {

  private record Entry(Kind kind, Name name) {}

  private final Audience audience;
  private final Node node;
  private final Set<Entry> entries = new LinkedHashSet<>();

  Believed(Audience audience, Node node) {
    this.audience = audience;
    this.node = node;
  }

  void add(Kind kind, Name name) {
    if (entries.add(new Entry(kind, name))) {
      audience.connections(kind, name, node, 1);
    }
  }

  void remove(Kind kind, Name name) {
    if (entries.remove(new Entry(kind, name))) {
      audience.connections(kind, name, node, -1);
    }
  }

  /** The connection ended. */
  void clear() {
    for (Entry entry : List.copyOf(entries)) {
      remove(entry.kind, entry.name);
    }
  }
}
