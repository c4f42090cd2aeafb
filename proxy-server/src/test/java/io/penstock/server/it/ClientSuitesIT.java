package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.cluster.EmbeddedCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Client libraries as applications use them; each runs all of {@code
 * src/test/clients/scenarios.txt}.
 */
@ExtendWith(SharedCluster.class)
class ClientSuitesIT {

  @SuppressWarnings("NullAway.Init")
  private static ProxyFixture proxy;

  @BeforeAll
  static void start(EmbeddedCluster cluster) {
    proxy = ProxyFixture.of(cluster).startReady();
  }

  @AfterAll
  static void stop() {
    proxy.close();
  }

  @BeforeEach
  void clean(EmbeddedCluster cluster) {
    cluster.masters().forEach(master -> master.text("FLUSHALL"));
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void jedis(int protocol) throws IOException {
    try (var suite = new JedisSuite(proxy.host(), proxy.port(), protocol)) {
      check(suite.run());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void lettuce(int protocol) throws IOException {
    try (var suite = new LettuceSuite(proxy.host(), proxy.port(), protocol)) {
      check(suite.run());
    }
  }

  @ParameterizedTest
  @CsvSource({"PYTHON,2", "PYTHON,3", "GO,2", "GO,3", "NODE,2", "NODE,3"})
  void programs(ClientProgram program, int protocol) throws IOException {
    check(program.run(proxy.host(), proxy.port(), protocol));
  }

  private static void check(String report) throws IOException {
    List<String> names =
        Files.readAllLines(Path.of("src/test/clients/scenarios.txt")).stream()
            .filter(line -> !line.startsWith("#"))
            .map(line -> "ok " + line.split(" ", 2)[0])
            .toList();
    assertThat(report.lines()).containsExactlyInAnyOrderElementsOf(names);
  }
}
