package io.penstock.core.control;

import io.penstock.core.failure.Causes;
import io.penstock.core.upstream.Endpoint;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Sends {@code PING} and {@code CLUSTER INFO} over one connection per node, which is kept open
 * while it works. A Penstock is also asked which Penstocks it leads to. Confined to the topology
 * thread.
 */
public final class LettucePinger implements Pinger {

  private static final String STATE = "cluster_state:";
  private static final String SERVED_SLOTS = "cluster_slots_ok:";

  private final ControlPlane control;
  private final NodeConnections connections;
  private final Set<Endpoint> tellNothing = ConcurrentHashMap.newKeySet(); // about the cluster

  public LettucePinger(ControlPlane control) {
    this.control = control;
    this.connections = new NodeConnections(control);
  }

  @Override
  public CompletionStage<?> ping(Endpoint node) {
    var connection = connections.to(node);
    CompletionStage<String> answer =
        connection
            .thenCompose(open ->
                open.async()
                    .ping()
                    .thenCompose(pong -> control.checkChain(node, open).thenApply(_ -> pong)))
            .exceptionally(LettucePinger::unlessAnswered);
    connections.dropIfBroken(node, connection, answer);
    return answer;
  }

  @Override
  public CompletionStage<Optional<String>> clusterFailure(Endpoint node) {
    if (tellNothing.contains(node)) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    var connection = connections.to(node);
    CompletionStage<String> info = connection.thenCompose(open -> open.async().clusterInfo());
    connections.dropIfBroken(node, connection, info);
    return info.thenApply(LettucePinger::failureIn)
        .exceptionally(failure -> {
          if (!NodeConnections.isErrorReply(failure)) {
            throw new CompletionException(Causes.unwrapped(failure));
          }
          tellNothing.add(node); // each denied command is an entry in the node's ACL LOG
          return Optional.empty();
        });
  }

  /** Returns why a node that gave this {@code CLUSTER INFO} serves no slots; empty if it does. */
  private static Optional<String> failureIn(String info) {
    String state = line(info, STATE);
    return state.equals(STATE + "fail")
        ? Optional.of("CLUSTERDOWN, " + state + ", " + line(info, SERVED_SLOTS))
        : Optional.empty();
  }

  private static String line(String info, String beginning) {
    return info.lines().filter(line -> line.startsWith(beginning)).findFirst().orElse("").strip();
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
    throw new CompletionException(Causes.unwrapped(failure));
  }

  private static boolean isFromLiveNode(String error) {
    return error.startsWith("BUSY ")
        || error.startsWith("MISCONF ")
        || (error.startsWith("NOPERM ") && error.contains("'ping'"));
  }

  private static String messageOf(Throwable failure) {
    return String.valueOf(failure.getMessage());
  }

  @Override
  public void keepOnly(Set<Endpoint> nodes) {
    connections.keepOnly(nodes);
    tellNothing.retainAll(nodes);
  }
}
