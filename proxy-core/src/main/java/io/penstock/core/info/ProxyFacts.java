package io.penstock.core.info;

import java.security.SecureRandom;
import java.time.Instant;
import java.util.HexFormat;

/**
 * What stays as it is while a proxy runs.
 *
 * @param version Penstock's own
 * @param runId 40 hexadecimal digits, others in each process
 * @param replicationId the same, for the sake of those who look for one
 * @param startedAt when the proxy was made
 * @param executable the program that runs Penstock
 * @param transport the transport in use, for example {@code epoll}
 * @param eventLoops how many there are
 * @param maxClients client connections above this are refused
 * @param cluster whether it looks like a cluster to its clients
 */
public record ProxyFacts(
    String version,
    String runId,
    String replicationId,
    Instant startedAt,
    String executable,
    String transport,
    int eventLoops,
    int maxClients,
    boolean cluster) {

  private static final String NO_ID = "0".repeat(40);

  /** Of no proxy. */
  public static final ProxyFacts UNKNOWN =
      new ProxyFacts("unknown", NO_ID, NO_ID, Instant.EPOCH, "", "unknown", 0, 0, false);

  private static final int ID_BYTES = 20;

  /** An id as Redis makes them: 40 hexadecimal digits by chance. */
  public static String newId() {
    byte[] bytes = new byte[ID_BYTES];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }
}
