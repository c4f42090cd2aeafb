package io.penstock.core.pubsub;

import io.penstock.core.backend.Failure;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One client's request to subscribe, until every name in it is listened to, or one cannot be. */
public final class SubscribeRequest {

  /** Hears how it ended: exactly one of its methods is called, unless it is cancelled. */
  public interface Outcome {

    /** All is listened to: the names can be {@linkplain Hub#addSubscriber entered}. */
    void onSubscribed();

    /**
     * A node does not allow it.
     *
     * @param error the whole error reply
     */
    void onError(byte[] error);

    /** It was not possible before the deadline. */
    void onFailure(Failure failure);
  }

  private final Subscriber subscriber;
  private final Kind kind;
  private final Outcome outcome;
  private final long deadline;
  private final List<Topic> topics = new ArrayList<>();
  private int missing;
  private boolean whole; // no name follows
  private int released; // topics that it is not waiting for any more

  SubscribeRequest(Subscriber subscriber, Kind kind, long deadline, Outcome outcome) {
    this.subscriber = subscriber;
    this.kind = kind;
    this.outcome = outcome;
    this.deadline = deadline;
  }

  Subscriber subscriber() {
    return subscriber;
  }

  Kind kind() {
    return kind;
  }

  Outcome outcome() {
    return outcome;
  }

  /** {@link System#nanoTime()} at which it fails. */
  long deadline() {
    return deadline;
  }

  /** Needs a topic that it has not needed before. */
  void addTopic(Topic topic) {
    topics.add(topic);
    if (!topic.isReady()) {
      missing++;
    }
  }

  /** A topic that it needs is listened to, or is not any more. */
  void topicChanged(boolean ready) {
    missing += ready ? -1 : 1;
  }

  /** No name follows. */
  void endNames() {
    whole = true;
  }

  boolean isComplete() {
    return whole && missing == 0;
  }

  List<Topic> topics() {
    return topics;
  }

  /** Whether there are topics that it has not been {@linkplain #nextTopic released} from. */
  boolean hasTopics() {
    return released < topics.size();
  }

  /** The next topic that it does not wait for any more; null when that was the last. */
  @Nullable Topic nextTopic() {
    return released < topics.size() ? topics.get(released++) : null;
  }
}
