package io.penstock.core.discovery;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.penstock.core.control.ControlPlane;
import io.penstock.core.upstream.Endpoint;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Queries nodes over Lettuce, but without its {@code RedisClusterClient}. That one names nodes
 * differently (see {@link ClusterNodesParser}), queries every node it finds, and prefers the view
 * with the most healthy nodes. Its views have nothing that distinguishes a late view from a new
 * one.
 */
record LettuceViewSource(ControlPlane control) implements ViewSource {

  @Override
  public CompletionStage<ClusterView> query(Endpoint node) {
    return control.query(node, commands -> view(node, commands));
  }

  private static CompletionStage<ClusterView> view(
      Endpoint node, RedisAsyncCommands<String, String> commands) {
    CompletionStage<String> nodes = commands.clusterNodes();
    CompletionStage<Map<String, String>> endpoints =
        commands.clusterShards().handle(LettuceViewSource::endpoints);
    return nodes.thenCombine(
        endpoints, (text, named) -> new ClusterNodesParser(node, named).parse(text));
  }

  /**
   * Returns no endpoints if the server predates Redis 7, or its ACL forbids the command to this
   * user: then the addresses of {@code CLUSTER NODES} are used.
   */
  private static Map<String, String> endpoints(
      @Nullable List<Object> shards, @Nullable Throwable failure) {
    if (shards != null) {
      return ShardEndpoints.of(shards);
    }
    if (failure == null || failure instanceof RedisCommandExecutionException) {
      return Map.of();
    }
    throw new CompletionException(failure);
  }
}
