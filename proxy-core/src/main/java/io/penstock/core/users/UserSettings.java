package io.penstock.core.users;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a user may use, and how its requests are changed. Immutable.
 *
 * @param requests null for as many requests as the user sends
 * @param maxConnections most clients at once over all event loops; 0 for no limit
 * @param maxBytesInFlight most bytes of requests without a reply, over all event loops; 0 for no
 *     limit
 * @param upstream the name of the upstream of the user's clients; null for the listener's
 * @param keyPrefix null if keys are sent as they are
 * @param passThrough whether requests are sent over connections on which the user itself is
 *     authenticated, with the password that the client gave. Nodes check what it may do, too
 */
public record UserSettings(
    @Nullable RateLimit requests,
    int maxConnections,
    long maxBytesInFlight,
    @Nullable String upstream,
    @Nullable Prefix keyPrefix,
    boolean passThrough) {

  /** No limits and no changes. */
  public static final UserSettings NONE = new UserSettings(null, 0, 0, null, null, false);

  /**
   * How many requests are executed.
   *
   * @param requests on average in each {@code period}, over all event loops
   * @param burst most at once after a time with fewer; at least 1
   * @param waits whether excess requests wait; otherwise they are rejected
   */
  public record RateLimit(int requests, Duration period, int burst, boolean waits) {}

  /**
   * What is put in front of keys.
   *
   * @param text not empty, one character per byte
   * @param channels whether it is put in front of channels too
   * @param scripts whether scripts are permitted, which can see keys without the prefix
   * @param counts whether {@code DBSIZE} counts the keys with the prefix; otherwise it is rejected
   */
  public record Prefix(String text, boolean channels, boolean scripts, boolean counts) {}
}
