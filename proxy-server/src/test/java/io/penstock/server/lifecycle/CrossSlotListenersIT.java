package io.penstock.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.Proxy;
import io.penstock.core.assembly.ProxyListener;
import io.penstock.server.it.SharedCluster;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.wire.RespClient;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/**
 * What {@code cross-slot} of a file says is what clients of each listener get, and what operators
 * see in the log, in metrics and in {@code INFO}. The keys of each test are in several slots.
 */
@ExtendWith({SharedCluster.class, OutputCaptureExtension.class})
class CrossSlotListenersIT {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String CROSS_SLOT =
      "-CROSSSLOT Keys in request don't hash to the same slot\r\n";

  private final EmbeddedCluster cluster;

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @SuppressWarnings("NullAway.Init")
  private RunningPenstock penstock;

  CrossSlotListenersIT(EmbeddedCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeEach
  void start() throws IOException {
    write("report");
    penstock = RunningPenstock.startWith(file());
    await().atMost(PATIENCE).until(() -> penstock.status("health/readiness") == 200);
  }

  @AfterEach
  void stop() {
    penstock.close();
  }

  private Path file() {
    return folder.resolve("application.yml");
  }

  /**
   * Writes a file.
   *
   * @param mode of all upstreams that do not set it
   */
  private void write(String mode) throws IOException {
    Files.writeString(
        file(),
        """
        penstock:
          cross-slot: %s
          event-loops: 2
          listeners:
            of-all: { bind: 127.0.0.1, port: 0, upstream: plain }
            of-upstream: { bind: 127.0.0.1, port: 0, upstream: emulating }
            of-listener: { bind: 127.0.0.1, port: 0, upstream: emulating, cross-slot: reject }
          upstreams:
            plain: "%2$s"
            emulating: { resource: "%2$s", cross-slot: emulate }
        """
            .formatted(mode, cluster.resource()));
  }

  private RespClient connect(String listener) {
    ProxyListener found =
        penstock.bean(Proxy.class).listeners().stream()
            .filter(each -> each.name().equals(listener))
            .findFirst()
            .orElseThrow();
    return RespClient.open("127.0.0.1", Objects.requireNonNull(found.address()).getPort());
  }

  private void awaitMetrics(String... lines) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(penstock.get("prometheus").body()).contains(lines));
  }

  @Test
  void aListenerDoesWhatItSaysOrItsUpstreamOrAll() {
    try (RespClient ofAll = connect("of-all");
        RespClient ofUpstream = connect("of-upstream");
        RespClient ofListener = connect("of-listener")) {
      assertThat(ofUpstream.text("SET", "cs-a", "value")).isEqualTo("OK");

      assertThat(ofAll.call("RENAME", "cs-a", "cs-b")).isEqualTo(CROSS_SLOT);
      assertThat(ofListener.call("RENAME", "cs-a", "cs-b")).isEqualTo(CROSS_SLOT);
      assertThat(ofUpstream.call("RENAME", "cs-a", "cs-b")).isEqualTo("+OK\r\n");
      assertThat(ofUpstream.text("GET", "cs-b")).isEqualTo("value");
      assertThat(ofUpstream.call("EXISTS", "cs-a")).isEqualTo(":0\r\n");
    }
  }

  @Test
  void reportedCommandsAreLoggedAndCounted(CapturedOutput output) {
    try (RespClient client = connect("of-all")) {
      client.call("CLIENT", "SETNAME", "worker-7");
      assertThat(client.call("RENAME", "cs-a", "cs-b")).isEqualTo(CROSS_SLOT);
      assertThat(client.call("RENAME", "cs-a", "cs-b")).isEqualTo(CROSS_SLOT);
      assertThat(client.call("SUNION", "cs-a", "cs-b")).isEqualTo(CROSS_SLOT);
      client.call("MULTI");
      client.call("SET", "cs-a", "1");
      assertThat(client.call("SET", "cs-b", "2")).startsWith("-CROSSSLOT ");
      assertThat(client.call("SUNION", "cs-a", "cs-b")).isEqualTo(CROSS_SLOT); // never in MULTI
      assertThat(client.call("EXEC")).startsWith("-EXECABORT");

      assertThat(client.text("INFO", "crossslot"))
          .startsWith("# CrossSlot\r\n")
          .contains(
              "crossslot_commands:0\r\n",
              "crossslot_rejected:4\r\n",
              "crossslotstat_exec:calls=0,rejected_calls=1\r\n",
              "crossslotstat_rename:calls=0,rejected_calls=2\r\n",
              "crossslotstat_sunion:calls=0,rejected_calls=1\r\n");
    }
    assertThat(output.toString())
        .containsPattern(
            "Listener of-all: RENAME of client \\d+ \\(127\\.0\\.0\\.1:\\d+ name=worker-7"
                + " user=default\\) was rejected: its keys are in several slots")
        .contains("Listener of-all: SUNION of client", "Listener of-all: EXEC of client");
    awaitMetrics(
        "penstock_cross_slot_rejected_total{command=\"RENAME\",listener=\"of-all\"} 2.0",
        "penstock_cross_slot_rejected_total{command=\"SUNION\",listener=\"of-all\"} 1.0");
  }

  @Test
  void commandsThatRunInStepsAreCounted() {
    try (RespClient client = connect("of-upstream")) {
      client.call("DEL", "cs-s1", "cs-s2", "cs-b");
      client.call("SADD", "cs-s1", "x", "y");
      client.call("SADD", "cs-s2", "y", "z");
      assertThat(client.call("SINTER", "cs-s1", "cs-s2")).isEqualTo("*1\r\n$1\r\ny\r\n");
      assertThat(client.call("SMOVE", "cs-s1", "cs-s2", "x")).isEqualTo(":1\r\n");

      assertThat(client.text("INFO", "crossslot"))
          .contains(
              "crossslot_commands:2\r\n",
              "crossslot_rejected:0\r\n",
              "crossslot_retries:0\r\n",
              "crossslotstat_sinter:calls=1,rejected_calls=0\r\n",
              "crossslotstat_smove:calls=1,rejected_calls=0\r\n")
          .containsPattern("crossslot_bytes_moved:[1-9]");
      assertThat(client.text("INFO")).contains("# CrossSlot\r\n");
    }
    awaitMetrics(
        "penstock_cross_slot_commands_total{command=\"SINTER\",listener=\"of-upstream\"} 1.0",
        "penstock_cross_slot_commands_total{command=\"SMOVE\",listener=\"of-upstream\"} 1.0",
        "penstock_cross_slot_retries_total{listener=\"of-upstream\"} 0.0",
        "penstock_cross_slot_moved_bytes_total{listener=\"of-all\"} 0.0");
    assertThat(penstock.get("prometheus").body())
        .containsPattern("penstock_cross_slot_moved_bytes_total\\{listener=\"of-upstream\"} [1-9]");
  }

  @Test
  void aReloadConcernsConnectedClients() throws IOException {
    try (RespClient client = connect("of-all")) {
      assertThat(client.text("SET", "cs-a", "value")).isEqualTo("OK");
      assertThat(client.call("RENAME", "cs-a", "cs-b")).isEqualTo(CROSS_SLOT);
      write("emulate");

      HttpResponse<String> reply = penstock.management().post("penstock/reload");

      assertThat(reply.statusCode()).as(reply.body()).isEqualTo(200);
      assertThat(reply.body()).contains("\"subject\":\"listener of-all\"", "cross-slot");
      assertThat(client.call("RENAME", "cs-a", "cs-b")).isEqualTo("+OK\r\n");
      assertThat(client.text("GET", "cs-b")).isEqualTo("value");
    }
  }
}
