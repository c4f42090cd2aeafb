package io.penstock.core.topology;

import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.Topology;
import io.penstock.core.upstream.Verdicts;

/** A topology that is what a test says. */
public final class NodesNow implements Topology {

  public Placement map;

  public NodesNow(Placement map) {
    this.map = map;
  }

  @Override
  public Placement current() {
    return map;
  }

  @Override
  public Verdicts verdicts() {
    return Verdicts.SINGLE;
  }

  @Override
  public void moved(int slot, Endpoint owner) {}

  @Override
  public void requestRefresh(RefreshTrigger trigger) {}
}
