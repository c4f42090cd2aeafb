package io.penstock.core.topology;

import io.penstock.core.control.ControlPlane;
import io.penstock.core.upstream.Access;
import io.penstock.core.upstream.Credentials;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.NodeTransport;
import io.penstock.core.upstream.Upstream;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A single master without a cluster, which no other node replaces.
 *
 * @param credentials for the nodes, or null
 * @param database selected on each connection; 0 sends no {@code SELECT}
 * @param replicas that may be read
 * @param transport of the connections to the nodes
 */
public record SingleUpstreamSettings(
    Endpoint node,
    @Nullable Credentials credentials,
    int database,
    List<Endpoint> replicas,
    NodeTransport transport)
    implements UpstreamSettings {

  public SingleUpstreamSettings {
    replicas = List.copyOf(replicas);
  }

  /** Without replicas and TLS. */
  public SingleUpstreamSettings(Endpoint node, @Nullable Credentials credentials, int database) {
    this(node, credentials, database, List.of(), NodeTransport.PLAIN);
  }

  /** Returns it with these replicas. */
  public SingleUpstreamSettings withReplicas(List<Endpoint> others) {
    return new SingleUpstreamSettings(node, credentials, database, others, transport);
  }

  @Override
  public SingleUpstreamSettings with(NodeTransport other) {
    return new SingleUpstreamSettings(node, credentials, database, replicas, other);
  }

  @Override
  public Upstream create(Context context) {
    List<Endpoint> read = replicas.stream().map(replica -> replica.with(access())).toList();
    return new StaticTopology(
        node.with(access()),
        read,
        new StaticTopology.Environment(
            context.control().thread(),
            server -> isMaster(context.control(), server),
            context.logPrefix()));
  }

  /** Asks the server that a new connection reaches for its role. */
  private static CompletionStage<Boolean> isMaster(ControlPlane control, Endpoint server) {
    return control.query(
        server,
        commands ->
            commands
                .info("replication")
                .thenApply(info -> info.lines().anyMatch("role:master"::equals)));
  }

  @Override
  public Access access() {
    return new Access(credentials, database, transport);
  }

  @Override
  public List<Endpoint> addresses() {
    return Stream.concat(Stream.of(node), replicas.stream()).toList();
  }

  @Override
  public boolean hasFixedNodes() {
    return true;
  }

  @Override
  public boolean mayHaveReplicas() {
    return !replicas.isEmpty();
  }

  @Override
  public String description() {
    return node
        + (replicas.isEmpty()
            ? ""
            : replicas.stream()
                .map(Endpoint::toString)
                .collect(Collectors.joining(", ", " with replicas ", "")))
        + (database == 0 ? "" : ", database " + database);
  }
}
