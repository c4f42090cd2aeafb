package io.penstock.core.survey;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.penstock.core.control.ControlPlane;
import io.penstock.core.upstream.Endpoint;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Sends {@code PING} over one connection per node, which is kept open while it works. Confined to
 * the topology thread.
 */
public final class LettucePinger implements Pinger {

  private final ControlPlane control;
  private final Map<Endpoint, CompletableFuture<StatefulRedisConnection<String, String>>>
      connections = new HashMap<>();

  LettucePinger(ControlPlane control) {
    this.control = control;
  }

  @Override
  public CompletionStage<?> ping(Endpoint node) {
    CompletableFuture<StatefulRedisConnection<String, String>> connection =
        connections.computeIfAbsent(node, at -> control.connect(at).toCompletableFuture());
    CompletionStage<String> answer =
        connection
            .thenCompose(open -> open.async().ping())
            .exceptionally(LettucePinger::unlessAnswered);
    answer.whenComplete((_, failure) -> {
      boolean works = failure == null || isErrorReply(failure);
      if (!works || connection.isCompletedExceptionally()) {
        control.thread().execute(() -> drop(node, connection));
      }
    });
    return answer;
  }

  /**
   * Returns the error reply of a node that is up but does not run {@code PING}: it runs a script,
   * cannot save its data, or an ACL forbids {@code PING}. A node may return that error during the
   * handshake. Throws for any other failure.
   */
  private static String unlessAnswered(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (isFromLiveNode(messageOf(cause))) {
        return messageOf(cause);
      }
    }
    throw new CompletionException(unwrapped(failure));
  }

  private static boolean isFromLiveNode(String error) {
    return error.startsWith("BUSY ")
        || error.startsWith("MISCONF ")
        || (error.startsWith("NOPERM ") && error.contains("'ping'"));
  }

  private static String messageOf(Throwable failure) {
    return String.valueOf(failure.getMessage());
  }

  private static boolean isErrorReply(Throwable failure) {
    return unwrapped(failure) instanceof RedisCommandExecutionException;
  }

  private static Throwable unwrapped(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }

  private void drop(
      Endpoint node,
      @Nullable CompletableFuture<StatefulRedisConnection<String, String>> connection) {
    if (connection != null && connections.remove(node, connection)) {
      connection.thenAccept(control::disconnect);
    }
  }

  @Override
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
}
