package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.command.CommandRules;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Denied commands, and where they are sent if they are allowed. */
class CommandRulesIT {

  @SuppressWarnings("NullAway.Init")
  private static EmbeddedCluster cluster;

  @BeforeAll
  static void startCluster() {
    cluster = EmbeddedCluster.builder().masters(3).option("enable-debug-command", "yes").start();
  }

  @AfterAll
  static void stopCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void administrativeCommandsAreDeniedAndAbortATransaction() {
    try (ProxyFixture proxy = ProxyFixture.of(cluster).startReady();
        RespClient wire = proxy.connect()) {
      String denied =
          "-ERR CONFIG SET is not allowed through this proxy: it administers servers; add"
              + " config|set to penstock.commands.allow to allow it\r\n";
      assertThat(wire.call("config", "set", "maxmemory-samples", "7")).isEqualTo(denied);
      assertThat(wire.call("CONFIG", "SET"))
          .isEqualTo("-ERR wrong number of arguments for 'config|set' command\r\n");
      assertThat(wire.call("MULTI")).isEqualTo("+OK\r\n");
      assertThat(wire.call("CONFIG", "SET", "maxmemory-samples", "7")).isEqualTo(denied);
      assertThat(wire.call("EXEC")).startsWith("-EXECABORT ");
      assertThat(wire.call("MONITOR")).startsWith("-ERR MONITOR is not allowed");
      assertThat(wire.call("ACL", "WHOAMI")).isEqualTo(Wire.bulk("default"));
      Member any = cluster.masters().getFirst();
      try (RespClient direct = RespClient.open(any.host(), any.port())) {
        assertThat(wire.call("MODULE", "LIST")).isEqualTo(direct.call("MODULE", "LIST"));
      }
    }
  }

  @Test
  void allowedCommandsAreRouted() {
    CommandRules rules = CommandRules.of(List.of("@dangerous"), List.of("KEYS"));
    try (ServerProcess elsewhere = ServerProcess.start();
        ProxyFixture proxy = ProxyFixture.of(cluster).commands(rules).startReady();
        RespClient wire = proxy.connect()) {
      assertThat(wire.call("CONFIG", "SET", "maxmemory-samples", "7")).isEqualTo("+OK\r\n");
      assertThat(wire.call("CONFIG", "SET", "maxmemory", "1gb")).isEqualTo("+OK\r\n");
      assertThat(wire.call("CONFIG", "GET", "maxmemory")).endsWith(Wire.bulk("1073741824"));
      assertThat(wire.call("CONFIG", "SET", "maxmemory", "0", "maxclients", "5"))
          .startsWith("-ERR CONFIG SET failed (possibly related to argument 'maxclients') - ");
      assertThat(wire.call("CONFIG", "GET", "maxmemory")).endsWith(Wire.bulk("1073741824"));
      assertThat(wire.call("CONFIG", "SET", "maxmemory", "0")).isEqualTo("+OK\r\n");
      assertThat(wire.call("ACL", "SETUSER", "app", "on", ">pw")).isEqualTo("+OK\r\n");
      for (Member master : cluster.masters()) {
        try (RespClient direct = RespClient.open(master.host(), master.port())) {
          assertThat(direct.call("CONFIG", "GET", "maxmemory-samples")).contains(Wire.bulk("7"));
          assertThat(direct.call("ACL", "USERS")).contains(Wire.bulk("app"));
        }
      }
      assertThat(wire.call("ACL", "DELUSER", "app")).isEqualTo(":1\r\n");
      assertThat(wire.call("ACL", "DELUSER", "app")).isEqualTo(":0\r\n");
      assertThat(wire.call("SWAPDB", "0", "1"))
          .isEqualTo("-ERR SWAPDB is not allowed in cluster mode\r\n");
      for (String tag : Keys.tagsOfMasters(cluster)) {
        assertThat(wire.call("SET", tag, "v")).isEqualTo("+OK\r\n");
        assertThat(wire.call("DEBUG", "OBJECT", tag)).startsWith("+Value at:");
        String port = String.valueOf(elsewhere.port());
        assertThat(wire.call("MIGRATE", elsewhere.host(), port, tag, "0", "5000"))
            .isEqualTo("+OK\r\n");
        assertThat(elsewhere.text("GET", tag)).isEqualTo("v");
      }
      assertThat(wire.call("KEYS", "*"))
          .isEqualTo(
              "-ERR KEYS is not allowed through this proxy: denied by penstock.commands.deny\r\n");
      assertThat(wire.call("SHUTDOWN")).startsWith("-ERR SHUTDOWN is not allowed");
      assertThat(proxy.stats().redirects().values()).containsOnly(0L);
    }
  }
}
