package io.penstock.core.pubsub;

/** A client that messages go to. Called on its loop. */
public interface Subscriber {

  /** A message for a channel or pattern that it has joined; borrowed. Must not join or leave. */
  void onMessage(Message message);

  /** The last message could not be taken. */
  void onFailure(Throwable cause);
}
