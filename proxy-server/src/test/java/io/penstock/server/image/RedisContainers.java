package io.penstock.server.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.images.builder.ImageFromDockerfile;
import org.testcontainers.images.builder.Transferable;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;

/**
 * A Redis Cluster of three masters, each in a container. The image is built from the static server
 * binary of the other tests, so that no image has to be pulled.
 */
final class RedisContainers implements AutoCloseable {

  private static final int MASTERS = 3;
  private static final int SLOTS = 16384;
  private static final int PORT = 6379;

  private final Engine engine;
  private final Network network;
  private final ImageFromDockerfile image;
  private final List<GenericContainer<?>> nodes = new ArrayList<>();

  RedisContainers(Engine engine, Network network) throws IOException {
    this.engine = engine;
    this.network = network;
    this.image = image();
    for (int i = 0; i < MASTERS; i++) {
      nodes.add(node(image));
    }
  }

  private static ImageFromDockerfile image() throws IOException {
    String engine =
        String.valueOf(DockerClientFactory.instance().client().infoCmd().exec().getArchitecture());
    String processor = engine.matches("aarch64|arm64") ? "arm64" : "amd64";
    String server = "/redis-server-7.0.15-linux-" + processor;
    try (InputStream in = RedisContainers.class.getResourceAsStream(server)) {
      assertThat(in).as(server).isNotNull();
      return new ImageFromDockerfile("localhost/penstock-test-redis:image-it", false)
          .withFileFromTransferable("redis-server", Transferable.of(in.readAllBytes(), 0755))
          .withFileFromString("Dockerfile", "FROM scratch\nCOPY redis-server /\n");
    }
  }

  private GenericContainer<?> node(ImageFromDockerfile image) {
    return new GenericContainer<>(image)
        .withNetwork(network)
        .withExposedPorts(PORT)
        .withCommand(
            "/redis-server",
            "--cluster-enabled yes",
            "--cluster-node-timeout 15000",
            "--save ''",
            "--protected-mode no")
        .waitingFor(Wait.forLogMessage(".*Ready to accept connections.*", 1));
  }

  /** Returns the first slot of the {@code i}th master. */
  private static int first(int i) {
    return SLOTS * i / MASTERS;
  }

  static boolean isOfTheFirst(long slot) {
    return slot < first(1);
  }

  /** Starts the servers and joins them, each with a third of the slots. */
  void start() {
    nodes.forEach(GenericContainer::start);
    for (int i = 0; i < MASTERS; i++) {
      try (Jedis node = connect(i)) {
        node.clusterSetConfigEpoch(i + 1); // before it knows another node
        node.sendCommand(
            Protocol.Command.CLUSTER,
            "ADDSLOTSRANGE",
            Integer.toString(first(i)),
            Integer.toString(first(i + 1) - 1));
      }
    }
    try (Jedis node = connect(0)) {
      for (GenericContainer<?> other : nodes) {
        node.clusterMeet(address(other), PORT);
      }
    }
    for (int i = 0; i < MASTERS; i++) {
      try (Jedis node = connect(i)) {
        await().atMost(Duration.ofMinutes(1)).until(() -> node.clusterInfo(), info -> formed(info));
      }
    }
  }

  private static boolean formed(String info) {
    return info.contains("cluster_state:ok") && info.contains("cluster_known_nodes:" + MASTERS);
  }

  /** Opens a direct connection to the master of the {@code i}th third of the slots. */
  Jedis connect(int i) {
    GenericContainer<?> node = nodes.get(i);
    return new Jedis(node.getHost(), node.getMappedPort(PORT));
  }

  int masters() {
    return MASTERS;
  }

  Network network() {
    return network;
  }

  /** Returns the value for {@code penstock.transpond.local.resource}. */
  String resource() {
    return "redis-cluster://" + address(nodes.get(0)) + ":" + PORT;
  }

  /** Returns its address in the containers' network, which cluster nodes announce too. */
  static String address(GenericContainer<?> node) {
    var networks = node.getContainerInfo().getNetworkSettings().getNetworks().values();
    return String.valueOf(networks.iterator().next().getIpAddress());
  }

  @Override
  public void close() {
    nodes.forEach(GenericContainer::stop);
    engine.remove(image.getDockerImageName());
  }
}
