package io.penstock.core.listener;

import java.time.Duration;

/**
 * How clients connect.
 *
 * @param maxPerSecond connections accepted; more wait in the system's queue. 0 is no limit
 * @param keepAlive a client that says nothing for so long is asked by the system whether it is
 *     still there, from 1 second to 9 hours (Linux takes 32767 s and no more); zero is never
 */
public record AcceptSettings(int maxPerSecond, Duration keepAlive) {

  /** As many as come; Redis's time. */
  public static final AcceptSettings DEFAULTS = new AcceptSettings(0, Duration.ofMinutes(5));
}
