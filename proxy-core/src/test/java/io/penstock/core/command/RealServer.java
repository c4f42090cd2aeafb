package io.penstock.core.command;

import io.penstock.testkit.cluster.ServerBinary;
import io.penstock.testkit.cluster.ServerBinary.MissingServerException;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/** A server process and one connection to it, which returns replies as bytes. */
final class RealServer implements AutoCloseable {

  private final ServerProcess server;
  private final RespClient client;

  private RealServer(ServerProcess server) {
    this.server = server;
    this.client = RespClient.open(server.host(), server.port());
  }

  /** Like {@link #start(ServerProcess.Builder)}, with default settings. */
  static RealServer start() {
    return start(ServerProcess.builder());
  }

  /**
   * Starts a server. Skips the test, with the reason, if the server does not run here or is older
   * than Redis 7.
   */
  static RealServer start(ServerProcess.Builder server) {
    String reason = whyNot();
    if (reason != null) {
      System.out.println("Skipped: " + reason);
      Assumptions.abort(reason);
    }
    return new RealServer(server.start());
  }

  private static @Nullable String whyNot() {
    try {
      ServerBinary binary = ServerBinary.find();
      return binary.atLeast(7, 0) ? null : binary + " is older than 7";
    } catch (MissingServerException e) {
      return e.getMessage();
    }
  }

  int port() {
    return server.port();
  }

  /** Sends a request and returns the bytes of the reply, one character per byte. */
  String call(String... arguments) {
    return client.call(arguments);
  }

  /** Sends pipelined requests and returns the bytes of each reply. */
  List<String> call(List<List<String>> requests) {
    requests.forEach(request -> client.write(Wire.request(request.toArray(String[]::new))));
    client.flush();
    List<String> replies = new ArrayList<>();
    requests.forEach(_ -> replies.add(client.read()));
    return replies;
  }

  @Override
  public void close() {
    client.close();
    server.close();
  }
}
