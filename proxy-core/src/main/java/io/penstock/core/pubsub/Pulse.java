package io.penstock.core.pubsub;

import io.penstock.core.backend.SubscriberConnection;

/**
 * Asks a node from which nothing has come for a while for a sign of life. If none comes, the
 * connection gives the node up, as it does whenever a reply is owed for too long.
 */
final class Pulse {

  private long heardAt;
  private boolean asked;

  Pulse(long now) {
    heardAt = now;
  }

  /** Something came. */
  void heard(long now) {
    heardAt = now;
  }

  /** A new connection stands. */
  void begin(long now) {
    heardAt = now;
    asked = false;
  }

  /** Asks if nothing has come for {@code silence} nanoseconds. */
  void check(SubscriberConnection connection, long now, long silence) {
    if (!asked && now - heardAt > silence) {
      asked = true;
      connection.send(new Sign(() -> begin(now))); // its answer counts as of the question
    }
  }
}
