package io.penstock.core.upstream;

import java.util.function.Consumer;

/**
 * A set of nodes that commands are sent to. Discovers its nodes and publishes them as placements;
 * the data path reports redirects to it. All methods are safe from any thread and return at once.
 *
 * <p>All placements of one upstream have the same {@link Partitioner}.
 */
public interface Upstream extends Topology {

  /** Returns the partitioner, which never changes. */
  default Partitioner partitioner() {
    return current().partitioner();
  }

  /**
   * Calls {@code listener} with every new placement from now on, on a thread of the upstream: it
   * must not block. Changes in quick succession may result in one call.
   */
  void onChange(Consumer<Placement> listener);

  /** Starts to discover the nodes. Call once. */
  void start();

  /** Stops the discovery. {@link #current} keeps returning the last placement. */
  void close();

  /**
   * Returns the state of the discovery; {@link TopologyStatus#UNKNOWN} for an upstream with fixed
   * nodes.
   */
  TopologyStatus status();
}
