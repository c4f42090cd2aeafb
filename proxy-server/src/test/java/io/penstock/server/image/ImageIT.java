package io.penstock.server.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.Capability;
import io.penstock.server.image.Engine.Search;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.testcontainers.containers.Network;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClientPauseMode;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * What {@code docs/how-to/run-in-containers.md} documents about the image, which is built by {@code
 * docker/Dockerfile} once and runs in front of one cluster. Needs a container engine.
 */
@Tag("thorough")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ImageIT {

  private static final String IMAGE = "localhost/penstock-test:image-it";

  @SuppressWarnings("NullAway.Init")
  private Engine engine;

  /** Closed at the end, last one first. */
  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  @SuppressWarnings("NullAway.Init")
  private RedisContainers redis;

  /** Runs in front of the cluster with only its address configured. */
  @SuppressWarnings("NullAway.Init")
  private PenstockContainer penstock;

  @BeforeAll
  @Timeout(value = 20, unit = TimeUnit.MINUTES)
  void start() throws IOException {
    Search search = Engine.search();
    if (search.engine() == null) {
      System.out.println("skipped: tests of the image: " + search.reason());
    }
    Assumptions.assumeTrue(search.engine() != null, search.reason());
    engine = search.engine();
    engine.build(IMAGE);
    open.push(() -> engine.remove(IMAGE));
    Network network = Network.newNetwork();
    open.push(network);
    redis = new RedisContainers(engine, network);
    open.push(redis);
    redis.start();
    penstock = inFrontOfTheCluster();
    open.push(penstock);
    penstock.start();
  }

  @AfterAll
  void stop() throws Exception {
    while (!open.isEmpty()) {
      open.pop().close();
    }
  }

  private PenstockContainer inFrontOfTheCluster() {
    return new PenstockContainer(IMAGE, redis.network(), "readiness")
        .withEnv("PENSTOCK_TRANSPOND_LOCAL_RESOURCE", redis.resource());
  }

  @Test
  void clientsReachEveryMaster() {
    try (Jedis client = penstock.connect()) {
      for (int i = 0; i < 100; i++) {
        client.set("key:" + i, "value " + i);
      }
      for (int i = 0; i < 100; i++) {
        assertThat(client.get("key:" + i)).isEqualTo("value " + i);
      }
    }
    for (int i = 0; i < redis.masters(); i++) {
      try (Jedis master = redis.connect(i)) {
        assertThat(master.dbSize()).isPositive();
      }
    }
  }

  @Test
  void isReadyAliveAndHealthy() throws Exception {
    assertThat(penstock.status("health/liveness")).isEqualTo(200);
    assertThat(penstock.status("health/readiness")).isEqualTo(200);
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() -> {
          engine.checkHealth(penstock.getContainerId());
          assertThat(penstock.health()).isEqualTo("healthy");
        });
  }

  @Test
  void withoutAClusterIsAliveButNeitherReadyNorHealthy() throws Exception {
    try (PenstockContainer alone =
        new PenstockContainer(IMAGE, redis.network(), "liveness")
            .withCommand("--penstock.transpond.local.resource=redis-cluster://127.0.0.1:1")) {
      alone.start();
      assertThat(alone.status("health/readiness")).isEqualTo(503);
      var readiness = alone.execInContainer("/opt/penstock/healthcheck");
      assertThat(readiness.getExitCode()).isEqualTo(1);
      assertThat(readiness.getStdout()).isEqualTo("HTTP 503\n");
      var liveness = alone.execInContainer("/opt/penstock/healthcheck", "liveness");
      assertThat(liveness.getExitCode()).isZero();
    }
  }

  @Test
  void doesNotRunAsRoot() throws Exception {
    assertThat(penstock.execInContainer("id", "-u").getStdout()).isEqualTo("10001\n");
    assertThat(penstock.execInContainer("cat", "/proc/1/status").getStdout())
        .containsPattern("Uid:\t10001\t10001\t10001\t10001\n");
  }

  /** With {@code AOTMode=on} the JVM exits if it cannot use its cache. */
  @Test
  void startsWithItsAotCache() {
    try (PenstockContainer started =
        inFrontOfTheCluster().withEnv("JDK_JAVA_OPTIONS", "-XX:AOTMode=on -Xlog:aot")) {
      started.start();
      assertThat(started.getLogs())
          .contains("Opened AOT cache /opt/penstock/penstock.aot")
          .contains("Using AOT-linked classes: true");
    }
  }

  /**
   * With a heap limit this large the JVM would not use compressed pointers, and therefore not the
   * cache.
   */
  @Test
  void startsWithItsAotCacheOnALargeMachine() {
    try (PenstockContainer started =
        inFrontOfTheCluster()
            .withEnv("JDK_JAVA_OPTIONS", "-XX:AOTMode=on -XX:MaxRAM=256g -Xms64m")) {
      started.start();
      assertThat(started.state().getRunning()).isTrue();
    }
  }

  @Test
  void needsOnlyAWritableTmp() throws Exception {
    try (PenstockContainer restricted =
        inFrontOfTheCluster()
            .withTmpFs(Map.of("/tmp", "rw,noexec,nosuid"))
            .withHostConfig(host ->
                host.withReadonlyRootfs(true)
                    .withCapDrop(Capability.ALL)
                    .withSecurityOpts(List.of("no-new-privileges")))
            .withCreateContainerCmdModifier(create -> create.withUser("4242:4242"))) {
      restricted.start();
      assertThat(restricted.execInContainer("touch", "/opt/penstock/x").getExitCode()).isNotZero();
      String self = restricted.execInContainer("cat", "/proc/1/status").getStdout();
      assertThat(self)
          .containsPattern("Uid:\t4242\t")
          .containsPattern("CapEff:\t0+\n")
          .containsPattern("NoNewPrivs:\t1\n");
      assertThat(restricted.getLogs())
          .containsPattern("Listening on 0.0.0.0:6380 \\((epoll|io_uring),");
      try (Jedis client = restricted.connect()) {
        assertThat(client.set("restricted", "x")).isEqualTo("OK");
      }
    }
  }

  @Test
  void argumentsOverrideVariablesAndVariablesOverrideTheFile(@TempDir Path folder)
      throws Exception {
    Path file = folder.resolve("application.yml");
    Files.writeString(
        file,
        """
        penstock:
          password: from-the-file
          max-clients: 111
          proto-max-bulk-len: 1MB
        """);
    try (PenstockContainer configured =
        inFrontOfTheCluster()
            .withHostConfig(host ->
                host.withBinds(Bind.parse(file + ":/opt/penstock/config/application.yml:ro")))
            .withEnv("PENSTOCK_MAXCLIENTS", "222")
            .withEnv("PENSTOCK_PROTOMAXBULKLEN", "2MB")
            .withCommand("--penstock.proto-max-bulk-len=3MB")) {
      configured.start();
      try (Jedis client = configured.connect()) {
        assertThatThrownBy(() -> client.get("key"))
            .isInstanceOf(JedisDataException.class)
            .hasMessageStartingWith("NOAUTH");
        assertThat(client.auth("from-the-file")).isEqualTo("OK");
        assertThat(client.configGet("maxclients")).containsEntry("maxclients", "222");
        assertThat(client.configGet("proto-max-bulk-len"))
            .containsEntry("proto-max-bulk-len", Integer.toString(3 << 20));
      }
    }
  }

  @Test
  void sigtermAnswersRequestsInFlightFirst() {
    PenstockContainer stopped =
        inFrontOfTheCluster().withEnv("PENSTOCK_BACKEND_COMMANDTIMEOUT", "20s");
    try (stopped;
        Jedis master = redis.connect(0)) {
      stopped.start();
      String connection = "addr=" + stopped.address() + ":";
      assertThat(master.clientList()).contains(connection);
      try (Jedis client = stopped.connect()) {
        String key = keyOf(master);
        master.clientPause(Duration.ofSeconds(30).toMillis(), ClientPauseMode.WRITE);
        CompletableFuture<String> reply = inBackground(() -> client.set(key, "in flight"));
        await().until(() -> master.info("clients").contains("blocked_clients:1\r\n"));

        CompletableFuture<Boolean> end =
            inBackground(() -> {
              stopped.stopGracefully();
              return true;
            });
        await().until(() -> stopped.getLogs().contains("Stopping: no new clients"));
        assertThat(reply).isNotDone();
        assertThat(end).isNotDone();
        master.clientUnpause();

        assertThat(reply).succeedsWithin(Duration.ofSeconds(10)).isEqualTo("OK");
        assertThat(end).succeedsWithin(Duration.ofSeconds(20));
        assertThat(master.get(key)).isEqualTo("in flight");
        assertThatThrownBy(client::ping).isInstanceOf(JedisConnectionException.class);
      }
      assertThat(stopped.state().getRunning()).isFalse();
      assertThat(stopped.state().getExitCodeLong()).isEqualTo(143);
      assertThat(stopped.getLogs()).contains("Stopped");
      assertThat(master.clientList()).doesNotContain(connection);
    }
  }

  private static String keyOf(Jedis master) {
    return IntStream.iterate(0, i -> i + 1)
        .mapToObj(i -> "stop:" + i)
        .filter(key -> RedisContainers.isOfTheFirst(master.clusterKeySlot(key)))
        .findFirst()
        .orElseThrow();
  }

  private static <T> CompletableFuture<T> inBackground(Supplier<T> call) {
    return CompletableFuture.supplyAsync(call, Thread::startVirtualThread);
  }
}
