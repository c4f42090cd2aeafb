package io.penstock.core.topology;

import io.penstock.core.upstream.Access;
import io.penstock.core.upstream.Credentials;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Upstream;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A Redis Cluster, discovered from any of the seeds.
 *
 * @param credentials for every node, or null
 */
public record ClusterUpstream(List<Endpoint> seeds, @Nullable Credentials credentials)
    implements UpstreamSettings {

  @Override
  public Upstream create(Parts parts) {
    var settings =
        new TopologySettings(
            seeds.stream().map(seed -> seed.with(access())).toList(),
            parts.connectTimeout(),
            parts.period(),
            parts.adaptiveTimeout());
    return ClusterTopology.create(settings, parts.control(), parts.events());
  }

  @Override
  public Access access() {
    return new Access(credentials, 0);
  }

  @Override
  public List<Endpoint> addresses() {
    return seeds;
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
}
