package io.penstock.core.topology;

import io.penstock.core.upstream.Access;
import io.penstock.core.upstream.Credentials;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.NodeTransport;
import io.penstock.core.upstream.Upstream;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Several equal proxies without state, each of which serves all keys.
 *
 * @param proxies at least one
 * @param credentials for each proxy, or null
 * @param database selected on each connection; 0 sends no {@code SELECT}
 * @param transport of the connections to the nodes
 */
public record ProxiesUpstreamSettings(
    List<Endpoint> proxies,
    @Nullable Credentials credentials,
    int database,
    NodeTransport transport)
    implements UpstreamSettings {

  public ProxiesUpstreamSettings {
    proxies = List.copyOf(proxies);
  }

  /** Without TLS. */
  public ProxiesUpstreamSettings(
      List<Endpoint> proxies, @Nullable Credentials credentials, int database) {
    this(proxies, credentials, database, NodeTransport.PLAIN);
  }

  @Override
  public Upstream create(Context context) {
    List<Endpoint> nodes = proxies.stream().distinct().map(proxy -> proxy.with(access())).toList();
    return new ProxiesTopology(
        nodes,
        new ProxiesTopology.Settings(
            context.period(), context.minRefreshInterval(), context.logPrefix()),
        ProxiesTopology.Environment.of(context.control()));
  }

  @Override
  public Access access() {
    return new Access(credentials, database, transport);
  }

  @Override
  public List<Endpoint> addresses() {
    return proxies;
  }

  @Override
  public boolean hasFixedNodes() {
    return true;
  }

  @Override
  public boolean mayHaveReplicas() {
    return false;
  }

  @Override
  public String description() {
    return "the proxies "
        + proxies.stream().map(Endpoint::toString).collect(Collectors.joining(", "))
        + (database == 0 ? "" : ", database " + database);
  }

  @Override
  public ProxiesUpstreamSettings with(NodeTransport other) {
    return new ProxiesUpstreamSettings(proxies, credentials, database, other);
  }
}
