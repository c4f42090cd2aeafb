package io.penstock.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.penstock.server.it.DispatchMode;
import io.penstock.server.it.Keys;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.wire.RespClient;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

@Tag(DispatchMode.ANY)
class ManagementPortIT {

  @SuppressWarnings("NullAway.Init")
  private static EmbeddedCluster cluster;

  @SuppressWarnings("NullAway.Init")
  private static RunningPenstock penstock;

  private final Logger logger = (Logger) LoggerFactory.getLogger(OutageLog.class);
  private final ListAppender<ILoggingEvent> outages = new ListAppender<>();

  @BeforeAll
  static void start() {
    cluster = EmbeddedCluster.builder().masters(3).replicas(1).password("s3cret").start();
    penstock =
        RunningPenstock.inFrontOf(
            cluster.resource(),
            "--penstock.backend.command-timeout=2s",
            "--penstock.backend.failover-hold=2s",
            "--penstock.topology.refresh-period=2s");
    awaitReadiness(200, "\"coveredSlots\":16384");
  }

  @BeforeEach
  void listen() {
    outages.list = new CopyOnWriteArrayList<>();
    outages.start();
    logger.setLevel(Level.INFO);
    logger.addAppender(outages);
  }

  @AfterEach
  void stopListening() {
    logger.detachAppender(outages);
    logger.setLevel(null);
  }

  private static void awaitReadiness(int status, String... details) {
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() -> {
          HttpResponse<String> readiness = penstock.get("health/readiness");
          assertThat(readiness.body()).contains(details);
          assertThat(readiness.statusCode()).isEqualTo(status);
        });
  }

  @AfterAll
  static void stop() {
    penstock.close();
    cluster.close();
  }

  @Test
  void saysThatPenstockIsAliveAndReady() {
    assertThat(penstock.get("health/liveness").body()).contains("\"UP\"");
    assertThat(penstock.get("health/readiness").body())
        .contains("\"coveredSlots\":16384", "\"listening\":true", "\"readinessState\"");
  }

  @Test
  void showsTheTopology() {
    await().untilAsserted(() -> showsTheTopology(penstock.get("topology").body()));
  }

  private static void showsTheTopology(String body) {
    assertThat(body)
        .contains("\"state\":\"complete\"", "\"0-5460\"", "\"10922-16383\"", "\"failure\":null")
        .contains("\"trigger\":\"", "\"up\":true", "\"trouble\":null")
        .doesNotContain("s3cret");
    for (Member member : cluster.members()) {
      assertThat(body).contains("127.0.0.1:" + member.port(), member.id());
    }
  }

  @Test
  void countsAndTimesCommands() {
    try (RespClient client = penstock.connect()) {
      for (int i = 0; i < 10; i++) {
        client.value("SET", "key" + i, "value");
      }
    }

    await()
        .untilAsserted(() ->
            assertThat(penstock.get("prometheus").body())
                .contains(
                    "penstock_commands_total{command=\"SET\",listener=\"default\",outcome=\"ok\"} 10.0")
                .contains(
                    "penstock_command_duration_seconds_count{command=\"SET\",listener=\"default\"} 10")
                .contains("penstock_client_connections_accepted_total")
                .contains("penstock_node_connections{node=\"127.0.0.1:")
                .contains("penstock_retryable_errors_total{listener=\"default\",type=\"moved\"}")
                .contains(
                    "penstock_topology_refreshes_total{outcome=\"ok\",trigger=\"startup\",upstream=\"default\"}")
                .contains("penstock_event_loop_lag_seconds{loop=\"0\"}")
                .contains("netty_allocator_memory_used")
                .contains("jvm_memory_used_bytes"));
  }

  @Test
  void exposesNothingElse() {
    assertThat(penstock.status("info")).isEqualTo(200);
    assertThat(penstock.status("env")).isEqualTo(404);
    assertThat(penstock.status("beans")).isEqualTo(404);
  }

  @Test
  void showsUncoveredSlotsWithoutAnyClientRequests() {
    awaitReadiness(200, "\"coveredSlots\":16384");
    requireFullCoverage("no");
    Member dead = cluster.masterOf(0);
    try {
      killShard(dead);
      awaitReadiness(
          200,
          "\"coveredSlots\":10923",
          "{\"slots\":\"0-5460\",\"master\":\"127.0.0.1:" + dead.port() + "\",\"since\":\"2",
          "\"reason\":\"");
      assertThat(penstock.get("topology").body()).contains("\"state\":\"partial\"");
      assertThat(penstock.get("prometheus").body())
          .contains("penstock_slots_covered{upstream=\"default\"} 10923.0", nodeUp(dead, 0))
          .contains("penstock_topology_last_success_timestamp_seconds");

      cluster.members().stream().filter(Member::isRunning).forEach(Member::kill);
      awaitReadiness(503, "\"coveredSlots\":0", "\"slots\":\"10922-16383\"");
      assertThat(penstock.get("topology").body()).contains("\"state\":\"down\"");
      assertThat(penstock.status("health/liveness")).isEqualTo(200);
    } finally {
      restartAll();
    }
    awaitReadiness(200, "\"coveredSlots\":16384", "\"uncovered\":[]");
    assertThat(penstock.get("prometheus").body())
        .contains(
            "penstock_slots_covered{upstream=\"default\"} 16384.0", nodeUp(cluster.masterOf(0), 1));
  }

  /** By default, a cluster with one uncovered slot serves none. */
  @Test
  void showsThatAClusterIsDownAlthoughItsNodesAnswer() {
    awaitReadiness(200, "\"coveredSlots\":16384");
    requireFullCoverage("yes");
    Member dead = cluster.masterOf(0);
    Member alive = cluster.masterOf(5461);
    String rejecting = "Master 127.0.0.1:" + alive.port() + " of slots 5461-10921 ";
    String silent = "Master 127.0.0.1:" + dead.port() + " of slots 0-5460 ";
    try (RespClient client = penstock.connect()) {
      killShard(dead);
      awaitReadiness(
          503,
          "\"coveredSlots\":0",
          "{\"slots\":\"5461-10921\",\"master\":\"127.0.0.1:" + alive.port() + "\"",
          "\"reason\":\"CLUSTERDOWN, cluster_state:fail, cluster_slots_ok:10923\"");
      assertThat(client.call("GET", Keys.tag(5461))).startsWith("-CLUSTERDOWN ");
      assertThat(penstock.get("topology").body())
          .contains("\"state\":\"down\"", "\"trouble\":\"CLUSTERDOWN, ");
      assertThat(penstock.get("prometheus").body())
          .contains("penstock_slots_covered{upstream=\"default\"} 0.0")
          .contains(nodeUp(dead, 0), nodeUp(alive, 1));
      await()
          .untilAsserted(() ->
              assertThat(lines())
                  .anyMatch(line -> line.startsWith(silent + "does not answer ("))
                  .anyMatch(line -> line.startsWith(rejecting + "rejects requests (CLUSTERDOWN"))
                  .noneMatch(line -> line.startsWith(rejecting + "does not answer")));
    } finally {
      restartAll();
    }
    awaitReadiness(200, "\"coveredSlots\":16384", "\"uncovered\":[]");
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() ->
            assertThat(lines())
                .anyMatch(line -> line.startsWith(rejecting + "no longer rejects requests after "))
                .anyMatch(line -> line.matches(silent + "(answers again|no longer .*) after .*")));

    cluster.migrateSlot(5461, alive, cluster.masterOf(16_383));
    try {
      await().until(() -> penstock.get("topology").body().contains("\"5461\""));
      assertThat(lines()).noneMatch(line -> line.contains("Failover"));
    } finally {
      cluster.migrateSlot(5461, cluster.masterOf(16_383), alive);
    }
    await().until(() -> penstock.get("topology").body().contains("\"5461-10921\""));
  }

  private static void requireFullCoverage(String value) {
    cluster
        .members()
        .forEach(each -> each.text("CONFIG", "SET", "cluster-require-full-coverage", value));
  }

  private static void killShard(Member master) {
    List<Member> shard = new ArrayList<>(cluster.replicasOf(master));
    shard.add(master);
    shard.forEach(Member::kill);
  }

  private static void restartAll() {
    cluster.members().stream().filter(each -> !each.isRunning()).forEach(Member::restart);
    cluster.awaitHealthy();
  }

  /** The lines about outages. */
  private List<String> lines() {
    return outages.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  private static String nodeUp(Member master, int up) {
    return "penstock_node_up{node=\"127.0.0.1:"
        + master.port()
        + "\",role=\"master\",upstream=\"default\"} "
        + up;
  }
}
