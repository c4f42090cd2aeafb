package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** INFO and commands that concern all clients, with two event loops and real masters. */
@ExtendWith(SharedCluster.class)
class InfoIT {

  private static Map<String, String> info(RespClient wire, String... sections) {
    String[] call = new String[sections.length + 1];
    call[0] = "INFO";
    System.arraycopy(sections, 0, call, 1, sections.length);
    Map<String, String> fields = new TreeMap<>();
    for (String line : Wire.content(wire.call(call)).split("\r\n", -1)) {
      int colon = line.indexOf(':');
      if (colon > 0) {
        fields.put(line.substring(0, colon), line.substring(colon + 1));
      }
    }
    return fields;
  }

  @Test
  void keyspaceIsTheSumOfAllMasters(EmbeddedCluster cluster) {
    try (ProxyFixture proxy = ProxyFixture.of(cluster).startReady();
        RespClient wire = proxy.connect()) {
      long before = keys(info(wire, "keyspace"));
      for (int i = 0; i < 60; i++) {
        wire.call("SET", "info:" + i, "x", "EX", "1000");
      }
      Map<String, String> after = info(wire, "keyspace");

      assertThat(keys(after) - before).isEqualTo(60);
      assertThat(after.get("db0")).matches("keys=\\d+,expires=\\d+,avg_ttl=\\d+.*");
    }
  }

  private static long number(Map<String, String> info, String field) {
    return Long.parseLong(info.getOrDefault(field, "-1"));
  }

  private static long keys(Map<String, String> info) {
    String database = info.getOrDefault("db0", "keys=0,");
    return Long.parseLong(database.substring("keys=".length(), database.indexOf(',')));
  }

  @Test
  void infoCoversAllEventLoops(EmbeddedCluster cluster) {
    try (ProxyFixture proxy = ProxyFixture.of(cluster).startReady();
        RespClient one = proxy.connect();
        RespClient two = proxy.connect();
        RespClient three = proxy.connect()) {
      for (RespClient wire : List.of(one, two, three)) {
        wire.call("GET", "info:none");
        wire.call("FOO");
      }
      Map<String, String> info = info(one, "everything");

      assertThat(info)
          .containsEntry("connected_clients", "3")
          .containsEntry("total_connections_received", "3")
          .containsEntry("tcp_port", Integer.toString(proxy.port()))
          .containsEntry("masters", "3")
          .containsEntry("slots_covered", "16384")
          .containsEntry("info_masters_answered", "3")
          .containsEntry("loading", "0")
          .containsEntry("role", "master")
          .containsEntry("errorstat_ERR", "count=3");
      assertThat(info.get("cmdstat_get")).startsWith("calls=3,");
      assertThat(number(info, "total_net_input_bytes")).isPositive();
      assertThat(number(info, "total_net_output_bytes")).isPositive();
      assertThat(number(info, "used_memory")).isPositive();
      assertThat(number(info, "topology_age_seconds")).isBetween(0L, 60L);
      assertThat(info.get("run_id")).matches("[0-9a-f]{40}");
      assertThat(info.get("penstock_version")).matches("\\d+\\.\\d+.*");
    }
  }

  @Test
  void configResetStatResetsPenstockAndAllMasters(EmbeddedCluster cluster) {
    try (ProxyFixture proxy = ProxyFixture.of(cluster).startReady();
        RespClient one = proxy.connect();
        RespClient two = proxy.connect()) {
      for (RespClient wire : List.of(one, two)) {
        wire.call("GET", "info:none");
        wire.call("FOO");
      }
      assertThat(number(info(one, "stats"), "total_connections_received")).isEqualTo(2);

      assertThat(one.call("CONFIG", "RESETSTAT")).isEqualTo("+OK\r\n");

      Map<String, String> info = info(two, "everything");
      assertThat(info)
          .containsEntry("connected_clients", "2")
          .containsEntry("total_connections_received", "0")
          .containsEntry("total_error_replies", "0")
          .containsEntry("keyspace_misses", "0")
          .doesNotContainKeys("cmdstat_get", "errorstat_ERR", "latency_percentiles_usec_get");
      assertThat(info.get("cmdstat_config|resetstat")).startsWith("calls=1,");
      one.call("GET", "info:none");
      assertThat(info(two, "commandstats").get("cmdstat_get")).startsWith("calls=1,");
    }
  }

  @Test
  void clientListHasTheFileDescriptorIfTheTransportKnowsIt(EmbeddedCluster cluster) {
    try (ProxyFixture proxy = ProxyFixture.of(cluster).startReady();
        RespClient wire = proxy.connect()) {
      String transport = info(wire, "penstock").getOrDefault("transport", "");
      String client = Wire.content(wire.call("CLIENT", "INFO"));

      if (transport.equals("nio")) {
        assertThat(client).doesNotContain(" fd=");
      } else {
        assertThat(client).containsPattern(" fd=[1-9]\\d* name=");
      }
    }
  }

  @Test
  void keyspaceOfASingleServerHasAllItsDatabases() {
    try (ServerProcess server = ServerProcess.start();
        ProxyFixture proxy = ProxyFixture.of(server).startReady();
        RespClient wire = proxy.connect();
        RespClient direct = RespClient.open(server.host(), server.port())) {
      wire.call("SET", "a", "1");
      direct.call("SELECT", "3");
      direct.call("SET", "b", "1");

      assertThat(info(wire, "keyspace")).containsOnlyKeys("db0", "db3");
      assertThat(info(wire)).containsEntry("masters", "1").containsEntry("cluster_enabled", "0");
    }
  }

  @Test
  void clientPauseWriteLetsTheSameCommandsThroughAsAServer(EmbeddedCluster cluster) {
    String library =
        "#!lua name=paused\n"
            + "redis.register_function('writes', function() return 1 end)\n"
            + "redis.register_function{function_name='reads', flags={'no-writes'},"
            + " callback=function() return 2 end}";
    String reads = "#!lua flags=no-writes\nreturn 3";
    try (ProxyFixture proxy = ProxyFixture.of(cluster).startReady();
        RespClient operator = proxy.connect();
        RespClient client = proxy.connect();
        RespClient writer = proxy.connect()) {
      assertThat(operator.call("FUNCTION", "LOAD", "REPLACE", library))
          .isEqualTo(Wire.bulk("paused"));
      assertThat(operator.call("CLIENT", "PAUSE", "60000", "WRITE")).isEqualTo("+OK\r\n");

      assertThat(client.call("FCALL", "READS", "1", "pause:1")).isEqualTo(":2\r\n");
      assertThat(client.call("EVAL", reads, "1", "pause:2")).isEqualTo(":3\r\n");
      assertThat(client.call("MULTI")).isEqualTo("+OK\r\n");
      assertThat(client.call("GET", "pause:2")).isEqualTo("+QUEUED\r\n");
      assertThat(client.call("EXEC")).isEqualTo("*1\r\n$-1\r\n");
      writer.send("FCALL", "writes", "1", "pause:1");
      Awaitility.await().until(() -> "1".equals(info(operator, "clients").get("blocked_clients")));
      assertThat(operator.call("CLIENT", "UNPAUSE")).isEqualTo("+OK\r\n");

      assertThat(writer.read()).isEqualTo(":1\r\n");
      operator.call("FUNCTION", "DELETE", "paused");
    }
  }

  @Test
  void clientPauseCoversTheClientsOfAllLoops(EmbeddedCluster cluster) {
    try (ProxyFixture proxy = ProxyFixture.of(cluster).startReady();
        RespClient operator = proxy.connect();
        RespClient one = proxy.connect();
        RespClient two = proxy.connect()) {
      assertThat(operator.call("CLIENT", "PAUSE", "60000", "WRITE")).isEqualTo("+OK\r\n");
      one.send("SET", "pause:1", "x");
      two.send("SET", "pause:2", "x");
      Awaitility.await().until(() -> "2".equals(info(operator, "clients").get("blocked_clients")));
      assertThat(operator.call("GET", "pause:1")).isEqualTo("$-1\r\n");
      assertThat(operator.call("CLIENT", "UNPAUSE")).isEqualTo("+OK\r\n");

      assertThat(one.read()).isEqualTo("+OK\r\n");
      assertThat(two.read()).isEqualTo("+OK\r\n");
      operator.call("DEL", "pause:1", "pause:2");
    }
  }

  @Test
  void clientKillReachesClientsOnAllLoops(EmbeddedCluster cluster) {
    try (ProxyFixture proxy = ProxyFixture.of(cluster).startReady();
        RespClient killer = proxy.connect();
        RespClient one = proxy.connect();
        RespClient two = proxy.connect()) {
      assertThat(one.call("PING")).isEqualTo("+PONG\r\n");
      assertThat(two.call("PING")).isEqualTo("+PONG\r\n");
      assertThat(Wire.content(killer.call("CLIENT", "LIST")).lines()).hasSize(3);

      assertThat(killer.call("CLIENT", "KILL", "TYPE", "normal")).isEqualTo(":2\r\n");

      assertThat(one.isClosedByPeer()).isTrue();
      assertThat(two.isClosedByPeer()).isTrue();
      assertThat(Wire.content(killer.call("CLIENT", "LIST")).lines()).hasSize(1);
    }
  }
}
