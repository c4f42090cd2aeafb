package io.penstock.core.listener;

import io.penstock.core.tls.ListenerTls;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a listener accepts connections.
 *
 * @param maxPerSecond most connections accepted in a second; others wait in the system's accept
 *     queue. 0 is no limit
 * @param keepAlive idle time of a connection after which the system sends TCP keepalive probes,
 *     from 1 second to 9 hours (Linux accepts up to 32767 s); zero disables them
 * @param proxyProtocol the header that each connection begins with; null for none
 * @param tls null for clients without TLS
 */
public record AcceptSettings(
    int maxPerSecond,
    Duration keepAlive,
    @Nullable ProxyProtocol proxyProtocol,
    @Nullable ListenerTls tls) {

  /** No rate limit, and Redis's keepalive time. */
  public static final AcceptSettings DEFAULTS = new AcceptSettings(0, Duration.ofMinutes(5));

  /** Without the PROXY protocol and TLS. */
  public AcceptSettings(int maxPerSecond, Duration keepAlive) {
    this(maxPerSecond, keepAlive, null, null);
  }

  /** Returns it with this TLS. */
  public AcceptSettings with(@Nullable ListenerTls other) {
    return new AcceptSettings(maxPerSecond, keepAlive, proxyProtocol, other);
  }

  /** Returns it with this PROXY protocol. */
  public AcceptSettings with(@Nullable ProxyProtocol other) {
    return new AcceptSettings(maxPerSecond, keepAlive, other, tls);
  }
}
