package io.penstock.core.pubsub;

import io.penstock.core.backend.Failure;
import io.penstock.core.backend.HandshakeError;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** The pending requests to subscribe of the clients of one loop. Confined to its loop. */
final class SubscribeRequests {

  private final Set<SubscribeRequest> pending = new LinkedHashSet<>();

  private final PendingSubscriptions names;

  SubscribeRequests(PendingSubscriptions names) {
    this.names = names;
  }

  SubscribeRequest begin(
      Subscriber subscriber, Kind kind, long deadline, SubscribeRequest.Callback callback) {
    long number = names.nextRequest();
    var request =
        new SubscribeRequest(number, subscriber, kind, deadline, callback, this::completeIfReady);
    pending.add(request);
    return request;
  }

  /** Adds a topic to a request. Returns false if the request has it already. */
  boolean add(SubscribeRequest request, Topic topic) {
    boolean isNew = topic.requests().add(request);
    if (isNew) {
      if (request.topics().size() < PendingSubscriptions.MOST_NAMES) {
        names.begin(topic.kind(), topic.name(), request.number());
      }
      request.addTopic(topic);
    }
    return isNew;
  }

  /** The client is subscribed to a topic of its request, or the request was given up. */
  void onReleased(SubscribeRequest request, Topic topic) {
    names.end(topic.kind(), topic.name(), request.number());
  }

  /** Returns false if the request has ended already. */
  boolean remove(SubscribeRequest request) {
    return pending.remove(request);
  }

  /** Sets whether a topic is ready, and updates the requests that wait for it. */
  void update(Topic topic, boolean ready) {
    if (topic.isReady() == ready) {
      return;
    }
    topic.ready(ready);
    for (SubscribeRequest request : topic.requests().copy()) {
      request.topicChanged(ready);
      completeIfReady(request);
    }
  }

  private void completeIfReady(SubscribeRequest request) {
    if (request.isComplete() && pending.remove(request)) {
      request.callback().onSubscribed();
    }
  }

  /** Fails the requests that are past their deadline. */
  void tick(Hub hub, long now) {
    for (SubscribeRequest request : List.copyOf(pending)) {
      if (request.deadline() - now <= 0 && pending.contains(request)) {
        Failure failure = failureOf(request);
        hub.cancel(request);
        request.callback().onFailure(failure);
      }
    }
  }

  private static Failure failureOf(SubscribeRequest request) {
    for (Topic topic : request.topics()) {
      TopicNode home = topic.home();
      if (home == null) {
        return Failure.NO_OWNER;
      }
      if (!topic.isReady() && home.isReadyFor(topic) && !home.isSubscribed(topic)) {
        return Failure.TIMEOUT;
      }
    }
    return request.hasAllTopics() ? Failure.TIMEOUT : Failure.NOT_SENT;
  }

  /**
   * A node does not allow a topic: fails the requests that wait for it. Clients that are subscribed
   * already get no error.
   */
  void onError(Hub hub, Topic topic, byte[] error) {
    fail(hub, topic, callback -> callback.onError(error));
  }

  /** A node refuses connections: fails the requests that wait for the topic. */
  void onRefused(Hub hub, Topic topic, HandshakeError error) {
    fail(hub, topic, callback -> callback.onRefused(error));
  }

  private void fail(Hub hub, Topic topic, Consumer<SubscribeRequest.Callback> how) {
    for (SubscribeRequest request : topic.requests().copy()) {
      if (pending.contains(request)) {
        hub.cancel(request);
        how.accept(request.callback());
      }
    }
  }
}
