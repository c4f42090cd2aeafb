package io.penstock.core.pubsub;

import io.penstock.core.observe.Label;
import io.penstock.core.upstream.Endpoint;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The state of a topic at one feed. */
final class SubscriptionState {

  private static final Logger log = LoggerFactory.getLogger(SubscriptionState.class);

  @Nullable SubscribeExchange exchange; // sent, not confirmed
  boolean confirmed; // by the node
  boolean notUnsubscribed; // the UNSUBSCRIBE for an earlier subscription was not sent
  long retryAt; // if neither sent nor confirmed
  private boolean logged;

  /** Withdraws the topic from the command that subscribes to it, unless that has been sent. */
  void withdraw(Topic topic) {
    if (exchange != null && exchange.withdraw(topic)) {
      exchange = null;
    }
  }

  /** Whether the node may have the subscription, so that an UNSUBSCRIBE must be sent. */
  boolean mustUnsubscribe() {
    return confirmed || exchange != null || notUnsubscribed;
  }

  /** Whether messages may be on their way that the node has sent before now. */
  boolean mayHaveMessages() {
    return confirmed || exchange != null;
  }

  /** Resets the state: the node has no subscriptions for a new connection. */
  void disconnected() {
    exchange = null;
    confirmed = false;
    notUnsubscribed = false;
  }

  /**
   * Logs once that the node answers with an error.
   *
   * @param upstream of the node
   */
  void logOnce(Label upstream, Endpoint node, byte[] error) {
    if (!logged) {
      logged = true;
      String line = new String(error, StandardCharsets.ISO_8859_1).strip();
      log.info("{}{} rejects a subscription: {}", upstream.prefix(), node, line);
    }
  }
}
