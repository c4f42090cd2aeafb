package io.penstock.core.tcp;

import java.util.Locale;

/** How a server is chosen for a new client. */
public enum TcpBalance {
  /** By turns, in proportion to the weights; evenly spread (smooth). */
  ROUND_ROBIN,
  /** The server with the fewest connections for its weight; by turns among equal ones. */
  LEAST_CONNECTIONS,
  /** At random, in proportion to the weights. */
  RANDOM,
  /** The one of two random servers with fewer connections for its weight. */
  RANDOM_TWO,
  /** By the hash of the client's address, modulo the sum of the weights. */
  HASH,
  /** By the hash of the client's address, on a ring with 160 points for each unit of weight. */
  CONSISTENT_HASH;

  /** Returns whether servers may be kept for the time when all others are out. */
  public boolean hasBackups() {
    return this == ROUND_ROBIN || this == LEAST_CONNECTIONS;
  }

  /** Returns the name as the configuration writes it. */
  public String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
