package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.core.observe.ErrorPrefix;
import io.penstock.core.topology.SingleUpstreamSettings;
import io.penstock.core.upstream.Endpoint;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** {@code redis://}: one server without cluster support. */
class SingleServerIT {

  @SuppressWarnings("NullAway.Init")
  private static ServerProcess server;

  @BeforeAll
  static void startServer() {
    server = ServerProcess.start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @Test
  void slotsDoNotMatter() {
    try (ProxyFixture proxy = ProxyFixture.of(server).startReady();
        RespClient wire = proxy.connect()) {
      assertThat(wire.call("MSETNX", "one", "1", "two", "2")).isEqualTo(":1\r\n");
      assertThat(wire.call("MGET", "two", "none", "one"))
          .isEqualTo("*3\r\n" + Wire.bulk("2") + "$-1\r\n" + Wire.bulk("1"));
      assertThat(wire.call("RENAME", "one", "three")).isEqualTo("+OK\r\n");
      assertThat(wire.call("SUNION", "four", "five")).isEqualTo("*0\r\n");
      assertThat(wire.call("EVAL", "return #KEYS", "2", "one", "two")).isEqualTo(":2\r\n");
      assertThat(wire.call("DEL", "one", "two", "three")).isEqualTo(":2\r\n");
    }
  }

  @Test
  void theProxyIsReadyAfterTheFirstAnswerOfTheServer() {
    try (ServerProcess late = ServerProcess.start()) {
      late.stop();
      try (ProxyFixture proxy =
              ProxyFixture.of(late)
                  .commandTimeout(Duration.ofMillis(300))
                  .failoverHold(Duration.ZERO)
                  .start();
          RespClient wire = proxy.connect()) {
        assertThat(wire.call("GET", "k")).startsWith("-UNAVAILABLE ");
        assertThat(proxy.proxy().isReady()).isFalse();
        late.restart();
        Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> proxy.proxy().isReady());
        Awaitility.await("the client's loop has connected too")
            .until(() -> wire.call("SET", "k", "v").equals("+OK\r\n"));
      }
    }
  }

  @Test
  void aServerThatCannotSaveCountsAsCovered() throws IOException {
    try (ServerProcess full = ServerProcess.builder().option("save", "3600 1").start()) {
      Files.createDirectories(
          full.folder().resolve("dump.rdb/full")); // a dump cannot replace a folder
      full.text("BGSAVE");
      awaitError(full, "MISCONF");
      try (ProxyFixture proxy = ProxyFixture.of(full).startReady();
          RespClient wire = proxy.connect()) {
        assertThat(wire.call("GET", "k")).isEqualTo("$-1\r\n");
        assertThat(wire.call("SET", "k", "v")).startsWith("-MISCONF ");
      }
    }
  }

  @Test
  void errorsOfTheServerAreCountedByTheirFirstWord() {
    try (ServerProcess full = ServerProcess.start();
        ProxyFixture proxy = ProxyFixture.of(full).startReady();
        RespClient wire = proxy.connect()) {
      wire.call("SET", "k", "v");
      full.text("CONFIG", "SET", "maxmemory", "1");

      assertThat(wire.call("SET", "k", "v")).startsWith("-OOM ");
      assertThat(wire.call("MULTI")).isEqualTo("+OK\r\n");
      assertThat(wire.call("SET", "k", "v")).isEqualTo("+QUEUED\r\n");
      assertThat(wire.call("EXEC")).startsWith("-");
      assertThat(wire.call("LPOP", "k")).startsWith("-WRONGTYPE ");
      String script = "return redis.error_reply('MINE ' .. KEYS[1])";
      assertThat(wire.call("EVAL_RO", script, "1", "k")).startsWith("-MINE ");
      full.text("CONFIG", "SET", "maxmemory", "0");

      assertThat(proxy.stats().nodes())
          .singleElement()
          .satisfies(node ->
              assertThat(node.errorReplies())
                  .containsExactlyInAnyOrderEntriesOf(
                      Map.of(
                          ErrorPrefix.OOM, 2L,
                          ErrorPrefix.EXECABORT, 1L,
                          ErrorPrefix.WRONGTYPE, 1L,
                          ErrorPrefix.OTHER, 1L)));
    }
  }

  @Test
  void aServerThatIsBusyWithAScriptCountsAsCovered() {
    Duration untilKilled = Duration.ofMinutes(1); // Penstock starts meanwhile
    try (ServerProcess busy = ServerProcess.start();
        RespClient runner = RespClient.open(busy.host(), busy.port(), untilKilled)) {
      busy.text("CONFIG", "SET", "busy-reply-threshold", "10");
      Thread script =
          Thread.ofVirtual()
              .start(() ->
                  assertThatThrownBy(() -> runner.value("EVAL", "while true do end", "0"))
                      .hasMessageContaining("Script killed"));
      awaitError(busy, "BUSY");
      try (ProxyFixture proxy = ProxyFixture.of(busy).startReady()) {
        assertThat(proxy.proxy().upstreamStatus().isComplete()).isTrue();
      } finally {
        assertThat(busy.text("SCRIPT", "KILL")).isEqualTo("OK");
      }
      Awaitility.await().until(() -> !script.isAlive());
    }
  }

  @Test
  void aServerWhoseUserMayNotPingCountsAsCovered() {
    try (ServerProcess strict = ServerProcess.start()) {
      strict.text("ACL", "SETUSER", "default", "-ping");
      try (ProxyFixture proxy = ProxyFixture.of(strict).startReady();
          RespClient wire = proxy.connect()) {
        assertThat(wire.call("GET", "k")).isEqualTo("$-1\r\n");
      }
    }
  }

  private static void awaitError(ServerProcess server, String word) {
    Awaitility.await()
        .untilAsserted(
            () -> assertThatThrownBy(() -> server.text("PING")).hasMessageContaining(word));
  }

  @Test
  void theDatabaseOfTheUrlIsUsed() {
    var upstream = new SingleUpstreamSettings(new Endpoint(server.host(), server.port()), null, 7);
    try (ProxyFixture proxy = ProxyFixture.of(upstream).startReady();
        RespClient direct = server.connect()) {
      for (String protocol : new String[] {"2", "3"}) {
        try (RespClient wire = proxy.connect()) {
          assertThat(wire.call("HELLO", protocol)).doesNotStartWith("-");
          assertThat(wire.call("SET", "k", protocol)).isEqualTo("+OK\r\n");
          assertThat(wire.call("SELECT", "7")).isEqualTo("+OK\r\n");
          assertThat(wire.call("CLIENT", "INFO")).contains(" db=7 ");
        }
        assertThat(direct.text("SELECT", "7")).isEqualTo("OK");
        assertThat(direct.text("GET", "k")).isEqualTo(protocol);
        assertThat(direct.text("SELECT", "0")).isEqualTo("OK");
        assertThat(direct.text("GET", "k")).isEmpty();
      }
    }
  }

  @Test
  void theProxyIsNotReadyWhileTheDatabaseOfTheUrlCannotBeUsed() {
    var node = new Endpoint(server.host(), server.port());
    try (ProxyFixture lost =
            ProxyFixture.of(new SingleUpstreamSettings(node, null, 99))
                .commandTimeout(Duration.ofMillis(300))
                .failoverHold(Duration.ZERO)
                .start();
        ProxyFixture found =
            ProxyFixture.of(new SingleUpstreamSettings(node, null, 1)).startReady();
        RespClient toLost = lost.connect();
        RespClient toFound = found.connect()) {
      assertThat(toFound.call("GET", "k")).isEqualTo("$-1\r\n");
      for (int i = 0; i < 3; i++) { // through several health checks
        assertThat(toLost.call("GET", "k")).startsWith("-UNAVAILABLE ");
        assertThat(lost.proxy().isReady()).isFalse();
      }
    }
  }

  @Test
  void servesAgainWhenTheServerReturns() {
    try (ServerProcess mortal = ServerProcess.start();
        ProxyFixture proxy =
            ProxyFixture.of(mortal)
                .commandTimeout(Duration.ofMillis(500))
                .failoverHold(Duration.ZERO)
                .startReady();
        RespClient wire = proxy.connect()) {
      assertThat(wire.call("SET", "k", "v")).isEqualTo("+OK\r\n");
      mortal.kill();
      assertThat(wire.call("SET", "k", "v")).matches("-(CONNLOST|UNAVAILABLE) [^\r]*\r\n");
      assertThat(wire.call("GET", "k")).matches("-UNAVAILABLE [^\r]*\r\n");
      mortal.restart();
      Awaitility.await("served again")
          .atMost(Duration.ofSeconds(10))
          .until(() -> wire.call("SET", "k", "w").equals("+OK\r\n"));
      assertThat(wire.call("GET", "k")).isEqualTo(Wire.bulk("w"));
    }
  }

  @Test
  void waitsForAServerThatIsDown() {
    try (ServerProcess late = ServerProcess.start()) {
      late.kill();
      try (ProxyFixture proxy =
              ProxyFixture.of(late)
                  .commandTimeout(Duration.ofMillis(300))
                  .failoverHold(Duration.ZERO)
                  .start();
          RespClient wire = proxy.connect()) {
        assertThat(wire.call("GET", "k")).startsWith("-UNAVAILABLE ");
        late.restart();
        Awaitility.await("served")
            .atMost(Duration.ofSeconds(10))
            .until(() -> wire.call("GET", "k").equals("$-1\r\n"));
      }
    }
  }
}
