package io.penstock.core.tls;

import io.penstock.core.failure.Causes;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Failures of handshakes, for logs. */
public final class TlsFailure {

  /** As {@link java.util.Date#toString} writes it. */
  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("EEE MMM dd HH:mm:ss zzz yyyy", Locale.US);

  private TlsFailure() {}

  /** Returns why a handshake failed: the message of the root cause, which names what is wrong. */
  public static String reason(Throwable failure) {
    Throwable root = Causes.rootOf(failure);
    return root instanceof ClosedChannelException
        ? "the peer closed the connection during the TLS handshake"
        : "the TLS handshake failed: " + text(root);
  }

  /**
   * Returns the message of a root cause. For a certificate that is not valid now, the JDK's has
   * nothing but a date, in another form than that of the log.
   */
  public static @Nullable String text(Throwable root) {
    String message = root.getMessage();
    return switch (root) {
      case CertificateExpiredException _ -> "the certificate expired at " + instant(message);
      case CertificateNotYetValidException _ ->
          "the certificate is not valid before " + instant(message);
      default -> message;
    };
  }

  private static String instant(@Nullable String message) {
    String date = message == null ? "" : message.substring(message.indexOf(' ') + 1);
    try {
      return Instant.from(DATE.parse(date)).toString();
    } catch (DateTimeException _) {
      return date;
    }
  }
}
