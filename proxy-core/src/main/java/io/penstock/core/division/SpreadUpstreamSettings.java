package io.penstock.core.division;

import io.penstock.core.topology.NestedUpstreamSettings;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.upstream.NodeTransport;
import io.penstock.core.upstream.Upstream;
import java.util.List;

/**
 * Upstreams of which one is selected for each client connection. It cannot be a part of another
 * upstream, since that one selects for each key.
 *
 * @param weights of the parts
 * @param parts all with the same database
 */
public record SpreadUpstreamSettings(WeightedDivision weights, List<UpstreamSettings> parts)
    implements NestedUpstreamSettings {

  public SpreadUpstreamSettings {
    parts = List.copyOf(parts);
    weights.check(parts);
  }

  @Override
  public Upstream create(Context context) {
    return SpreadTopology.create(this, context);
  }

  /** {@inheritDoc} The parts are upstreams of their own, which have theirs. */
  @Override
  public SpreadUpstreamSettings with(NodeTransport transport) {
    return this;
  }

  /** {@inheritDoc} Clients stay with their parts. */
  @Override
  public boolean servesAs(UpstreamSettings other) {
    return other instanceof SpreadUpstreamSettings that && parts.equals(that.parts);
  }

  @Override
  public boolean isDivided() {
    return parts.stream().anyMatch(UpstreamSettings::isDivided);
  }

  @Override
  public String summary() {
    return parts.size()
        + (parts.size() == 1 ? " upstream" : " upstreams")
        + " by weight, for each client";
  }
}
