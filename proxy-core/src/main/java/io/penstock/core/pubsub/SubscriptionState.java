package io.penstock.core.pubsub;

import io.penstock.core.upstream.Endpoint;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How far one feed is with a topic that is wanted there. */
final class SubscriptionState {

  private static final Logger log = LoggerFactory.getLogger(SubscriptionState.class);

  @Nullable SubscribeExchange exchange; // sent and not confirmed
  boolean confirmed; // confirmed
  boolean notUnsubscribed; // the node was not told of the end of an earlier one
  long retryAt; // if neither
  private boolean lamented;

  /** Whether the node may listen: it has to be told of the end. */
  boolean mustUnsubscribe() {
    return confirmed || exchange != null || notUnsubscribed;
  }

  /** The node knows of nothing any more. */
  void disconnected() {
    exchange = null;
    confirmed = false;
    notUnsubscribed = false;
  }

  /** Tells the log once that the node refuses it. */
  void logOnce(Endpoint node, byte[] error) {
    if (!lamented) {
      lamented = true;
      String line = new String(error, StandardCharsets.ISO_8859_1).strip();
      log.info("{} refuses a subscription: {}", node, line);
    }
  }
}
