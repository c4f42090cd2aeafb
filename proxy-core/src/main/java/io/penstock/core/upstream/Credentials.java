package io.penstock.core.upstream;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of {@code AUTH}. The password may change while connections are open: new ones use
 * the latest. Two credentials are equal if they are for the same user. Safe from any thread.
 *
 * <p>{@link #toString} gives no password.
 */
public final class Credentials {

  /** Part of a Redis server's error for an unknown command. The arguments follow, truncated. */
  private static final String ARGUMENTS = "with args beginning with:";

  private final @Nullable String user;
  private volatile AtomicReference<String> password; // may be that of others too

  /**
   * @param user ACL user; null for the default user
   */
  public Credentials(@Nullable String user, String password) {
    this.user = user;
    this.password = new AtomicReference<>(password);
  }

  /** Returns the ACL user; null for the default user. */
  public @Nullable String user() {
    return user;
  }

  /** Returns the latest password. */
  public String password() {
    return password.get();
  }

  /** Replaces the password, for connections that authenticate from now on. */
  public void changePassword(String next) {
    password.set(next);
  }

  /**
   * Gives this password to {@code earlier}, and has both the same from now on: a change of either
   * changes it for both.
   */
  public void shareWith(Credentials earlier) {
    earlier.changePassword(password());
    password = earlier.password;
  }

  /**
   * Masks the arguments that a node's error repeats of a request, which may contain credentials.
   */
  public static String mask(String error) {
    int end = error.indexOf(ARGUMENTS);
    return end < 0 ? error : error.substring(0, end + ARGUMENTS.length()) + " ***";
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Credentials that && Objects.equals(that.user, user);
  }

  @Override
  public int hashCode() {
    return Objects.hashCode(user);
  }

  @Override
  public String toString() {
    return "Credentials[user=" + user + ", password=***]";
  }
}
