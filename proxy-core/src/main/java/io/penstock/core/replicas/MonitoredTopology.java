package io.penstock.core.replicas;

import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ErrorPolicy;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.ReadTargets;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.Topology;

/** The topology of an upstream whose replicas are monitored. Safe from any thread. */
public record MonitoredTopology(Topology topology, ReplicaMonitor monitor) implements Topology {

  @Override
  public Placement current() {
    return topology.current();
  }

  @Override
  public ReadTargets readTargets() {
    return monitor.current();
  }

  @Override
  public boolean isInCluster(Endpoint node) {
    return topology.isInCluster(node);
  }

  @Override
  public boolean isReplaceable(Endpoint node) {
    return topology.isReplaceable(node);
  }

  @Override
  public void moved(int partition, Endpoint owner) {
    topology.moved(partition, owner);
  }

  @Override
  public ErrorPolicy errorPolicy() {
    return topology.errorPolicy();
  }

  @Override
  public void demoted(Endpoint node) {
    topology.demoted(node);
  }

  @Override
  public void failed(Endpoint node, Object loop, long received, boolean repeated) {
    topology.failed(node, loop, received, repeated);
  }

  @Override
  public void requestRefresh(RefreshTrigger trigger) {
    topology.requestRefresh(trigger);
  }
}
