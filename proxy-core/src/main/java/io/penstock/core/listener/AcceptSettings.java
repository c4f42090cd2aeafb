package io.penstock.core.listener;

import java.time.Duration;

/**
 * How a listener accepts connections.
 *
 * @param maxPerSecond most connections accepted in a second; others wait in the system's accept
 *     queue. 0 is no limit
 * @param keepAlive idle time of a connection after which the system sends TCP keepalive probes,
 *     from 1 second to 9 hours (Linux accepts up to 32767 s); zero disables them
 */
public record AcceptSettings(int maxPerSecond, Duration keepAlive) {

  /** No rate limit, and Redis's keepalive time. */
  public static final AcceptSettings DEFAULTS = new AcceptSettings(0, Duration.ofMinutes(5));
}
