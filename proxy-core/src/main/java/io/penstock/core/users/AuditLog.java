package io.penstock.core.users;

import io.penstock.core.acl.Denial;
import io.penstock.core.client.Client;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Logs who logged in, what was denied, and who changed users, to a logger of its own. Each line has
 * its facts as fields too, for structured logging. No line contains a password, a key or a channel.
 * Of more lines in a second than {@value #MOST_IN_A_SECOND}, the others are counted and not logged.
 * Safe from any thread.
 */
public final class AuditLog {

  /** The name of the logger. */
  public static final String LOGGER = "penstock.audit";

  static final int MOST_IN_A_SECOND = 1_000;

  private static final int LONGEST_NAME = 256;
  private static final Pattern CONTROL = Pattern.compile("\\p{Cc}");

  private static final Logger log = LoggerFactory.getLogger(LOGGER);

  /** The log of this process. */
  public static final AuditLog AUDIT = new AuditLog();

  private final AtomicLong second = new AtomicLong();
  private final AtomicInteger lines = new AtomicInteger(); // in that second

  AuditLog() {}

  /**
   * A client is another user's now.
   *
   * @param means {@code password} or {@code certificate}
   */
  public void loggedIn(Client client, String user, String means) {
    if (isOn()) {
      event("login", client, user)
          .addKeyValue("means", means)
          .log("User {} logged in by {}: client {} of {}", user, means, client.id(), client.peer());
    }
  }

  /**
   * A client gave a wrong password, or the name of a user that does not exist or is disabled.
   *
   * @param user as the client wrote it
   */
  public void loginFailed(Client client, String user) {
    if (isOn()) {
      String shown = shown(user);
      event("login-failed", client, shown)
          .log("Login as user {} failed: client {} of {}", shown, client.id(), client.peer());
    }
  }

  /** Returns a name that a client chose, cut, and without what could look like another line. */
  private static String shown(String name) {
    String cut = name.length() > LONGEST_NAME ? name.substring(0, LONGEST_NAME) + "..." : name;
    return CONTROL.matcher(cut).replaceAll("?");
  }

  /**
   * The rules of a client's user do not permit a request.
   *
   * @param command the name of the command
   */
  public void denied(Client client, String user, Denial.Reason reason, String command) {
    if (isOn()) {
      String what = reason.name().toLowerCase(Locale.ROOT).replace('_', '-');
      event("denied", client, user)
          .addKeyValue("reason", what)
          .addKeyValue("command", command)
          .log(
              "Request {} of user {} was denied ({}): client {} of {}",
              command,
              user,
              what,
              client.id(),
              client.peer());
    }
  }

  /**
   * A client had a command executed that administers servers, or Penstock.
   *
   * @param command the name of the command
   */
  public void administered(Client client, String user, String command) {
    if (isOn()) {
      event("administration", client, user)
          .addKeyValue("command", command)
          .log(
              "Request {} of user {} is executed: client {} of {}",
              command,
              user,
              client.id(),
              client.peer());
    }
  }

  private static LoggingEventBuilder event(String event, Client client, String user) {
    return log.atInfo()
        .addKeyValue("event", event)
        .addKeyValue("user", user)
        .addKeyValue("client", client.id())
        .addKeyValue("address", client.peer());
  }

  private boolean isOn() {
    return log.isInfoEnabled() && admits(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime()));
  }

  /** Returns whether one more line may be logged in a second. */
  boolean admits(long now) {
    long before = second.get();
    if (before != now && second.compareAndSet(before, now)) {
      int left = lines.getAndSet(0) - MOST_IN_A_SECOND;
      if (left > 0) {
        log.warn("{} events were left out: more than {} in a second", left, MOST_IN_A_SECOND);
      }
    }
    return lines.incrementAndGet() <= MOST_IN_A_SECOND;
  }
}
