package io.penstock.testkit.network;

import io.penstock.testkit.cluster.SentinelGroup;
import io.penstock.testkit.cluster.ServerProcess;
import java.time.Duration;
import org.awaitility.Awaitility;

/**
 * A replica that lags as long as a test wants it to: it replicates through a relay, and while the
 * relay holds back, the replica answers with the data that it had, and thinks that its link is up
 * until {@code repl-timeout} (60 s).
 *
 * <p>Its {@code master_port} is the relay's. The sentinels leave that as it is while this object is
 * open, because they correct it only after {@code failover-timeout}, which is long meanwhile; a
 * failover ends the lag, because the replica then gets a new master.
 */
public final class ReplicaLag implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final SentinelGroup group;
  private final ServerProcess replica;
  private final Relay relay;

  private ReplicaLag(SentinelGroup group, ServerProcess replica, Relay relay) {
    this.group = group;
    this.replica = replica;
    this.relay = relay;
  }

  /** Has a replica of the group replicate through a relay, without a lag yet. */
  public static ReplicaLag of(SentinelGroup group, ServerProcess replica) {
    group.set("failover-timeout", Long.toString(Duration.ofHours(1).toMillis()));
    ServerProcess master = group.master();
    var lag = new ReplicaLag(group, replica, Relay.to(master.host(), master.port()));
    try {
      lag.follow("127.0.0.1", lag.relay.port());
      return lag;
    } catch (RuntimeException e) {
      lag.relay.close();
      throw e;
    }
  }

  /** From now on the replica gets nothing of what its master writes. */
  public void begin() {
    relay.holdBack();
  }

  /** Ends {@link #begin}. Returns when the replica has what its master has written. */
  public void end() {
    relay.release();
    Awaitility.await(replica + " has caught up")
        .atMost(PATIENCE)
        .until(() -> offset(replica) >= offset(group.master()));
  }

  /** Has the replica replicate from its master directly again. */
  @Override
  public void close() {
    relay.release();
    ServerProcess master = group.master();
    if (replica.isRunning() && replica != master) {
      follow(master.host(), master.port());
    }
    group.set("failover-timeout", Long.toString(group.failoverTimeout().toMillis()));
    relay.close();
  }

  private void follow(String host, int port) {
    replica.text("REPLICAOF", host, Integer.toString(port));
    Awaitility.await(replica + " replicates from port " + port)
        .atMost(PATIENCE)
        .until(() -> isFollowing(port));
  }

  private boolean isFollowing(int port) {
    String info = replica.text("INFO", "replication");
    return info.contains("master_link_status:up") && info.contains("master_port:" + port);
  }

  /** What a master has written, or a replica has read, in bytes. */
  private static long offset(ServerProcess node) {
    for (String line : node.text("INFO", "replication").split("\r\n", -1)) {
      if (line.startsWith("master_repl_offset:")) {
        return Long.parseLong(line.substring(line.indexOf(':') + 1));
      }
    }
    throw new IllegalStateException(node + " tells no offset");
  }
}
