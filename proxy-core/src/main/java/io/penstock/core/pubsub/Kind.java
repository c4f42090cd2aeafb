package io.penstock.core.pubsub;

import org.jspecify.annotations.Nullable;

/** The kinds of subscriptions, and the words that Redis uses for them. */
public enum Kind {
  CHANNEL("subscribe", "unsubscribe", "message"),
  PATTERN("psubscribe", "punsubscribe", "pmessage"),
  /** A shard channel: its messages stay in the shard of its slot. */
  SHARD("ssubscribe", "sunsubscribe", "smessage");

  private final String subscribe;
  private final String unsubscribe;
  private final String message;

  Kind(String subscribe, String unsubscribe, String message) {
    this.subscribe = subscribe;
    this.unsubscribe = unsubscribe;
    this.message = message;
  }

  /** The command that subscribes, and the first word of its confirmation. */
  public String subscribe() {
    return subscribe;
  }

  /** The command that unsubscribes, and the first word of its confirmation. */
  public String unsubscribe() {
    return unsubscribe;
  }

  /**
   * Returns the kind whose message, confirmation of a subscription or confirmation of its end
   * begins with {@code word}, or null.
   */
  static @Nullable Kind ofPush(String word) {
    for (Kind kind : values()) {
      if (word.equals(kind.message)
          || word.equals(kind.subscribe)
          || word.equals(kind.unsubscribe)) {
        return kind;
      }
    }
    return null;
  }

  boolean isMessage(String word) {
    return word.equals(message);
  }
}
