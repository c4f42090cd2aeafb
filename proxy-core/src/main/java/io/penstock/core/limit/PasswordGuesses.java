package io.penstock.core.limit;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Bounds how many wrong passwords an address can try, over all of its connections: {@link #BURST}
 * at once, then one each {@link #EACH}. Further attempts wait before they are looked at, right or
 * wrong, so that no attempt tells anything sooner.
 *
 * <p>An address that has recently given the right password of a user does not wait for that user:
 * it is a client that knows the password, or stands for several, as that of a load balancer or of
 * NAT does, and one of them must not lock out the others. A wrong password that was tried before
 * costs nothing and does not wait: it tells nothing new, and many clients of one address may have
 * the same outdated one.
 *
 * <p>An address is an IPv4 address or the first 64 bits of an IPv6 address; all clients of Unix
 * sockets are one. Their number is bounded; the oldest are forgotten. Passwords are kept as salted
 * digests. Safe from any thread.
 */
public final class PasswordGuesses {

  /** Wrong passwords that an address may try at once. */
  public static final int BURST = 50;

  /** The time for each further one. */
  public static final Duration EACH = Duration.ofMillis(100);

  /** Addresses that are remembered, of those that failed and of those that did not. */
  static final int MOST_ADDRESSES = 16_384;

  private static final Duration FAILED_KEPT = Duration.ofMinutes(5);
  private static final Duration TRUSTED_KEPT = Duration.ofMinutes(30);
  private static final long EACH_NANOS = EACH.toNanos();
  private static final int MOST_KNOWN = 8;
  private static final int SALT_BYTES = 16;

  private final RecentMap<Source, Failures> failed = new RecentMap<>(MOST_ADDRESSES, FAILED_KEPT);
  private final RecentMap<Login, Boolean> trusted = new RecentMap<>(MOST_ADDRESSES, TRUSTED_KEPT);
  private final byte[] salt = new byte[SALT_BYTES];

  public PasswordGuesses() {
    new SecureRandom().nextBytes(salt);
  }

  /** A user, at an address. */
  private record Login(Source source, String user) {}

  /** An address, or a range of IPv6 addresses. */
  private record Source(int bytes, long bits) {

    private static final Source UNIX = new Source(0, 0);

    static Source of(@Nullable SocketAddress address) {
      InetAddress inet = address instanceof InetSocketAddress socket ? socket.getAddress() : null;
      if (inet == null) {
        return UNIX;
      }
      ByteBuffer bytes = ByteBuffer.wrap(inet.getAddress());
      return inet instanceof Inet4Address
          ? new Source(Integer.BYTES, bytes.getInt())
          : new Source(Long.BYTES, bytes.getLong());
    }
  }

  /**
   * The wrong passwords of an address.
   *
   * @param paidUntil {@link System#nanoTime} until which its failures count; each adds {@link
   *     #EACH}
   * @param known digests of the last few that differ
   */
  private record Failures(long paidUntil, long[] known) {

    static final Failures NONE = new Failures(0, new long[0]);

    boolean knows(long digest) {
      for (long each : known) {
        if (each == digest) {
          return true;
        }
      }
      return false;
    }

    Failures and(long digest, long now) {
      if (knows(digest)) {
        return this;
      }
      boolean more = known.length > 0 && paidUntil - now > 0;
      int kept = Math.min(known.length, MOST_KNOWN - 1);
      long[] all = Arrays.copyOfRange(known, known.length - kept, known.length + 1);
      all[kept] = digest;
      return new Failures((more ? paidUntil : now) + EACH_NANOS, all);
    }

    /** Returns how long the next attempt must wait; not positive if it need not. */
    long waitNanos(long now) {
      return paidUntil - now - (BURST - 1) * EACH_NANOS;
    }
  }

  /**
   * Returns how long an attempt must wait before it may be looked at, in nanoseconds; 0 if it need
   * not. Then it must ask again: another one may be first.
   *
   * @param from the client's address; one without IP address is of a Unix socket
   * @param user as the client wrote it
   * @param now {@link System#nanoTime}
   */
  public long waitNanos(@Nullable SocketAddress from, String user, String password, long now) {
    Source source = Source.of(from);
    Failures failures = failed.get(source, now);
    if (failures == null || failures.waitNanos(now) <= 0) {
      return 0;
    }
    boolean passes =
        trusted.get(new Login(source, user), now) != null || failures.knows(digest(user, password));
    return passes ? 0 : failures.waitNanos(now);
  }

  /** Notes a wrong password. */
  public void failed(@Nullable SocketAddress from, String user, String password, long now) {
    long digest = digest(user, password);
    failed.change(
        Source.of(from), now, before -> (before == null ? Failures.NONE : before).and(digest, now));
  }

  /** Notes the right password. */
  public void succeeded(@Nullable SocketAddress from, String user, long now) {
    trusted.change(new Login(Source.of(from), user), now, _ -> Boolean.TRUE);
  }

  /** Addresses whose failures are remembered, approximately. */
  int size() {
    return failed.size();
  }

  private long digest(String user, String password) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      sha.update(salt);
      sha.update(user.getBytes(StandardCharsets.ISO_8859_1));
      sha.update((byte) 0);
      return ByteBuffer.wrap(sha.digest(password.getBytes(StandardCharsets.ISO_8859_1))).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JDK has it
    }
  }
}
