package io.penstock.core.pubsub;

import io.penstock.core.backend.Failure;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The requests to subscribe that one loop's clients wait for. Confined to its loop. */
final class SubscribeRequests {

  private final Set<SubscribeRequest> open = new LinkedHashSet<>();

  void add(SubscribeRequest joining) {
    open.add(joining);
  }

  /** Answers false when it has ended. */
  boolean remove(SubscribeRequest joining) {
    return open.remove(joining);
  }

  /** A topic has begun to be listened to, or is not any more: those wait for it count that. */
  void update(Topic topic, boolean ready) {
    if (topic.isReady() == ready) {
      return;
    }
    topic.ready(ready);
    for (SubscribeRequest joining : topic.requests().copy()) {
      joining.topicChanged(ready);
      completeIfReady(joining);
    }
  }

  /** Tells of one that is complete. */
  void completeIfReady(SubscribeRequest joining) {
    if (joining.isComplete() && open.remove(joining)) {
      joining.outcome().onSubscribed();
    }
  }

  /** Fails those that are past their deadline. */
  void tick(Hub hub, long now) {
    for (SubscribeRequest joining : List.copyOf(open)) {
      if (joining.deadline() - now <= 0 && open.contains(joining)) {
        Failure failure = reason(joining);
        hub.cancel(joining);
        joining.outcome().onFailure(failure);
      }
    }
  }

  private static Failure reason(SubscribeRequest joining) {
    for (Topic topic : joining.topics()) {
      Feed home = topic.home();
      if (home == null) {
        return Failure.NO_OWNER;
      }
      if (!topic.isReady() && home.isReady() && !home.isSubscribed(topic)) {
        return Failure.TIMEOUT;
      }
    }
    return Failure.NOT_SENT;
  }

  /** A node does not allow a topic. Clients that listen already are not told. */
  void onError(Hub hub, Topic topic, byte[] error) {
    for (SubscribeRequest joining : topic.requests().copy()) {
      if (open.contains(joining)) {
        hub.cancel(joining);
        joining.outcome().onError(error);
      }
    }
  }
}
