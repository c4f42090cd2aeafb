package io.penstock.server.management;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.core.limit.PasswordGuesses;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.LongSupplier;
import org.apache.catalina.connector.Request;
import org.jspecify.annotations.Nullable;

/**
 * Which requests to the management port may change something. With a token, those that have it;
 * without one, those of programs on this machine. The token may change while requests arrive.
 */
public final class ManagementAccess {

  private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS", "TRACE");

  private static final String SCHEME = "bearer ";

  /**
   * Headers of a proxy on this machine, which passes on requests of others, and of a browser, which
   * sends requests for any page that its user visits.
   */
  private static final List<String> OF_OTHERS =
      List.of(
          "Forwarded",
          "X-Forwarded-For",
          "X-Forwarded-Host",
          "X-Forwarded-Proto",
          "X-Real-IP",
          "Via",
          "Origin",
          "Sec-Fetch-Site");

  private final LongSupplier clock;
  private final PasswordGuesses guesses = new PasswordGuesses();
  private volatile byte @Nullable [] digest; // null if there is no token

  ManagementAccess(@Nullable String token) {
    this(token, System::nanoTime);
  }

  /**
   * @param clock as {@link System#nanoTime}
   */
  ManagementAccess(@Nullable String token, LongSupplier clock) {
    this.clock = clock;
    require(token);
  }

  /** Requires another token from now on, or none if it is null. Safe from any thread. */
  public void require(@Nullable String token) {
    digest = token == null ? null : digest(token);
  }

  /** Returns why the request must not be served, or null. */
  @Nullable Rejection check(Request request) {
    if (READING.contains(request.getMethod())) {
      return null;
    }
    byte[] required = digest;
    if (required == null) {
      return isOfThisMachine(request) ? null : Rejection.NOT_LOCAL;
    }
    String header = request.getHeader("Authorization");
    boolean bearer = header != null && header.toLowerCase(Locale.ROOT).startsWith(SCHEME);
    if (header == null || !bearer) {
      return Rejection.TOKEN;
    }
    return checkToken(header.substring(SCHEME.length()).strip(), required, request.getRemoteAddr());
  }

  private @Nullable Rejection checkToken(String token, byte[] required, String address) {
    var from = new InetSocketAddress(address, 0); // no name: no query
    long now = clock.getAsLong();
    if (guesses.waitNanos(from, "", token, now) > 0) {
      return Rejection.TOKENS;
    }
    // digests have one length, so that the time does not depend on that of the token
    if (MessageDigest.isEqual(required, digest(token))) {
      guesses.succeeded(from, "", now);
      return null;
    }
    guesses.failed(from, "", token, now);
    return Rejection.TOKEN;
  }

  private static boolean isOfThisMachine(Request request) {
    for (String header : OF_OTHERS) {
      if (request.getHeader(header) != null) {
        return false;
      }
    }
    try {
      return InetAddress.getByName(request.getRemoteAddr())
          .isLoopbackAddress(); // no name: no query
    } catch (UnknownHostException e) {
      return false;
    }
  }

  private static byte[] digest(String token) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(token.getBytes(UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JDK has it
    }
  }
}
