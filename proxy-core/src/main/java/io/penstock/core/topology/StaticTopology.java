package io.penstock.core.topology;

import io.penstock.core.cluster.SlotMap;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.Topology;

/** One server that has every slot. It redirects nobody, and there is nothing to refresh. */
public final class StaticTopology implements Topology {

  private final SlotMap map;

  public StaticTopology(Endpoint server) {
    this.map = SlotMap.single(server);
  }

  @Override
  public SlotMap current() {
    return map;
  }

  /**
   * Does nothing: a server with cluster support enabled belongs behind {@code redis-cluster://}.
   */
  @Override
  public void moved(int slot, Endpoint owner) {}

  @Override
  public void requestRefresh(RefreshTrigger trigger) {}
}
