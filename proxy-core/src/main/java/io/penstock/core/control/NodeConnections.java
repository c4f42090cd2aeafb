package io.penstock.core.control;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.penstock.core.failure.Causes;
import io.penstock.core.upstream.Endpoint;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One connection per node for periodic queries, which is kept open while it works. Confined to the
 * topology thread.
 */
public final class NodeConnections {

  private final ControlPlane control;
  private final Map<Endpoint, CompletableFuture<StatefulRedisConnection<String, String>>>
      connections = new HashMap<>();

  public NodeConnections(ControlPlane control) {
    this.control = control;
  }

  /** Returns the connection to a node, which may still be opening. */
  public CompletableFuture<StatefulRedisConnection<String, String>> to(Endpoint node) {
    return connections.computeIfAbsent(node, at -> control.connect(at).toCompletableFuture());
  }

  /** Drops the connection after the answer to a query, unless it works. */
  public void dropIfBroken(
      Endpoint node,
      CompletableFuture<StatefulRedisConnection<String, String>> connection,
      CompletionStage<?> answer) {
    answer.whenComplete((_, failure) -> {
      boolean works = failure == null || isErrorReply(failure);
      if (!works || connection.isCompletedExceptionally()) {
        control.thread().execute(() -> drop(node, connection));
      }
    });
  }

  private void drop(
      Endpoint node, CompletableFuture<StatefulRedisConnection<String, String>> connection) {
    if (connections.remove(node, connection)) {
      connection.thenAccept(control::disconnect);
    }
  }

  /** Closes the connections to all other nodes. */
  public void keepOnly(Set<Endpoint> nodes) {
    for (Iterator<Endpoint> it = connections.keySet().iterator(); it.hasNext(); ) {
      Endpoint node = it.next();
      if (!nodes.contains(node)) {
        CompletableFuture<StatefulRedisConnection<String, String>> removed = connections.get(node);
        it.remove();
        if (removed != null) {
          removed.thenAccept(control::disconnect);
        }
      }
    }
  }

  /** Returns whether a query failed with an error reply of the node, so that its link works. */
  public static boolean isErrorReply(@Nullable Throwable failure) {
    return failure != null && Causes.unwrapped(failure) instanceof RedisCommandExecutionException;
  }
}
