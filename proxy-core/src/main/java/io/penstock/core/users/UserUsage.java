package io.penstock.core.users;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * What the clients of one user use now, and what happened to them, over all event loops. It stays
 * the same while the user has its name, also when its rules or limits change. Safe from any thread;
 * never blocks.
 */
public final class UserUsage {

  private final String user;
  private final AtomicLong due = new AtomicLong(System.nanoTime());
  private final AtomicInteger clients = new AtomicInteger();
  private final AtomicLong bytesInFlight = new AtomicLong();
  private final LongAdder logins = new LongAdder();
  private final LongAdder failedLogins = new LongAdder();
  private final LongAdder denials = new LongAdder();
  private final LongAdder[] rejections = new LongAdder[Limit.values().length];
  private final LongAdder delays = new LongAdder();

  /** The limits of a user. */
  public enum Limit {
    RATE,
    CONNECTIONS,
    BYTES_IN_FLIGHT
  }

  public UserUsage(String user) {
    this.user = user;
    Arrays.setAll(rejections, _ -> new LongAdder());
  }

  public String user() {
    return user;
  }

  /**
   * Takes one request of a rate. The rate is kept as the time at which the next request is due if
   * all come at the same distance: a request may come that much earlier as the burst allows.
   *
   * @param interval between two requests, in nanoseconds
   * @param early how much earlier a request may come, in nanoseconds
   * @param now {@link System#nanoTime}
   * @return 0 if it was taken; otherwise the nanoseconds after which one may be
   */
  long take(long interval, long early, long now) {
    while (true) {
      long before = due.get();
      long from = before - now > 0 ? before : now;
      long wait = from - early - now;
      if (wait > 0) {
        return wait;
      }
      if (due.compareAndSet(before, from + interval)) {
        return 0;
      }
    }
  }

  /**
   * Counts one more client.
   *
   * @param most 0 for no limit
   * @return false if there are as many already
   */
  public boolean connect(int most) {
    while (true) {
      int before = clients.get();
      if (most > 0 && before >= most) {
        return false;
      }
      if (clients.compareAndSet(before, before + 1)) {
        return true;
      }
    }
  }

  /** A client that was counted has left, or is another user's now. */
  public void disconnect() {
    clients.decrementAndGet();
  }

  /**
   * Counts the bytes of a request without a reply. One request is always permitted.
   *
   * @return false if there were more than {@code most} with it
   */
  boolean begin(long bytes, long most) {
    long sum = bytesInFlight.addAndGet(bytes);
    if (sum > most && sum > bytes) {
      bytesInFlight.addAndGet(-bytes);
      return false;
    }
    return true;
  }

  /** The request of these bytes has its reply. */
  void end(long bytes) {
    bytesInFlight.addAndGet(-bytes);
  }

  /** Counts a client that logged in. */
  public void countLogin() {
    logins.increment();
  }

  /** Counts a wrong password, or a login of a disabled user. */
  public void countFailedLogin() {
    failedLogins.increment();
  }

  /** Counts a request that the user's rules do not permit. */
  public void countDenial() {
    denials.increment();
  }

  /** Counts a request or a login above a limit. */
  public void countRejection(Limit limit) {
    rejections[limit.ordinal()].increment();
  }

  /** Counts a request that waits for the user's rate. */
  public void countDelay() {
    delays.increment();
  }

  public int clients() {
    return clients.get();
  }

  public long bytesInFlight() {
    return bytesInFlight.get();
  }

  public long logins() {
    return logins.sum();
  }

  public long failedLogins() {
    return failedLogins.sum();
  }

  public long denials() {
    return denials.sum();
  }

  public long rejections(Limit limit) {
    return rejections[limit.ordinal()].sum();
  }

  public long delays() {
    return delays.sum();
  }
}
