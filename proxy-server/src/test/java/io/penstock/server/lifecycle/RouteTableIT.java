package io.penstock.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.server.it.DispatchMode;
import io.penstock.server.it.SharedCluster;
import io.penstock.server.it.SharedGroup;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.cluster.SentinelGroup;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/**
 * Resource tables in front of real servers. One Penstock has one table after the other. Nothing
 * copies values, so that each server's are its own.
 */
@Tag(DispatchMode.ANY)
@ExtendWith({SharedGroup.class, SharedCluster.class, OutputCaptureExtension.class})
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RouteTableIT {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String OK = "+OK\r\n";
  private static final String SIMPLE = "{'type': 'simple', 'operation': %s}";
  private static final String SEPARATE = "{'type': 'rw_separate', 'read': %s, 'write': %s}";
  private static final String SHARDED =
      "{'type': 'sharding', 'operation': {'bucketSize': 6, 'operationMap': {%s}}}";

  /** A key, and its bucket of six. */
  private static final Map<String, Integer> VECTORS =
      Map.of(
          "foo",
          0,
          "user:1000",
          4,
          "{user1000}.following",
          5,
          "café:7",
          5,
          "{}x",
          2,
          "a",
          1,
          "order:20240131:00042",
          1,
          "polygenelubricants",
          2);

  private final SentinelGroup group;
  private final EmbeddedCluster cluster;
  private final ServerProcess one = ServerProcess.start();
  private final ServerProcess two = ServerProcess.start();
  private final ServerProcess three = ServerProcess.start();

  @SuppressWarnings("NullAway.Init")
  private Path table;

  @SuppressWarnings("NullAway.Init")
  private RunningPenstock penstock;

  RouteTableIT(SentinelGroup group, EmbeddedCluster cluster) {
    this.group = group;
    this.cluster = cluster;
  }

  @BeforeAll
  void start(@TempDir Path folder) throws IOException {
    table = folder.resolve("resource-table.json");
    Files.writeString(table, url(one));
    Path file = folder.resolve("application.yml");
    Files.writeString(
        file,
        """
        penstock:
          event-loops: 1
          port: 0
          bind: 127.0.0.1
          reads: { read-your-writes: 0 }
          backend: { failover-hold: 10s }
          transpond:
            local: { type: complex, json-file: %s, dynamic: true, check-interval-millis: 4000 }
        """
            .formatted(table));
    penstock = RunningPenstock.startWith(file);
    await().atMost(PATIENCE).until(() -> penstock.status("health/readiness") == 200);
  }

  @AfterAll
  void stop() {
    penstock.close();
    Stream.of(one, two, three).forEach(ServerProcess::close);
  }

  @BeforeEach
  void empty() {
    Stream.of(one, two, three).forEach(each -> each.text("FLUSHALL"));
    one.text("SET", "who", "one");
    two.text("SET", "who", "two");
    three.text("SET", "who", "three");
  }

  private static String url(ServerProcess server) {
    return "redis://@" + server.host() + ":" + server.port();
  }

  private static String quoted(ServerProcess server) {
    return "'" + url(server) + "'";
  }

  private static String read(String type, ServerProcess... servers) {
    List<String> urls = Stream.of(servers).map(RouteTableIT::quoted).toList();
    return "{'type': '%s', 'resources': [%s]}".formatted(type, String.join(",", urls));
  }

  /** Writes a table as a whole, as an editor does. */
  private void write(String text) throws IOException {
    Path next = Files.writeString(table.resolveSibling("next"), text.replace('\'', '"'));
    Files.move(next, table, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
  }

  private void use(String text) throws IOException {
    write(text);
    HttpResponse<String> reply = penstock.management().post("penstock/reload");
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(200);
  }

  private static void awaitRead(RespClient client, String... from) {
    await().atMost(PATIENCE).until(() -> Set.of(from).contains(client.text("GET", "who")));
  }

  @Test
  void readsInOrderGoToTheFirstThatAnswers() throws IOException {
    use(SIMPLE.formatted(SEPARATE.formatted(read("order", two, three), quoted(one))));
    try (RespClient client = penstock.connect();
        RespClient another = penstock.connect()) {
      awaitRead(client, "two");
      for (int i = 0; i < 10; i++) {
        assertThat(another.text("GET", "who")).isEqualTo("two");
      }
      assertThat(client.call("SET", "k", "v")).isEqualTo(OK);
      assertThat(one.text("GET", "k")).isEqualTo("v");
      assertThat(client.call("GET", "k")).isEqualTo("$-1\r\n");

      two.kill();
      awaitRead(client, "three");
      assertThat(another.text("GET", "who")).isEqualTo("three");

      two.restart();
      two.text("SET", "who", "two");
      awaitRead(client, "two");
      awaitRead(another, "two");
    }
  }

  @Test
  void readsAtRandomAreSpreadOverAllAlsoOverTheOneForWrites() throws IOException {
    use(SIMPLE.formatted(SEPARATE.formatted(read("random", one, two, three), quoted(one))));
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> {
          Set<String> read = new TreeSet<>();
          for (int i = 0; i < 3; i++) {
            try (RespClient client = penstock.connect()) {
              read.add(String.valueOf(client.text("GET", "who")));
            }
          }
          assertThat(read).containsExactly("one", "three", "two");
        });
  }

  @Test
  void aGroupIsReadAtItsReplicas() throws IOException {
    readsGoToReplicas(group.resource(), group.nodes(), group.replicas());
  }

  @Test
  void aClusterIsReadAtItsReplicas() throws IOException {
    readsGoToReplicas(cluster.resource(), servers(cluster.members()), servers(cluster.replicas()));
  }

  private static List<ServerProcess> servers(List<Member> members) {
    return members.stream().map(Member::server).toList();
  }

  private void readsGoToReplicas(
      String master, List<ServerProcess> nodes, List<ServerProcess> ofReplicas) throws IOException {
    String replicas = master.replaceFirst("://", "-slaves://");
    use(SIMPLE.formatted(SEPARATE.formatted("'" + replicas + "'", "'" + master + "'")));
    nodes.forEach(each -> each.text("CONFIG", "RESETSTAT"));
    try (RespClient client = penstock.connect()) {
      assertThat(client.call("SET", "who", "group")).isEqualTo(OK);
      await()
          .atMost(PATIENCE)
          .until(() ->
              "group".equals(client.text("GET", "who"))
                  && ofReplicas.stream().anyMatch(RouteTableIT::hasServedReads));
      assertThat(client.call("DEL", "who")).isEqualTo(":1\r\n");
    }
  }

  private static boolean hasServedReads(ServerProcess server) {
    return server.text("INFO", "commandstats").contains("cmdstat_get:");
  }

  @Test
  void keysAreInTheBucketsOfCamellia() throws IOException {
    use(
        SHARDED.formatted(
            "'0-1-2': %s, '3-4-5': {'type': 'simple', 'resource': %s}"
                .formatted(quoted(one), quoted(two))));
    try (RespClient client = penstock.connect()) {
      VECTORS.forEach((key, bucket) -> {
        assertThat(client.text("SET", key, "v")).isEqualTo("OK");
        assertThat((bucket < 3 ? one : two).text("GET", key)).as(key).isEqualTo("v");
      });
      assertThat(client.call("MGET", "foo", "user:1000"))
          .isEqualTo("*2\r\n" + Wire.bulk("v") + Wire.bulk("v"));
      assertThat(client.call("RENAME", "foo", "user:1000")).startsWith("-CROSSSLOT");
      assertThat(client.call("MULTI")).isEqualTo(OK);
      assertThat(client.call("INCR", "user:n")).isEqualTo("+QUEUED\r\n");
      assertThat(client.call("EXEC")).isEqualTo("*1\r\n:1\r\n");
    }
  }

  @Test
  void aBucketMayHaveReadsOfItsOwn() throws IOException {
    String separate = SEPARATE.formatted(read("order", three), read("multi", two));
    use(SHARDED.formatted("'0-1-2': '%s', '3-4-5': %s".formatted(group.resource(), separate)));
    group.nodes().forEach(each -> each.text("CONFIG", "RESETSTAT"));
    three.text("SET", "user:1000", "three");
    try (RespClient client = penstock.connect()) {
      assertThat(client.call("SET", "user:1000", "v")).isEqualTo(OK);
      assertThat(two.text("GET", "user:1000")).isEqualTo("v");
      assertThat(client.call("SET", "foo", "v")).isEqualTo(OK);
      await().atMost(PATIENCE).until(() -> client.text("GET", "user:1000").equals("three"));
      for (int i = 0; i < 5; i++) {
        assertThat(client.text("GET", "foo")).isEqualTo("v");
      }
      assertThat(group.replicas()).noneMatch(RouteTableIT::hasServedReads);
      assertThat(client.call("DEL", "foo")).isEqualTo(":1\r\n");
    }
  }

  @Test
  void writesGoToAllResourcesForWrites() throws IOException {
    use(SIMPLE.formatted(SEPARATE.formatted(quoted(three), read("multi", one, two))));
    try (RespClient client = penstock.connect()) {
      assertThat(client.call("SET", "k", "v")).isEqualTo(OK);
      assertThat(client.call("MULTI")).isEqualTo(OK);
      assertThat(client.call("INCR", "n")).isEqualTo("+QUEUED\r\n");
      assertThat(client.call("EXEC")).isEqualTo("*1\r\n:1\r\n");
      assertThat(one.text("GET", "n")).isEqualTo("1");
      await().atMost(PATIENCE).until(() -> two.text("GET", "n").equals("1"));
      assertThat(two.text("GET", "k")).isEqualTo("v");
      assertThat(three.text("EXISTS", "k", "n")).isEqualTo("0");
      awaitRead(client, "three");
    }
    assertThat(penstock.get("mirror").body()).contains("\"copy\":\"default-copy-1\"");
  }

  @Test
  void aCopyMayBeTheOneForReads() throws IOException {
    use(SIMPLE.formatted(SEPARATE.formatted(quoted(two), read("multi", one, two))));
    try (RespClient client = penstock.connect()) {
      awaitRead(client, "two");
      assertThat(client.call("SET", "who", "both")).isEqualTo(OK);
      assertThat(one.text("GET", "who")).isEqualTo("both");
      awaitRead(client, "both");
    }
  }

  @Test
  void bucketsMayHaveCopies() throws IOException {
    use(
        SHARDED.formatted(
            "'0-1-2': %s, '3-4-5': %s"
                .formatted(
                    SEPARATE.formatted(quoted(one), read("multi", one, three)),
                    SEPARATE.formatted(quoted(two), read("multi", two, three)))));
    try (RespClient client = penstock.connect()) {
      VECTORS.keySet().forEach(key -> assertThat(client.call("SET", key, "v")).isEqualTo(OK));
      await()
          .atMost(PATIENCE)
          .until(() -> three.text("DBSIZE").equals(Integer.toString(VECTORS.size() + 1)));
      assertThat(one.text("EXISTS", "user:1000")).isEqualTo("0");
      assertThat(two.text("EXISTS", "user:1000")).isEqualTo("1");
    }
  }

  @Test
  void aChangedFileIsFollowedAndAWrongOneIsNot(CapturedOutput output) throws IOException {
    use(url(one));
    var stopped = new AtomicBoolean();
    try (RespClient client = penstock.connect()) {
      CompletableFuture<String> errors =
          CompletableFuture.supplyAsync(() -> {
            String reply = OK;
            for (int i = 0; !stopped.get() && reply.equals(OK); i++) {
              reply = client.call("SET", "written", "v" + i);
            }
            return reply;
          });
      try {
        await().atMost(PATIENCE).until(() -> "1".equals(one.text("EXISTS", "written")));
        String hash = penstock.get("penstock").body().replaceAll(".*(\"hash\":\"\\w+\").*", "$1");
        write(url(two));
        await().atMost(PATIENCE).until(() -> "1".equals(two.text("EXISTS", "written")));
        assertThat(penstock.get("penstock").body()).contains("\"hash\":").doesNotContain(hash);

        write("{'type': 'simple', 'operation': 'redis://:s3cret@10.0.0.1:6379'}");
        await().atMost(PATIENCE).until(() -> output.getOut().contains("at operation: it is not"));
        two.text("DEL", "written");
        await().atMost(PATIENCE).until(() -> "1".equals(two.text("EXISTS", "written")));
      } finally {
        stopped.set(true);
      }
      assertThat(errors.join()).isEqualTo(OK);
    }
    assertThat(output.getOut() + penstock.get("penstock").body())
        .contains("transpond.local.json-file")
        .doesNotContain("s3cret");
  }
}
