package io.penstock.core.topology;

import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.SinglePlacement;
import io.penstock.core.upstream.Topology;

/** One server that has all keys. It redirects nobody, and there is nothing to refresh. */
public final class StaticTopology implements Topology {

  private final Placement placement;

  public StaticTopology(Endpoint server) {
    this.placement = new SinglePlacement(server);
  }

  @Override
  public Placement current() {
    return placement;
  }

  /**
   * Does nothing: a server with cluster support enabled belongs behind {@code redis-cluster://}.
   */
  @Override
  public void moved(int partition, Endpoint owner) {}

  @Override
  public void requestRefresh(RefreshTrigger trigger) {}
}
