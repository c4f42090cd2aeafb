package io.penstock.core.topology;

import io.penstock.core.cluster.Node;
import io.penstock.core.cluster.RefreshTrigger;
import io.penstock.core.cluster.SlotMap;
import io.penstock.core.cluster.Topology;

/** A topology that is what a test says. */
final class NodesNow implements Topology {

  SlotMap map;

  NodesNow(SlotMap map) {
    this.map = map;
  }

  @Override
  public SlotMap current() {
    return map;
  }

  @Override
  public void moved(int slot, Node owner) {}

  @Override
  public void requestRefresh(RefreshTrigger trigger) {}
}
