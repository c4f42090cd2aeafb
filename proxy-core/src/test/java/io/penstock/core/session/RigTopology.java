package io.penstock.core.session;

import io.penstock.core.cluster.ClusterErrorPolicy;
import io.penstock.core.cluster.SlotMap;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ErrorPolicy;
import io.penstock.core.upstream.ReadTargets;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.Topology;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A topology that the test publishes; redirects change it as they change the real one. */
final class RigTopology implements Topology {

  private volatile SlotMap current;
  private volatile ReadTargets readTargets = ReadTargets.EMPTY;
  private final List<String> calls = new CopyOnWriteArrayList<>();

  RigTopology(SlotMap first) {
    current = first;
  }

  @Override
  public SlotMap current() {
    return current;
  }

  @Override
  public ErrorPolicy errorPolicy() {
    return new ClusterErrorPolicy();
  }

  @Override
  public ReadTargets readTargets() {
    return readTargets;
  }

  @Override
  public boolean isInCluster(Endpoint node) {
    return true;
  }

  @Override
  public void moved(int slot, Endpoint owner) {
    calls.add("moved " + slot + " to " + owner.port());
    current = current.withSlotOn(slot, owner);
  }

  @Override
  public void requestRefresh(RefreshTrigger trigger) {
    calls.add("refresh " + trigger);
  }

  void publish(SlotMap map) {
    current = map;
  }

  void publish(ReadTargets targets) {
    readTargets = targets;
  }

  /** The calls of the data path. */
  List<String> calls() {
    return calls;
  }
}
