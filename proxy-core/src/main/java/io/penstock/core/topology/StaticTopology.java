package io.penstock.core.topology;

import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ErrorPolicy;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.Shard;
import io.penstock.core.upstream.SinglePlacement;
import io.penstock.core.upstream.Upstream;
import java.util.List;

/**
 * The topology of a single node that has all keys. Never changes: there are no redirects (a cluster
 * node must be configured with a {@code redis-cluster://} URL) and no refreshes.
 */
public final class StaticTopology implements Upstream {

  private final Placement placement;

  public StaticTopology(Endpoint server) {
    this(server, List.of());
  }

  public StaticTopology(Endpoint master, List<Endpoint> replicas) {
    this.placement = new SinglePlacement(new Shard(master, replicas, 0));
  }

  @Override
  public Placement current() {
    return placement;
  }

  @Override
  public ErrorPolicy errorPolicy() {
    return ErrorPolicy.SINGLE;
  }
}
