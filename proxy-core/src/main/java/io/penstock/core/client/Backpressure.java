package io.penstock.core.client;

import io.penstock.core.upstream.Endpoint;
import org.jspecify.annotations.Nullable;

/**
 * Whether a client's requests wait because the nodes, or its own thread, do not keep up with them.
 * Confined to the client's event loop.
 */
public final class Backpressure {

  private final Client client;
  private final Nodes nodes;
  private boolean paused;

  /** Nothing waits at first. */
  public Backpressure(Client client, Nodes nodes) {
    this.client = client;
    this.nodes = nodes;
  }

  /** True while nothing should be sent. */
  public boolean isPaused() {
    if (!paused) {
      pauseIfBusy(null);
    }
    return paused;
  }

  /** Pauses if {@code node} does not keep up, until it does; null for no node in particular. */
  public void pauseIfBusy(@Nullable Endpoint node) {
    if (!nodes.keepsUp(node, client.affinity())) {
      pause(node);
    }
  }

  /**
   * Pauses until there may be room again.
   *
   * @param node that has to keep up then; null for none in particular
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
