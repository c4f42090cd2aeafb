package io.penstock.core.division;

import io.penstock.core.topology.NestedTopology;
import io.penstock.core.topology.TopologyReports;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ErrorPolicy;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.Topology;
import io.penstock.core.upstream.TopologyStatus;
import io.penstock.core.upstream.Upstream;
import java.util.List;
import java.util.function.Consumer;

/**
 * Upstreams each of which is a lane: a client stays with the one that was selected when it
 * connected. {@link #current} is for operators, and has the nodes of all of them; clients never see
 * it.
 */
final class SpreadTopology implements Upstream {

  /** 2^32 divided by the golden ratio: multiples of it, modulo 2^32, are spread evenly. */
  private static final int STEP = 0x9E3779B9;

  private final WeightedDivision weights;
  private final List<Upstream> parts;
  private final NestedTopology whole;

  private SpreadTopology(WeightedDivision weights, List<Upstream> parts, NestedTopology whole) {
    this.weights = weights;
    this.parts = List.copyOf(parts);
    this.whole = whole;
  }

  static SpreadTopology create(SpreadUpstreamSettings settings, UpstreamSettings.Context context) {
    List<NestedTopology.Part> parts =
        settings.parts().stream().map(part -> NestedTopology.Part.of(part, context)).toList();
    var whole =
        new NestedTopology(
            settings.weights().partitioner(),
            parts,
            NestedTopology.Failures.NONE,
            new TopologyReports(context.control().thread(), context.events()));
    return new SpreadTopology(
        settings.weights(), parts.stream().map(NestedTopology.Part::upstream).toList(), whole);
  }

  @Override
  public int lanes() {
    return parts.size();
  }

  @Override
  public boolean hasSeparateLanes() {
    return true;
  }

  @Override
  public Topology lane(int index) {
    return parts.get(index);
  }

  /** {@inheritDoc} Of any number of clients in a row, each part gets its share. */
  @Override
  public int laneOf(int client) {
    return weights.partAt(Integer.toUnsignedLong(client * STEP) / 0x1p32);
  }

  @Override
  public Placement current() {
    return whole.current();
  }

  @Override
  public ErrorPolicy errorPolicy() {
    return whole.errorPolicy();
  }

  @Override
  public void onChange(Consumer<Placement> listener) {
    whole.onChange(listener);
  }

  @Override
  public void requestRefresh(RefreshTrigger trigger) {
    whole.requestRefresh(trigger);
  }

  @Override
  public boolean isInCluster(Endpoint node) {
    return whole.isInCluster(node);
  }

  @Override
  public boolean isReplaceable(Endpoint node) {
    return whole.isReplaceable(node);
  }

  @Override
  public void start() {
    whole.start();
  }

  @Override
  public void close() {
    whole.close();
  }

  @Override
  public TopologyStatus status() {
    return whole.status();
  }
}
