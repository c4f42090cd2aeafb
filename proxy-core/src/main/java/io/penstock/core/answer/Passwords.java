package io.penstock.core.answer;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The passwords that clients of a listener may authenticate with: the current one and, for a time
 * after a change, the one before. Immutable.
 *
 * @param current null if no authentication is required
 * @param previous the one before, or null
 * @param previousUntil {@link System#nanoTime} until which the one before is valid
 */
public record Passwords(@Nullable String current, @Nullable String previous, long previousUntil) {

  /** No authentication. */
  public static final Passwords NONE = of(null);

  /** Returns one password, or none. */
  public static Passwords of(@Nullable String current) {
    return new Passwords(current, null, 0);
  }

  /**
   * Returns the passwords after a change. Of several changes within the overlap, only the latest
   * password before stays valid. If the current one stays the same, a shorter overlap ends the one
   * before sooner, and a longer one does not prolong it.
   *
   * @param overlap how long the one before is valid from now on, at most
   * @param now {@link System#nanoTime}
   */
  public Passwords changedTo(@Nullable String next, Duration overlap, long now) {
    long end = now + overlap.toNanos();
    if (current == null || current.equals(next)) {
      return new Passwords(next, previous, end - previousUntil < 0 ? end : previousUntil);
    }
    return new Passwords(next, current, end);
  }

  /** Returns whether clients must authenticate. */
  public boolean required() {
    return current != null;
  }

  /**
   * Returns whether a password is valid; any is if none is required. Takes the same time for every
   * wrong one.
   *
   * @param now {@link System#nanoTime}
   */
  public boolean accept(byte[] given, long now) {
    if (current == null) {
      return true;
    }
    boolean isCurrent = isSame(given, current);
    boolean isPrevious = previous != null && isSame(given, previous);
    return isCurrent || (isPrevious && now - previousUntil < 0);
  }

  private static boolean isSame(byte[] given, String password) {
    return MessageDigest.isEqual(given, password.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public String toString() {
    return "Passwords[" + (required() ? "***" : "none") + "]";
  }
}
