package io.penstock.core.topology;

import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ErrorPolicy;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.Topology;
import java.util.HashSet;
import java.util.Set;

/** A topology that a test sets. */
public final class TestTopology implements Topology {

  public Placement map;

  /** Nodes of Redis Clusters. */
  public final Set<Endpoint> cluster = new HashSet<>();

  public TestTopology(Placement map) {
    this.map = map;
  }

  @Override
  public Placement current() {
    return map;
  }

  @Override
  public ErrorPolicy errorPolicy() {
    return ErrorPolicy.SINGLE;
  }

  @Override
  public void moved(int slot, Endpoint owner) {}

  @Override
  public boolean isInCluster(Endpoint node) {
    return cluster.contains(node);
  }

  @Override
  public void requestRefresh(RefreshTrigger trigger) {}
}
