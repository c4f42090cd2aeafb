package io.penstock.core.pubsub;

import io.penstock.core.backend.Failure;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** One client's request to subscribe, until every name in it is listened to, or one cannot be. */
public final class Joining {

  /** Hears how it ended: exactly one of its methods is called, unless it is cancelled. */
  public interface Outcome {

    /** All is subscribed to; messages may come from now on. */
    void joined();

    /**
     * A node does not allow it.
     *
     * @param error the whole error reply
     */
    void refused(byte[] error);

    /** It was not possible before the deadline. */
    void failed(Failure failure);
  }

  private final Subscriber subscriber;
  private final Outcome outcome;
  private final long deadline;
  private final Set<Topic> topics = new LinkedHashSet<>();
  private final Set<Topic> missing = new LinkedHashSet<>();

  Joining(Subscriber subscriber, Outcome outcome, long deadline) {
    this.subscriber = subscriber;
    this.outcome = outcome;
    this.deadline = deadline;
  }

  Subscriber subscriber() {
    return subscriber;
  }

  Outcome outcome() {
    return outcome;
  }

  /** {@link System#nanoTime()} at which it fails. */
  long deadline() {
    return deadline;
  }

  List<Topic> topics() {
    return List.copyOf(topics);
  }

  void needs(Topic topic, boolean isReady) {
    topics.add(topic);
    if (!isReady) {
      missing.add(topic);
    }
  }

  /** The topic is listened to; answers whether that was the last. */
  boolean ready(Topic topic) {
    missing.remove(topic);
    return missing.isEmpty();
  }

  /** Listening has been interrupted before the end. */
  void notReady(Topic topic) {
    missing.add(topic);
  }

  boolean isComplete() {
    return missing.isEmpty();
  }

  Set<Topic> missing() {
    return missing;
  }
}
