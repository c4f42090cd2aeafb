package io.penstock.core.client;

import io.penstock.core.upstream.Endpoint;
import org.jspecify.annotations.Nullable;

/**
 * Pauses a client's requests while the nodes, or the client's own thread, do not keep up. Confined
 * to the client's event loop.
 */
public final class Backpressure {

  private final Client client;
  private final Nodes nodes;
  private boolean paused;

  /** Not paused at first. */
  public Backpressure(Client client, Nodes nodes) {
    this.client = client;
    this.nodes = nodes;
  }

  /** Returns whether nothing may be sent now. */
  public boolean isPaused() {
    if (!paused) {
      pauseIfBusy(null);
    }
    return paused;
  }

  /** Pauses while {@code node} does not keep up; null for no node in particular. */
  public void pauseIfBusy(@Nullable Endpoint node) {
    if (!nodes.isWritable(node, client.affinity())) {
      pause(node);
    }
  }

  /**
   * Pauses until there may be room again.
   *
   * @param node that must keep up then; null for no node in particular
   */
  public void pause(@Nullable Endpoint node) {
    paused = true;
    nodes.whenWritable(
        client.affinity(),
        () -> {
          if (client.isClosed()) {
            return;
          }
          paused = false;
          pauseIfBusy(node);
          client.processInput();
        });
  }
}
