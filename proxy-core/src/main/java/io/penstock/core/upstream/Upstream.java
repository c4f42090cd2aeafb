package io.penstock.core.upstream;

import java.util.function.Consumer;

/**
 * What commands are sent to, with a life of its own: it finds out where its servers are, publishes
 * that as placements, and is told by the data path what redirects say. All methods are safe from
 * any thread and return at once.
 *
 * <p>All placements of one upstream divide keys alike: they have the same {@link Partitioner}.
 */
public interface Upstream extends Topology {

  /** Divides the keys, the same for the upstream's whole life. */
  default Partitioner partitioner() {
    return current().partitioner();
  }

  /**
   * Has {@code listener} told of every placement from now on, on a thread of the upstream's: it
   * must not block. Changes in quick succession may be told as one.
   */
  void onChange(Consumer<Placement> listener);

  /** Begins to look where the servers are. Call once. */
  void start();

  /** Stops looking; {@link #current} keeps its last answer. */
  void close();

  /**
   * What its looks for the servers have found; {@link TopologyStatus#UNKNOWN} where there is
   * nothing to find.
   */
  TopologyStatus status();
}
