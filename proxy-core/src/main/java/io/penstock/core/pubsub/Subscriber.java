package io.penstock.core.pubsub;

/** A client that receives messages. Called on its loop. */
public interface Subscriber {

  /**
   * A message for a channel or pattern that the client is subscribed to; borrowed. Must not
   * subscribe or unsubscribe.
   */
  void onMessage(Message message);

  /** The last message could not be delivered. */
  void onFailure(Throwable cause);
}
