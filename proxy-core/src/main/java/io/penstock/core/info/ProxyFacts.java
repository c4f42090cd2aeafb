package io.penstock.core.info;

import java.security.SecureRandom;
import java.time.Instant;
import java.util.HexFormat;

/**
 * The facts about a proxy that change with its settings only.
 *
 * @param version Penstock's own version
 * @param runId 40 hexadecimal digits, different in each process
 * @param replicationId another such id, for clients that read one
 * @param startedAt when the proxy was created
 * @param executable the program that runs Penstock
 * @param transport the transport in use, for example {@code epoll}
 * @param eventLoops the number of event loops
 * @param maxClients client connections above this are rejected
 * @param cluster whether clients are shown a cluster
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

  /** For sessions without a proxy. */
  public static final ProxyFacts UNKNOWN =
      new ProxyFacts("unknown", NO_ID, NO_ID, Instant.EPOCH, "", "unknown", 0, 0, false);

  private static final int ID_BYTES = 20;

  /**
   * Returns these facts with another limit on clients, and for clients that see a cluster or not.
   */
  public ProxyFacts with(int clients, boolean asCluster) {
    return new ProxyFacts(
        version,
        runId,
        replicationId,
        startedAt,
        executable,
        transport,
        eventLoops,
        clients,
        asCluster);
  }

  /** Returns an id as in Redis: 40 random hexadecimal digits. */
  public static String newId() {
    byte[] bytes = new byte[ID_BYTES];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }
}
