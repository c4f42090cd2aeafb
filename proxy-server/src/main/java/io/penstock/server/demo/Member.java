package io.penstock.server.demo;

import java.time.Duration;
import java.util.List;

/**
 * One server of an {@link EmbeddedCluster}. Role and slots change while it runs, so they are asked
 * for when they are needed.
 */
public final class Member {

  private final ServerProcess server;
  private volatile String id;

  Member(ServerProcess server) {
    this.server = server;
    this.id = server.text("CLUSTER", "MYID");
  }

  public ServerProcess server() {
    return server;
  }

  /** The node id the cluster knows it by. */
  public String id() {
    return id;
  }

  public String host() {
    return server.host();
  }

  public int port() {
    return server.port();
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
   * Starts it again with the node id and the slots it had; as a new node when its folder lacks
   * {@code nodes.conf}.
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

  /** Begins a failover to this replica, as soon as it has a link to its master. */
  void failover(Duration patience) {
    Waiting.until(
        this + " hears of its master", patience, this::beginsFailover, () -> server().logTail());
  }

  /** False while the link is being made anew, as after others have come and gone. */
  private boolean beginsFailover() {
    try {
      text("CLUSTER", "FAILOVER");
      return true;
    } catch (RespConnection.ErrorReply e) {
      if (e.getMessage() == null || !e.getMessage().contains("Master is down or failed")) {
        throw e;
      }
      return false;
    }
  }
}
