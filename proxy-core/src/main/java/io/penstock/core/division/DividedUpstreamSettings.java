package io.penstock.core.division;

import io.penstock.core.topology.NestedTopology;
import io.penstock.core.topology.NestedUpstreamSettings;
import io.penstock.core.topology.TopologyReports;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.upstream.NodeTransport;
import io.penstock.core.upstream.Upstream;
import java.util.List;

/**
 * Upstreams of which a rule selects one for each key.
 *
 * @param parts in the order of the rule, all with the same database
 */
public record DividedUpstreamSettings(Division division, List<UpstreamSettings> parts)
    implements NestedUpstreamSettings {

  public DividedUpstreamSettings {
    parts = List.copyOf(parts);
    division.check(parts);
  }

  @Override
  public Upstream create(Context context) {
    return new NestedTopology(
        division.partitioner(),
        parts.stream().map(part -> NestedTopology.Part.of(part, context)).toList(),
        NestedTopology.Failures.NONE,
        new TopologyReports(context.control().thread(), context.events()));
  }

  /** {@inheritDoc} The parts are upstreams of their own, which have theirs. */
  @Override
  public DividedUpstreamSettings with(NodeTransport transport) {
    return this;
  }

  @Override
  public String summary() {
    return parts.size() + (parts.size() == 1 ? " upstream " : " upstreams ") + division.text();
  }
}
