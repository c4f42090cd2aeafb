package io.penstock.core.control;

import io.penstock.core.upstream.Endpoint;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * Sends {@code PING} over one connection per node, which is kept open while it works. Confined to
 * the topology thread.
 */
public final class LettucePinger implements Pinger {

  private final NodeConnections connections;

  public LettucePinger(ControlPlane control) {
    this.connections = new NodeConnections(control);
  }

  @Override
  public CompletionStage<?> ping(Endpoint node) {
    var connection = connections.to(node);
    CompletionStage<String> answer =
        connection
            .thenCompose(open -> open.async().ping())
            .exceptionally(LettucePinger::unlessAnswered);
    connections.dropIfBroken(node, connection, answer);
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
    throw new CompletionException(NodeConnections.unwrapped(failure));
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
  }
}
