package io.penstock.core.topology;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.penstock.core.cluster.Node;
import io.penstock.core.wire.TestServer;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;

/** Three masters and a replica of the first, as processes of this test. */
final class RealCluster implements AutoCloseable {

  static {
    System.setProperty("io.lettuce.core.iouring", "false"); // as LettuceViewSource does, but first
  }

  static final String PASSWORD = "s3cret";
  private static final int NODES = 4;
  private static final int SLOTS = 16_384;

  final List<Node> nodes = new ArrayList<>();
  private final List<Process> processes = new ArrayList<>();
  private final RedisClient admin = RedisClient.create();

  RealCluster(Path folder) throws IOException {
    for (int i = 0; i < NODES; i++) {
      Node node = new Node("127.0.0.1", freePort());
      nodes.add(node);
      processes.add(server(node, folder.resolve(String.valueOf(i)).toFile()));
    }
    for (Node node : nodes) {
      Awaitility.await().ignoreExceptions().until(() -> run(node, "PING").equals("PONG"));
    }
    form();
  }

  private static Process server(Node node, File folder) throws IOException {
    if (!folder.mkdirs()) {
      throw new IOException("cannot make " + folder);
    }
    return new ProcessBuilder(
            TestServer.executable(),
            "--port " + node.port(),
            "--bind 127.0.0.1",
            "--dir " + folder,
            "--save ''",
            "--cluster-enabled yes",
            "--cluster-node-timeout 1000",
            "--cluster-replica-validity-factor 0",
            "--cluster-require-full-coverage no",
            "--requirepass " + PASSWORD,
            "--masterauth " + PASSWORD)
        .redirectErrorStream(true)
        .redirectOutput(new File(folder, "log"))
        .start();
  }

  private void form() {
    for (int i = 0; i < 3; i++) {
      run(nodes.get(i), "CLUSTER", "SET-CONFIG-EPOCH", String.valueOf(i + 1));
      List<String> addSlots = new ArrayList<>(List.of("CLUSTER", "ADDSLOTS"));
      IntStream.range(SLOTS * i / 3, SLOTS * (i + 1) / 3)
          .forEach(slot -> addSlots.add(String.valueOf(slot)));
      run(nodes.get(i), addSlots.toArray(String[]::new));
    }
    for (Node node : nodes.subList(1, NODES)) {
      run(nodes.getFirst(), "CLUSTER", "MEET", node.host(), String.valueOf(node.port()));
    }
    String first = run(nodes.getFirst(), "CLUSTER", "MYID");
    Awaitility.await()
        .ignoreExceptions()
        .until(() -> run(nodes.get(3), "CLUSTER", "REPLICATE", first).equals("OK"));
    for (Node node : nodes) {
      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .until(
              () ->
                  run(node, "CLUSTER", "INFO").contains("cluster_state:ok")
                      && run(node, "CLUSTER", "NODES").contains("slave " + first)
                      && !run(node, "CLUSTER", "NODES").contains("disconnected"));
    }
  }

  String run(Node node, String... words) {
    RedisURI uri =
        RedisURI.builder()
            .withHost(node.host())
            .withPort(node.port())
            .withPassword(PASSWORD.toCharArray())
            .build();
    try (StatefulRedisConnection<String, String> connection = admin.connect(uri)) {
      CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8);
      for (String word : List.of(words).subList(1, words.length)) {
        args.add(word);
      }
      return connection
          .sync()
          .dispatch(CommandType.valueOf(words[0]), new StatusOutput<>(StringCodec.UTF8), args);
    }
  }

  void kill(int index) {
    processes.get(index).destroyForcibly();
  }

  void signal(int index, String signal) throws IOException {
    Process kill =
        new ProcessBuilder("kill", signal, String.valueOf(processes.get(index).pid())).start();
    Awaitility.await().until(() -> !kill.isAlive());
  }

  /** The bus listens 10000 above. */
  private static int freePort() {
    for (int tries = 0; tries < 100; tries++) {
      int port = ThreadLocalRandom.current().nextInt(12_000, 30_000);
      if (isFree(port) && isFree(port + 10_000)) {
        return port;
      }
    }
    throw new IllegalStateException("no free port");
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public void close() {
    admin.shutdown();
    for (Process process : processes) {
      process.destroyForcibly();
    }
    Awaitility.await().until(() -> processes.stream().noneMatch(Process::isAlive));
  }
}
