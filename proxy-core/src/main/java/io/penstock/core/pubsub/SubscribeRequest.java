package io.penstock.core.pubsub;

import io.penstock.core.backend.Failure;
import io.penstock.core.backend.HandshakeError;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A client's request to subscribe, pending until all of its names are subscribed to or one cannot
 * be.
 */
public final class SubscribeRequest {

  /** Receives the result: exactly one of its methods is called, unless the request is cancelled. */
  public interface Callback {

    /**
     * All names are subscribed to at the nodes and can be {@linkplain Hub#addSubscriber added} for
     * the client.
     */
    void onSubscribed();

    /**
     * A node does not allow it.
     *
     * @param error the complete error reply
     */
    void onError(byte[] error);

    /** A node refuses connections, and waiting cannot help. */
    void onRefused(HandshakeError error);

    /** The subscription was not possible before the deadline. */
    void onFailure(Failure failure);
  }

  private final long number;
  private final Subscriber subscriber;
  private final Kind kind;
  private final Callback callback;
  private final long deadline;
  private final List<Topic> topics = new ArrayList<>();
  private int missing;
  private final AwaitedReplies earlierMessages;
  private boolean followsEarlierMessages;
  private int released; // the number of topics that it does not wait for any more

  /**
   * @param number by which {@link PendingSubscriptions} knows it
   */
  SubscribeRequest(
      long number,
      Subscriber subscriber,
      Kind kind,
      long deadline,
      Callback callback,
      Consumer<SubscribeRequest> onChange) {
    this.number = number;
    this.subscriber = subscriber;
    this.kind = kind;
    this.callback = callback;
    this.deadline = deadline;
    this.earlierMessages =
        new AwaitedReplies(() -> {
          followsEarlierMessages = true;
          onChange.accept(this);
        });
  }

  long number() {
    return number;
  }

  Subscriber subscriber() {
    return subscriber;
  }

  Kind kind() {
    return kind;
  }

  Callback callback() {
    return callback;
  }

  /** {@link System#nanoTime()} at which the request fails. */
  long deadline() {
    return deadline;
  }

  /** Adds a topic that is not in the request yet. */
  void addTopic(Topic topic) {
    topics.add(topic);
    if (!topic.isReady()) {
      missing++;
    }
  }

  /** A topic of the request has become ready, or is not ready any more. */
  void topicChanged(boolean ready) {
    missing += ready ? -1 : 1;
  }

  /** Replies that come behind all messages that nodes sent before the request. */
  AwaitedReplies earlierMessages() {
    return earlierMessages;
  }

  /** Ends the names of the request. */
  void endNames() {
    earlierMessages.completeOne();
  }

  /** Whether all names that have been added are subscribed to. */
  boolean hasAllTopics() {
    return missing == 0;
  }

  boolean isComplete() {
    return followsEarlierMessages && hasAllTopics();
  }

  List<Topic> topics() {
    return topics;
  }

  /** Whether {@link #nextTopic} returns another topic. */
  boolean hasTopics() {
    return released < topics.size();
  }

  /** Returns the next topic that the request has to release, or null after the last one. */
  @Nullable Topic nextTopic() {
    return released < topics.size() ? topics.get(released++) : null;
  }
}
