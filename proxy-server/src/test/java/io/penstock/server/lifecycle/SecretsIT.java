package io.penstock.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Nothing that others can see has a secret, whatever happens and however much is logged. */
@ExtendWith(OutputCaptureExtension.class)
class SecretsIT {

  /** Part of each secret, and of nothing else. */
  private static final String MARK = "Zq7x";

  private static final List<String> ENDPOINTS =
      List.of(
          "penstock",
          "topology",
          "health",
          "info",
          "prometheus",
          "env",
          "configprops",
          "beans",
          "threaddump",
          "loggers",
          "mappings",
          "metrics",
          "conditions");

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @AfterAll
  static void logAsUsual() {
    LoggingSystem.get(SecretsIT.class.getClassLoader()).setLogLevel("ROOT", LogLevel.WARN);
  }

  private Path file() {
    return folder.resolve("application.yml");
  }

  /** Has secrets in the configuration, in files, in a tree, and in URLs. */
  private void write(ServerProcess server, String version, String more) throws IOException {
    Files.writeString(folder.resolve("clients"), MARK + "-clients-" + version + "\n");
    Files.writeString(folder.resolve("nodes"), MARK + "-nodes\n");
    Files.createDirectories(folder.resolve("tree"));
    Files.writeString(folder.resolve("tree/penstock.management-token"), MARK + "-token-" + version);
    Files.writeString(
        file(),
        """
        spring.config.import: "configtree:%1$s/tree/"
        penstock:
          listeners:
            a: { port: 0, bind: 127.0.0.1, upstream: nodes, password-file: "%1$s/clients" }
            b: { port: 0, bind: 127.0.0.1, upstream: url, password: "%2$s-b-%3$s" }
          upstreams:
            nodes: { resource: "redis://127.0.0.1:%4$d", password-file: "%1$s/nodes" }
            url: "redis://:%2$s-nodes@127.0.0.1:%4$d"
            idle: "redis-sentinel://app:%2$s-idle@127.0.0.1:1/m?sentinelPassword=%2$s-sentinel"
        %5$s
        """
            .formatted(folder, MARK, version, server.port(), more));
  }

  private static String[] arguments() {
    return new String[] {
      "--management.endpoints.web.exposure.include=*",
      "--management.endpoint.env.show-values=never",
      "--logging.level.root=trace",
      "--logging.level.io.penstock=trace"
    };
  }

  private static void assertNoSecret(List<String> texts) {
    for (String text : texts) {
      int found = text.indexOf(MARK);
      assertThat(found < 0 ? "" : text.substring(Math.max(0, found - 300), found))
          .as("what precedes a secret")
          .isEmpty();
    }
  }

  private static List<String> answers(RunningPenstock penstock) {
    List<String> all = new ArrayList<>();
    for (String endpoint : ENDPOINTS) {
      all.add(penstock.get(endpoint).body());
    }
    return all;
  }

  @Test
  void nothingShowsASecret(CapturedOutput output) throws IOException {
    List<String> seen = new ArrayList<>();
    try (ServerProcess server = ServerProcess.builder().password(MARK + "-nodes").start()) {
      write(server, "1", "");
      try (RunningPenstock penstock = RunningPenstock.startWith(file(), arguments());
          RespClient client = penstock.connect()) {
        client.value("AUTH", MARK + "-clients-1");
        await().until(() -> client.call("SET", "k", "v").equals("+OK\r\n"));
        seen.add(client.call("AUTH", "default", "wrong"));
        seen.add(client.call("INFO", "everything"));
        seen.add(client.call("CONFIG", "GET", "*"));
        seen.add(client.call("CLIENT", "LIST"));
        seen.addAll(answers(penstock));

        write(server, "2", "");
        seen.add(reload(penstock, "1"));
        write(server, "3", "  max-clients: 0");
        seen.add(reload(penstock, "2"));
        write(server, "3", "  pasword: " + MARK + "-misspelt");
        seen.add(reload(penstock, "2"));
        write(server, "3", "  password: [" + MARK + "-broken");
        seen.add(reload(penstock, "2"));
        write(server, "3", "  transpond.local.resource: redis://x:" + MARK + "@h");
        seen.add(reload(penstock, "2"));
        seen.addAll(answers(penstock));
        seen.addAll(threads());
      }
      assertThat(seen).anyMatch(text -> text.contains("\"outcome\":\"applied\""));
      assertThat(seen).filteredOn(text -> text.contains("\"outcome\":\"refused\"")).hasSize(5);
    }
    seen.add(output.toString());
    assertNoSecret(seen);
  }

  private static String reload(RunningPenstock penstock, String version) {
    return penstock
        .management()
        .post("penstock/reload", "Authorization", "Bearer " + MARK + "-token-" + version)
        .body();
  }

  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream().map(Thread::getName).toList();
  }

  @Test
  void aStartThatFailsShowsNoSecret(CapturedOutput output) throws IOException {
    try (ServerProcess server = ServerProcess.start()) {
      for (String wrong :
          List.of(
              "  max-clients: 0",
              "  pasword: " + MARK + "-misspelt",
              "  transpond.local.resource: redis://x:" + MARK + "@h",
              "  management-token-file: /run/none")) {
        write(server, "1", wrong);
        assertThatThrownBy(() -> RunningPenstock.startWith(file(), arguments()).close())
            .satisfies(e -> assertNoSecret(causes(e)));
      }
    }
    assertNoSecret(List.of(output.toString()));
  }

  private static List<String> causes(Throwable failure) {
    return Stream.iterate(failure, cause -> cause != null, Throwable::getCause)
        .map(Throwable::toString)
        .toList();
  }
}
