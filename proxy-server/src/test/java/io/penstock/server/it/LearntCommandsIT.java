package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.command.CommandRules;
import io.penstock.core.topology.SingleUpstreamSettings;
import io.penstock.core.upstream.Credentials;
import io.penstock.core.upstream.Endpoint;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.ServerBinary;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The version of nodes, and commands learnt from them that are not in Penstock's table. */
@ExtendWith(SharedCluster.class)
class LearntCommandsIT {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  @TempDir Path folder = Path.of("");

  @Test
  void infoReportsTheVersionOfTheServers(EmbeddedCluster cluster) {
    try (ProxyFixture proxy = ProxyFixture.of(cluster).startReady()) {
      ServerBinary binary = ServerBinary.find();
      Awaitility.await()
          .atMost(PATIENCE)
          .untilAsserted(
              () -> assertThat(proxy.proxy().servers().ownVersion()).hasToString(binary.version()));
      try (RespClient wire = proxy.connect()) {
        assertThat(wire.call("HELLO"))
            .contains(Wire.bulk("server") + Wire.bulk(binary.valkey() ? "valkey" : "redis"))
            .contains(Wire.bulk("version") + Wire.bulk(binary.version()));
        assertThat(wire.call("INFO", "server").contains("\r\nvalkey_version:" + binary.version()))
            .isEqualTo(binary.valkey());
      }
    }
  }

  @Test
  void moduleCommandsAreRoutedByTheirKeys() {
    Path module = TestModule.compile(folder);
    try (EmbeddedCluster cluster =
            EmbeddedCluster.builder()
                .binary(TestModule.serverFor(module))
                .masters(3)
                .option("loadmodule", module.toString())
                .start();
        ProxyFixture proxy = ProxyFixture.of(cluster).startReady();
        RespClient wire = proxy.connect()) {
      awaitLearnt(proxy, "learnt.put");
      Awaitility.await("the client's loop knows it")
          .atMost(PATIENCE)
          .until(() -> wire.call("learnt.put", "a", "1").equals("+OK\r\n"));
      for (String tag : Keys.tagsOfMasters(cluster)) {
        assertThat(wire.call("Learnt.Put", tag, "v" + tag)).isEqualTo("+OK\r\n");
        assertThat(wire.call("GET", tag)).isEqualTo(Wire.bulk("v" + tag));
        assertThat(wire.call("LEARNT.BOX", "get", tag)).isEqualTo(Wire.bulk("v" + tag));
        assertThat(wire.call("learnt.pairs", tag, "1", tag + "x", "2")).isEqualTo("+PAIRS\r\n");
      }
      assertThat(wire.call("learnt.pairs", Keys.tag(1), "1", Keys.tag(2), "2"))
          .startsWith("-CROSSSLOT ");
      assertThat(wire.call("learnt.hello")).isEqualTo("+HELLO\r\n");
      assertThat(wire.call("learnt.put")).startsWith("-ERR wrong number of arguments");
      assertThat(wire.call("learnt.box", "nosuch", "a"))
          .isEqualTo("-ERR unknown subcommand 'nosuch'. Try LEARNT.BOX HELP.\r\n");
      assertThat(wire.call("learnt.movable", "a"))
          .isEqualTo(
              "-ERR LEARNT.MOVABLE is not supported by this proxy: servers do not report which of"
                  + " its arguments are keys\r\n");
      assertThat(wire.call("learnt.danger"))
          .isEqualTo(
              "-ERR LEARNT.DANGER is not allowed through this proxy: servers flag it as dangerous;"
                  + " add learnt.danger to penstock.commands.allow to allow it\r\n");
      assertThat(proxy.stats().redirects().values()).containsOnly(0L);
      assertThat(proxy.stats().commands()).extracting("name").contains("LEARNT.PUT");
    }
  }

  @Test
  void aCommandAddedAtRuntimeIsLearntAndReported() {
    Path module = TestModule.compile(folder);
    try (ServerProcess server =
            ServerProcess.builder()
                .binary(TestModule.serverFor(module))
                .option("enable-module-command", "yes")
                .start();
        ProxyFixture proxy =
            ProxyFixture.of(server)
                .commands(CommandRules.of(List.of("learnt.danger"), List.of("learnt.hello")))
                .refreshPeriod(Duration.ofMillis(200))
                .startReady();
        RespClient wire = proxy.connect();
        RespClient direct = server.connect()) {
      assertThat(wire.call("learnt.put", "a", "1")).startsWith("-ERR unknown command");
      direct.value("MODULE", "LOAD", module.toString());
      awaitLearnt(proxy, "learnt.put");
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> wire.call("learnt.put", "a", "1").equals("+OK\r\n"));
      assertThat(wire.call("learnt.movable", "a")).isEqualTo("+MOVABLE\r\n");
      assertThat(wire.call("learnt.danger")).isEqualTo("+HELLO\r\n");
      assertThat(wire.call("learnt.hello"))
          .isEqualTo(
              "-ERR LEARNT.HELLO is not allowed through this proxy: denied by"
                  + " penstock.commands.deny\r\n");
      assertThat(wire.call("COMMAND", "COUNT")).isEqualTo(asBytes(server, "COMMAND", "COUNT"));
      assertThat(wire.call("COMMAND", "LIST", "FILTERBY", "PATTERN", "learnt.p*"))
          .contains("learnt.put", "learnt.pairs");
      assertThat(wire.call("COMMAND", "GETKEYS", "learnt.pairs", "a", "1", "b", "2"))
          .isEqualTo("*2\r\n" + Wire.bulk("a") + Wire.bulk("b"));
      assertThat(wire.call("COMMAND", "INFO", "learnt.pairs"))
          .isEqualTo(asBytes(server, "COMMAND", "INFO", "learnt.pairs"));
    }
  }

  private static String asBytes(ServerProcess server, String... command) {
    try (RespClient direct = RespClient.open(server.host(), server.port())) {
      return direct.call(command);
    }
  }

  @Test
  void nodesWhoseUserMayNotRunCommandAreServed() {
    try (ServerProcess server = ServerProcess.start()) {
      server.text("ACL", "SETUSER", "app", "on", ">pw", "~*", "+@all", "-command", "-@dangerous");
      var upstream =
          new SingleUpstreamSettings(
              new Endpoint(server.host(), server.port()), new Credentials("app", "pw"), 0);
      try (ProxyFixture proxy =
              ProxyFixture.of(upstream).refreshPeriod(Duration.ofMillis(100)).startReady();
          RespClient wire = proxy.connect()) {
        assertThat(wire.call("SET", "a", "1")).isEqualTo("+OK\r\n");
        String version = ServerBinary.find().version();
        Awaitility.await()
            .atMost(PATIENCE)
            .untilAsserted(
                () -> assertThat(proxy.proxy().servers().ownVersion()).hasToString(version));
      }
    }
  }

  private static void awaitLearnt(ProxyFixture proxy, String name) {
    Awaitility.await(name + " is learnt")
        .atMost(PATIENCE)
        .until(() -> proxy.proxy().servers().commands().knows(name));
  }
}
