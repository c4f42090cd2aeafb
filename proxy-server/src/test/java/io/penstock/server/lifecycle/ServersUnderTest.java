package io.penstock.server.lifecycle;

import io.penstock.server.it.TestNameResolver;
import io.penstock.testkit.cluster.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Single servers and shards, and a configuration with an upstream for each. */
record ServersUnderTest(
    Path file,
    ServerProcess orders,
    ServerProcess next,
    ServerProcess secured,
    List<ServerProcess> shards)
    implements AutoCloseable {

  private static final String NAME = "orders.penstock.test";
  private static final String OLD_ADDRESS = "127.0.0.2";
  private static final String NEXT_ADDRESS = "127.0.0.3";

  static ServersUnderTest start(Path folder) throws IOException {
    TestNameResolver.put(NAME, OLD_ADDRESS);
    var made =
        new ServersUnderTest(
            folder.resolve("application.yml"),
            ServerProcess.builder()
                .host(OLD_ADDRESS)
                .option("enable-debug-command", "yes")
                .option("busy-reply-threshold", "10")
                .option("loading-process-events-interval-bytes", "1024")
                .start(),
            ServerProcess.builder().host(NEXT_ADDRESS).start(),
            ServerProcess.builder().password("s3cret").start(),
            List.of(ServerProcess.start(), ServerProcess.start()));
    made.write("s3cret");
    return made;
  }

  /** Writes the configuration, with this password of the secured server. */
  void write(String password) {
    try {
      Files.writeString(file, configuration(password));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String configuration(String password) {
    return """
    penstock:
      max-clients: 100
      listeners:
        orders: { bind: 127.0.0.1, port: 0, upstream: orders }
        secured: { bind: 127.0.0.1, port: 0, upstream: secured }
        cache: { bind: 127.0.0.1, port: 0, upstream: cache }
      upstreams:
        orders: "redis://%s:%d"
        secured: "redis://:%s@127.0.0.1:%d"
        cache:
          shards:
            distribution: ketama
            hash: fnv1a_64
            auto-eject: { failures: 2, retry: 25s }
            servers:
              - "redis://127.0.0.1:%d?name=cache-1"
              - "redis://127.0.0.1:%d?name=cache-2"
    """
        .formatted(
            NAME,
            orders.port(),
            password,
            secured.port(),
            shards.get(0).port(),
            shards.get(1).port());
  }

  /** Makes the server of {@code orders} a replica of the next one, and its name mean that one. */
  void moveName() {
    String port = Integer.toString(orders.port());
    next.text("CONFIG", "SET", "port", port);
    orders.text("REPLICAOF", NEXT_ADDRESS, port);
    try {
      TestNameResolver.put(NAME, NEXT_ADDRESS);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    Stream.concat(Stream.of(orders, next, secured), shards.stream()).forEach(ServerProcess::close);
  }
}
