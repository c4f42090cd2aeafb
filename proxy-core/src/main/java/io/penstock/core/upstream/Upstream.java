package io.penstock.core.upstream;

import java.util.function.Consumer;

/**
 * A set of nodes that commands are sent to. Discovers its nodes and publishes them as placements;
 * the data path reports redirects to it. All methods are safe from any thread and return at once.
 * The methods about discovery do nothing by default, for an upstream that never changes.
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
  default void onChange(Consumer<Placement> listener) {}

  /**
   * Returns over how many lanes clients are spread. The clients of a lane use the same node for a
   * partition. More than 1 only if several nodes serve the same keys equally well, or if clients
   * are divided over {@linkplain #hasSeparateLanes separate} servers. Never changes.
   */
  default int lanes() {
    return 1;
  }

  /** Returns whether each lane has servers, keys and messages of its own. */
  default boolean hasSeparateLanes() {
    return false;
  }

  /**
   * Returns the lane of a client; they take turns by default.
   *
   * @param client how many clients came before it, modulo 2^32
   */
  default int laneOf(int client) {
    return Math.floorMod(client, lanes());
  }

  /**
   * Returns what the clients of a lane see of the upstream. The same object for its lifetime.
   *
   * @param index 0 to {@link #lanes} - 1
   */
  default Topology lane(int index) {
    return this;
  }

  /** Starts to discover the nodes. Call once. */
  default void start() {}

  /** Stops the discovery. {@link #current} keeps returning the last placement. */
  default void close() {}

  /**
   * Returns the state of the discovery; {@link TopologyStatus#UNKNOWN} for an upstream with fixed
   * nodes.
   */
  default TopologyStatus status() {
    return TopologyStatus.UNKNOWN;
  }
}
