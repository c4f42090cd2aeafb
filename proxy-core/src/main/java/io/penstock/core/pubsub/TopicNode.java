package io.penstock.core.pubsub;

import io.penstock.core.backend.HandshakeError;
import io.penstock.core.upstream.Endpoint;
import org.jspecify.annotations.Nullable;

/** A node where topics are subscribed to, as a topic knows it. Confined to its loop. */
interface TopicNode {

  Endpoint node();

  /** Whether the connection that the topic has at this node can send. */
  boolean isReadyFor(Topic topic);

  /**
   * The error with which the node refuses the connection that the topic has there; null if it does
   * not, or if waiting may help.
   */
  @Nullable HandshakeError refusalOf(Topic topic);

  /** Whether the node has confirmed the subscription to the topic. */
  boolean isSubscribed(Topic topic);

  /** Unsubscribes from the topic at the next flush. */
  void unsubscribe(Topic topic);
}
