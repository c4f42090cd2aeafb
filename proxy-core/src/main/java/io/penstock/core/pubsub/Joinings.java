package io.penstock.core.pubsub;

import io.penstock.core.backend.Failure;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The requests to subscribe that one loop's clients wait for. Confined to its loop. */
final class Joinings {

  private final Set<Joining> open = new LinkedHashSet<>();

  void add(Joining joining) {
    open.add(joining);
  }

  /** Answers false when it has ended. */
  boolean remove(Joining joining) {
    return open.remove(joining);
  }

  /** A topic has begun to be listened to, or is not any more: those wait for it count that. */
  void look(Topic topic, boolean ready) {
    if (topic.isReady() == ready) {
      return;
    }
    topic.ready(ready);
    for (Joining joining : topic.joinings().copy()) {
      joining.counts(ready);
      completed(joining);
    }
  }

  /** Tells of one that is complete. */
  void completed(Joining joining) {
    if (joining.isComplete() && open.remove(joining)) {
      joining.outcome().joined();
    }
  }

  /** Fails those that are past their deadline. */
  void tick(Hub hub, long now) {
    for (Joining joining : List.copyOf(open)) {
      if (joining.deadline() - now <= 0 && open.contains(joining)) {
        Failure failure = reason(joining);
        hub.cancel(joining);
        joining.outcome().failed(failure);
      }
    }
  }

  private static Failure reason(Joining joining) {
    for (Topic topic : joining.topics()) {
      Feed home = topic.home();
      if (home == null) {
        return Failure.NO_OWNER;
      }
      if (!topic.isReady() && home.isReady() && !home.isListening(topic)) {
        return Failure.TIMEOUT;
      }
    }
    return Failure.NOT_SENT;
  }

  /** A node does not allow a topic. Clients that listen already are not told. */
  void refused(Hub hub, Topic topic, byte[] error) {
    for (Joining joining : topic.joinings().copy()) {
      if (open.contains(joining)) {
        hub.cancel(joining);
        joining.outcome().refused(error);
      }
    }
  }
}
