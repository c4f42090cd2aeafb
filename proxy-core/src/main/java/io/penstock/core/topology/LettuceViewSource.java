package io.penstock.core.topology;

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
 * Asks over Lettuce, but not with its {@code RedisClusterClient}: that one names nodes its own way
 * (see {@link ClusterNodesParser}), asks every node it finds, and trusts a view by how many nodes
 * look healthy in it; its views carry nothing to tell a late one from a new one by.
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
   * A server before Redis 7, or one that forbids the command to this user, has its addresses only.
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
