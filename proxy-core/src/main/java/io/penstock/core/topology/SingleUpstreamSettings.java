package io.penstock.core.topology;

import io.penstock.core.upstream.Access;
import io.penstock.core.upstream.Credentials;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Upstream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A single node without a cluster.
 *
 * @param credentials for the node, or null
 * @param database selected on each connection; 0 sends no {@code SELECT}
 */
public record SingleUpstreamSettings(Endpoint node, @Nullable Credentials credentials, int database)
    implements UpstreamSettings {

  @Override
  public Upstream create(Context context) {
    return new StaticTopology(node.with(access()));
  }

  @Override
  public Access access() {
    return new Access(credentials, database);
  }

  @Override
  public List<Endpoint> addresses() {
    return List.of(node);
  }

  @Override
  public boolean hasFixedNodes() {
    return true;
  }

  @Override
  public String description() {
    return node + (database == 0 ? "" : ", database " + database);
  }
}
