package io.penstock.core.discovery;

import io.penstock.core.topology.TopologySettings;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.upstream.Access;
import io.penstock.core.upstream.Credentials;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.NodeTransport;
import io.penstock.core.upstream.Upstream;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A Redis Cluster, discovered from its seeds.
 *
 * @param credentials for all nodes, or null
 * @param transport of the connections to the nodes
 */
public record ClusterUpstreamSettings(
    List<Endpoint> seeds, @Nullable Credentials credentials, NodeTransport transport)
    implements UpstreamSettings {

  /** Without TLS. */
  public ClusterUpstreamSettings(List<Endpoint> seeds, @Nullable Credentials credentials) {
    this(seeds, credentials, NodeTransport.PLAIN);
  }

  @Override
  public Upstream create(Context context) {
    var settings =
        new TopologySettings(
            seeds.stream().map(seed -> seed.with(access())).toList(),
            context.connectTimeout(),
            context.period(),
            context.minRefreshInterval(),
            context.logPrefix());
    return ClusterTopology.create(settings, context.control(), context.events());
  }

  @Override
  public Access access() {
    return new Access(credentials, 0, transport);
  }

  @Override
  public List<Endpoint> addresses() {
    return seeds;
  }

  @Override
  public boolean isDivided() {
    return true;
  }

  @Override
  public boolean hasFixedNodes() {
    return false;
  }

  @Override
  public String description() {
    return "the Redis Cluster of "
        + seeds.stream().map(Endpoint::toString).collect(Collectors.joining(", "));
  }

  @Override
  public ClusterUpstreamSettings with(NodeTransport other) {
    return new ClusterUpstreamSettings(seeds, credentials, other);
  }
}
