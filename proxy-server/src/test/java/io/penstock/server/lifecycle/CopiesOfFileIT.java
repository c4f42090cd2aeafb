package io.penstock.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.server.it.DispatchMode;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies that a configuration file names, and its changes. */
@Tag(DispatchMode.ANY)
class CopiesOfFileIT {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String OK = "+OK\r\n";
  private static final String BEHIND = "penstock_mirror_behind{copy=\"%s\",upstream=\"copied\"} %s";

  private final ServerProcess orders = ServerProcess.start();
  private final ServerProcess near = ServerProcess.start();
  private final ServerProcess far = ServerProcess.start();

  @SuppressWarnings("NullAway.Init")
  private Path file;

  @SuppressWarnings("NullAway.Init")
  private RunningPenstock penstock;

  @BeforeEach
  void start(@TempDir Path folder) throws IOException {
    file = folder.resolve("application.yml");
    write("{ primary: orders, copies: [ near ] }");
    penstock = RunningPenstock.startWith(file);
    await().atMost(PATIENCE).until(() -> penstock.status("health/readiness") == 200);
  }

  @AfterEach
  void stop() {
    penstock.close();
    Stream.of(orders, near, far).forEach(ServerProcess::close);
  }

  private void write(String copied) throws IOException {
    write(copied, "");
  }

  /**
   * @param keys of the copy {@code near}
   */
  private void write(String copied, String keys) throws IOException {
    Files.writeString(
        file,
        """
        penstock:
          event-loops: 2
          reload: on-change
          listeners: { main: { port: 0, bind: 127.0.0.1, upstream: copied } }
          upstreams:
            orders: "%s"
            near: { resource: "%s", %s }
            far: "%s"
            copied: %s
        """
            .formatted(url(orders), url(near), keys, url(far), copied));
  }

  private static String url(ServerProcess server) {
    return "redis://" + server.host() + ":" + server.port();
  }

  private String metrics() {
    return penstock.get("prometheus").body();
  }

  private void awaitMetric(String line) {
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(metrics()).contains(line + "\n"));
  }

  private static void awaitValue(ServerProcess server, String key, String value) {
    try (var client = RespClient.open(server.host(), server.port())) {
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(client.text("GET", key)).isEqualTo(value));
    }
  }

  @Test
  void aCopyGetsWhatClientsWrite() {
    try (RespClient client = penstock.connect()) {
      assertThat(client.call("SET", "key", "value")).isEqualTo(OK);

      awaitValue(near, "key", "value");
      awaitMetric("penstock_mirror_done_total{copy=\"near\",upstream=\"copied\"} 1.0");
      awaitMetric(BEHIND.formatted("near", "0.0"));
      assertThat(client.text("INFO", "mirror")).contains("mirror_copies:1").contains("near");
      assertThat(penstock.get("mirror").body()).contains("\"near\"");
      assertThat(penstock.get("penstock").body())
          .contains(
              "\"copies\":{\"primary\":\"orders\",\"reply\":\"primary\",\"copies\":[{\"name\":\"near\"")
          .contains("\"keysToCopy\":0");
    }
  }

  @Test
  void anAddedCopyIsBehindAndTheOthersAreNot() throws IOException {
    try (RespClient client = penstock.connect()) {
      assertThat(client.call("SET", "key", "one")).isEqualTo(OK);
      write("{ primary: orders, copies: [ near, far ] }");
      awaitMetric(BEHIND.formatted("far", "1.0"));

      assertThat(client.call("SET", "key", "two")).isEqualTo(OK);

      awaitValue(near, "key", "two");
      awaitValue(far, "key", "two");
      awaitMetric(BEHIND.formatted("near", "0.0"));
      awaitMetric("penstock_mirror_done_total{copy=\"near\",upstream=\"copied\"} 2.0");
      assertThat(penstock.get("mirror").body()).contains("it was added on");
    }
  }

  @Test
  void aRemovedCopyGetsNothingMore() throws IOException {
    try (RespClient client = penstock.connect()) {
      write("{ primary: orders, copies: [ far ] }");
      awaitMetric(BEHIND.formatted("far", "1.0"));
      assertThat(client.call("SET", "key", "value")).isEqualTo(OK);
      awaitValue(far, "key", "value");

      assertThat(metrics()).doesNotContain("copy=\"near\"");
      try (var server = RespClient.open(near.host(), near.port())) {
        assertThat(server.call("EXISTS", "key")).isEqualTo(":0\r\n");
      }
    }
  }

  @Test
  void aCopyStaysLevelWhenItsSettingsChange() throws IOException {
    try (RespClient client = penstock.connect()) {
      for (int i = 0; i < 100; i++) {
        assertThat(client.call("INCR", "count")).isEqualTo(":" + (i + 1) + "\r\n");
        if (i == 10) {
          write(
              "{ primary: orders, copies: [ near ], copy-queue-max-requests: 77 }",
              "backend: { command-timeout: 1s }");
        }
        if (i == 20) {
          awaitMetric("penstock_mirror_queue_limit{upstream=\"copied\"} 77.0");
        }
      }
      awaitValue(near, "count", "100");
      awaitMetric(BEHIND.formatted("near", "0.0"));
      awaitMetric("penstock_mirror_done_total{copy=\"near\",upstream=\"copied\"} 100.0");
    }
  }

  @Test
  void anUpstreamGetsCopiesAndLosesThem() throws IOException {
    try (RespClient client = penstock.connect()) {
      write("\"" + url(orders) + "\"");
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(metrics()).doesNotContain("penstock_mirror_behind{"));
      assertThat(client.call("SET", "key", "one")).isEqualTo(OK);

      write("{ primary: orders, copies: [ near ] }");
      awaitMetric(BEHIND.formatted("near", "1.0"));
      assertThat(client.call("APPEND", "key", "-two")).isEqualTo(":7\r\n");

      awaitValue(near, "key", "one-two"); // it differed, and was copied again
      awaitMetric("penstock_mirror_copied_again_total{copy=\"near\",upstream=\"copied\"} 1.0");
    }
  }

  @Test
  void whatWaitsIsCopiedBeforeTheEnd() {
    try (RespClient client = penstock.connect()) {
      for (int i = 0; i < 500; i++) {
        client.send("INCR", "count");
      }
      client.flush();
      for (int i = 0; i < 500; i++) {
        assertThat(client.read()).startsWith(":");
      }
    }
    penstock.close();

    awaitValue(near, "count", "500");
  }
}
