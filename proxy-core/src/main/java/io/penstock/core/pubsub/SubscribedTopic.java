package io.penstock.core.pubsub;

import io.penstock.core.upstream.Endpoint;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How far one feed is with a topic that is wanted there. */
final class SubscribedTopic {

  private static final Logger log = LoggerFactory.getLogger(SubscribedTopic.class);

  @Nullable Order asked; // sent and not confirmed
  boolean listening; // confirmed
  boolean inherited; // the node was not told of the end of an earlier one
  long askAgainAt; // if neither
  private boolean lamented;

  /** Whether the node may listen: it has to be told of the end. */
  boolean isKnown() {
    return listening || asked != null || inherited;
  }

  /** The node knows of nothing any more. */
  void disconnected() {
    asked = null;
    listening = false;
    inherited = false;
  }

  /** Tells the log once that the node refuses it. */
  void lament(Endpoint node, byte[] error) {
    if (!lamented) {
      lamented = true;
      String line = new String(error, StandardCharsets.ISO_8859_1).strip();
      log.info("{} refuses a subscription: {}", node, line);
    }
  }
}
