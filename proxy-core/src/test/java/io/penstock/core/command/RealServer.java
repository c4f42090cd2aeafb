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

/** A server, with one connection to it that keeps replies as bytes. */
final class RealServer implements AutoCloseable {

  private final ServerProcess server;
  private final RespClient client;

  private RealServer(ServerProcess server) {
    this.server = server;
    this.client = RespClient.open(server.host(), server.port());
  }

  /** As {@link #start(ServerProcess.Builder)}, with nothing special about the server. */
  static RealServer start() {
    return start(ServerProcess.builder());
  }

  /** Skips the test, saying why, if the server does not run here or is older than Redis 7. */
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

  /** The bytes of one reply, one character a byte. */
  String ask(String... arguments) {
    return client.call(arguments);
  }

  /** The bytes of the replies to pipelined requests. */
  List<String> ask(List<List<String>> requests) {
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
