package io.penstock.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.wire.RespClient;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ManagementPortIT {

  @SuppressWarnings("NullAway.Init")
  private static EmbeddedCluster cluster;

  @SuppressWarnings("NullAway.Init")
  private static RunningPenstock penstock;

  @BeforeAll
  static void start() {
    cluster = EmbeddedCluster.builder().masters(2).replicas(1).password("s3cret").start();
    penstock = RunningPenstock.inFrontOf(cluster.resource());
    awaitReadiness(200, "\"coveredSlots\":16384");
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
        .contains("\"state\":\"complete\"", "\"0-8191\"", "\"8192-16383\"", "\"failure\":null")
        .contains("\"trigger\":\"", "\"up\":true")
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
    Member dead = cluster.masterOf(0);
    List<Member> shard = new ArrayList<>(cluster.replicasOf(dead));
    shard.add(dead);
    try {
      shard.forEach(Member::kill);
      awaitReadiness(
          200,
          "\"coveredSlots\":8192",
          "{\"slots\":\"0-8191\",\"master\":\"127.0.0.1:" + dead.port() + "\",\"since\":\"2",
          "\"reason\":\"");
      assertThat(penstock.get("topology").body()).contains("\"state\":\"partial\"");
      assertThat(penstock.get("prometheus").body())
          .contains("penstock_slots_covered{upstream=\"default\"} 8192.0", nodeUp(dead, 0))
          .contains("penstock_topology_last_success_timestamp_seconds");

      cluster.members().stream().filter(Member::isRunning).forEach(Member::kill);
      awaitReadiness(503, "\"coveredSlots\":0", "\"slots\":\"8192-16383\"");
      assertThat(penstock.get("topology").body()).contains("\"state\":\"down\"");
      assertThat(penstock.status("health/liveness")).isEqualTo(200);
    } finally {
      cluster.members().stream().filter(m -> !m.isRunning()).forEach(Member::restart);
      cluster.awaitHealthy();
    }
    awaitReadiness(200, "\"coveredSlots\":16384", "\"uncovered\":[]");
    assertThat(penstock.get("prometheus").body())
        .contains(
            "penstock_slots_covered{upstream=\"default\"} 16384.0", nodeUp(cluster.masterOf(0), 1));
  }

  private static String nodeUp(Member master, int up) {
    return "penstock_node_up{node=\"127.0.0.1:"
        + master.port()
        + "\",role=\"master\",upstream=\"default\"} "
        + up;
  }
}
