package io.penstock.testkit.cluster;

import io.penstock.testkit.wire.RespClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One server of an {@link EmbeddedCluster}. Role and slots change while it runs, so they are
 * queried when they are needed.
 */
public final class Member {

  /** A little longer than a replica tries. */
  private static final long FAILOVER_NANOS = Duration.ofSeconds(6).toNanos();

  private final ServerProcess server;
  private volatile String id;

  Member(ServerProcess server) {
    this.server = server;
    this.id = server.text("CLUSTER", "MYID");
  }

  public ServerProcess server() {
    return server;
  }

  /** Returns the node id. */
  public String id() {
    return id;
  }

  public String host() {
    return server.host();
  }

  public int port() {
    return server.port();
  }

  /** The port for TLS; 0 if the server has none. */
  public int tlsPort() {
    return server.tlsPort();
  }

  /** The port that the cluster knows it by: the one for TLS, if it has one. */
  int clusterPort() {
    return tlsPort() == 0 ? port() : tlsPort();
  }

  public boolean isRunning() {
    return server.isRunning();
  }

  /** Crashes it; see {@link ServerProcess#kill}. */
  public void kill() {
    server.kill();
  }

  /** Freezes it; see {@link ServerProcess#pause}. */
  public void pause() {
    server.pause();
  }

  public void resume() {
    server.resume();
  }

  /**
   * Sets whether this member, as a replica, takes over when its master does not answer. A restart
   * sets it back.
   */
  public void takesOver(boolean whenSilent) {
    text("CONFIG", "SET", "cluster-replica-no-failover", whenSilent ? "no" : "yes");
  }

  /**
   * Starts it again with its node id and slots; as a new node if its folder lacks {@code
   * nodes.conf}.
   */
  public void restart() {
    server.restart();
    id = server.text("CLUSTER", "MYID");
  }

  /** One command on a connection of its own. */
  public String text(String... command) {
    return server.text(command);
  }

  List<NodeView> view() {
    return NodeView.parse(text("CLUSTER", "NODES"));
  }

  NodeView self() {
    return view().stream().filter(NodeView::isMyself).findFirst().orElseThrow();
  }

  @Override
  public String toString() {
    return server.toString();
  }

  /**
   * Starts a failover to this replica as soon as it has a link to its master. A replica that has
   * not read all that its master wrote within five seconds ({@code CLUSTER_MF_TIMEOUT} of Redis's
   * cluster.h) gives up for good, so the command is sent again, as an operator does.
   */
  void failover(Duration patience) {
    var askedAt = new AtomicLong(System.nanoTime() - FAILOVER_NANOS);
    Waiting.until(
        this + " is a master",
        patience,
        () -> {
          if (self().isMaster()) {
            return true;
          }
          if (System.nanoTime() - askedAt.get() >= FAILOVER_NANOS && beginsFailover()) {
            askedAt.set(System.nanoTime());
          }
          return false;
        },
        () -> server().logTail());
  }

  /** Returns false while the link is being made again. */
  private boolean beginsFailover() {
    try {
      text("CLUSTER", "FAILOVER");
      return true;
    } catch (RespClient.ErrorReply e) {
      if (e.getMessage() == null || !e.getMessage().contains("Master is down or failed")) {
        throw e;
      }
      return false;
    }
  }
}
