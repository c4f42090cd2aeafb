package io.penstock.core.upstream;

/** How clients are distributed over the nodes that may be read. */
public enum Balance {
  /** In turn. */
  ROUND_ROBIN,
  /** To the node with the fewest requests in flight from this event loop. */
  LEAST_IN_FLIGHT
}
