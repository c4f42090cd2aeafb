package io.penstock.core.layout;

import java.util.Locale;

/** How keys are distributed over shards, and by which proxy's rules. */
public enum Distribution {

  /** Twemproxy's {@code ketama}: a ring of about 160 points a server. */
  KETAMA,

  /** Twemproxy's {@code modula}: the hash modulo the sum of weights. */
  MODULA,

  /** Twemproxy's {@code random}: any server for each key of each request. */
  RANDOM,

  /** Codis: 1,024 slots by CRC-32. */
  CODIS,

  /** Camellia's sharding: buckets. */
  CAMELLIA,

  /** Predixy's groups of a standalone or Sentinel pool: the hash modulo their number. */
  PREDIXY,

  /** Overlord: ketama with other rounding, unsigned bytes and its own hash tag rule. */
  OVERLORD,

  /** Rmux: a table of multiples modulo a prime. */
  RMUX,

  /** One rack of Dynomite: a ring of the servers' tokens. */
  DYNOMITE;

  /** Codis' number of slots. */
  public static final int CODIS_SLOTS = 1024;

  /** Returns the name in configurations. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns whether shards are given as slots or buckets, and not as a list of servers. */
  public boolean hasSlots() {
    return this == CODIS || this == CAMELLIA;
  }

  /**
   * Returns whether {@link ShardLayout#without} is supported, because the proxy gives the keys of a
   * server that is out to the others.
   */
  public boolean canEject() {
    return switch (this) {
      case KETAMA, MODULA, RANDOM, OVERLORD, RMUX -> true;
      case CODIS, CAMELLIA, PREDIXY, DYNOMITE -> false;
    };
  }
}
