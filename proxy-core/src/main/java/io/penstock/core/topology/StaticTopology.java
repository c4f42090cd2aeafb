package io.penstock.core.topology;

import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ErrorPolicy;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.SinglePlacement;
import io.penstock.core.upstream.TopologyStatus;
import io.penstock.core.upstream.Upstream;
import java.util.function.Consumer;

/**
 * The topology of a single node that has all keys. Never changes: there are no redirects and no
 * refreshes.
 */
public final class StaticTopology implements Upstream {

  private final Placement placement;

  public StaticTopology(Endpoint server) {
    this.placement = new SinglePlacement(server);
  }

  @Override
  public Placement current() {
    return placement;
  }

  @Override
  public ErrorPolicy errorPolicy() {
    return ErrorPolicy.SINGLE;
  }

  /** Does nothing: a cluster node must be configured with a {@code redis-cluster://} URL. */
  @Override
  public void moved(int partition, Endpoint owner) {}

  @Override
  public void requestRefresh(RefreshTrigger trigger) {}

  @Override
  public void onChange(Consumer<Placement> listener) {}

  @Override
  public void start() {}

  @Override
  public void close() {}

  @Override
  public TopologyStatus status() {
    return TopologyStatus.UNKNOWN;
  }
}
