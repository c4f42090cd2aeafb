package io.penstock.core.tcp;

import io.penstock.core.upstream.Endpoint;
import java.time.Duration;

/**
 * The settings of one server of a TCP upstream. Immutable. {@link #toString} is its address.
 *
 * @param address where it is connected to
 * @param written the address as it was configured, such as {@code 10.0.0.1:6379}; what a ring is
 *     computed from
 * @param weight share of the clients compared to the other servers, at least 1
 * @param maxConnections most connections at once, over all event loops; 0 for no limit
 * @param maxFails failed connects within {@code failTimeout} after which it is out for that time; 0
 *     for never
 * @param failTimeout see {@code maxFails}
 * @param slowStart time in which its weight grows from zero after it was out; zero for at once
 * @param backup whether it is only used while all other servers are out
 * @param down whether it is never used
 */
public record TcpServer(
    Endpoint address,
    String written,
    int weight,
    int maxConnections,
    int maxFails,
    Duration failTimeout,
    Duration slowStart,
    boolean backup,
    boolean down) {

  /** Nginx' default of {@code fail_timeout}. */
  public static final Duration FAIL_TIMEOUT = Duration.ofSeconds(10);

  /** With the defaults of all parameters. */
  public static TcpServer of(Endpoint address) {
    return new TcpServer(
        address, address.toString(), 1, 0, 1, FAIL_TIMEOUT, Duration.ZERO, false, false);
  }

  @Override
  public String toString() {
    return address.toString();
  }
}
