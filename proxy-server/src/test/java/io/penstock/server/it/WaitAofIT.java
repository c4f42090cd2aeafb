package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.FrozenNode;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** WAITAOF over three shards with a replica each, all of them with an append-only file. */
class WaitAofIT {

  private static final String KEY = Keys.tag(137) + "waited";
  private static final String BOTH = "*2\r\n:1\r\n:1\r\n";

  @SuppressWarnings("NullAway.Init")
  private static EmbeddedCluster cluster;

  @SuppressWarnings("NullAway.Init")
  private ProxyFixture proxy;

  @SuppressWarnings("NullAway.Init")
  private RespClient wire;

  @BeforeAll
  static void startCluster() {
    ReferenceServer.assumeAtLeast(7, 2, "WAITAOF");
    cluster = SharedCluster.builder().option("appendonly", "yes").start();
  }

  @AfterAll
  static void stopCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @BeforeEach
  void start() {
    proxy = ProxyFixture.of(cluster).startReady();
    wire = proxy.connect();
  }

  @AfterEach
  void stop() {
    wire.close();
    proxy.close();
  }

  private static Member master() {
    return cluster.masterOf(137);
  }

  /** Returns a line of INFO persistence. */
  private static String persistence(RespClient node, String field) {
    return node.text("INFO", "persistence")
        .lines()
        .filter(line -> line.startsWith(field + ":"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void waitsForTheDisksOfAllShards() {
    for (int i = 0; i < 3; i++) {
      assertThat(wire.call("SET", KEY, "v" + i)).isEqualTo("+OK\r\n");
      assertThat(wire.call("WAITAOF", "1", "1", "20000")).isEqualTo(BOTH);
    }
    assertThat(wire.call("WAITAOF", "0", "0", "0")).startsWith("*2\r\n:");
  }

  /** A server that never calls fsync by itself has no later write on disk. */
  @Test
  void aMasterThatHasNotSyncedDoesNotCount() {
    assertThat(wire.call("WAITAOF", "1", "1", "20000")).isEqualTo(BOTH);
    try (RespClient direct = master().server().connect()) {
      direct.text("CONFIG", "SET", "appendfsync", "no");
      try {
        assertThat(wire.call("SET", KEY, "v")).isEqualTo("+OK\r\n");
        assertThat(wire.call("WAITAOF", "1", "0", "300")).startsWith("*2\r\n:0\r\n:");
      } finally {
        direct.text("CONFIG", "SET", "appendfsync", "everysec");
      }
      assertThat(wire.call("WAITAOF", "1", "1", "20000")).isEqualTo(BOTH);
      assertThat(persistence(direct, "aof_pending_bio_fsync")).endsWith(":0");
    }
  }

  @Test
  void aFrozenReplicaOfAnyShardDoesNotCount() {
    Member replica = cluster.replicasOf(master()).getFirst();
    FrozenNode.freeze(replica);
    try {
      assertThat(wire.call("SET", KEY, "v")).isEqualTo("+OK\r\n");
      assertThat(wire.call("WAITAOF", "0", "1", "300")).endsWith(":0\r\n");
    } finally {
      replica.server().resume();
    }
    assertThat(wire.call("WAITAOF", "1", "1", "20000")).isEqualTo(BOTH);
  }

  @Test
  void aMasterWithoutAnAppendOnlyFileAnswersWithItsError() {
    try (RespClient direct = master().server().connect()) {
      direct.text("CONFIG", "SET", "appendonly", "no");
      try {
        assertThat(wire.call("WAITAOF", "1", "0", "1000"))
            .isEqualTo(
                "-ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled.\r\n");
      } finally {
        direct.text("CONFIG", "SET", "appendonly", "yes");
      }
      Awaitility.await().until(() -> persistence(direct, "aof_rewrite_in_progress").endsWith(":0"));
    }
    assertThat(wire.call("WAITAOF", "1", "1", "20000")).isEqualTo(BOTH);
  }

  @Test
  void argumentErrorsAreThoseOfAServer() {
    List<List<String>> calls =
        List.of(
            List.of("x", "0", "0"),
            List.of("", "0", "0"),
            List.of("2", "x", "x"),
            List.of("-1", "0", "0"),
            List.of("99999999999999999999", "0", "0"),
            List.of("1", "x", "0"),
            List.of("1", "-1", "0"),
            List.of("1", "99999999999999999999", "0"),
            List.of("1", "0", "x"),
            List.of("1", "0", ""),
            List.of("1", "0", "1.5"),
            List.of("1", "0", "-1"),
            List.of("1", "0", "9223372036854775807"),
            List.of("1", "0", "99999999999999999999"),
            List.of("1", "0"),
            List.of("1", "0", "1", "2"));
    try (RespClient direct = RespClient.open(master().host(), master().port())) {
      for (List<String> call : calls) {
        String[] words = new String[call.size() + 1];
        words[0] = "WAITAOF";
        for (int i = 0; i < call.size(); i++) {
          words[i + 1] = call.get(i);
        }
        assertThat(wire.call(words)).as(call.toString()).isEqualTo(direct.call(words));
      }
    }
  }

  @Test
  void inATransactionItDoesNotWait() {
    assertThat(wire.call("MULTI")).isEqualTo("+OK\r\n");
    assertThat(wire.call("SET", KEY, "v")).isEqualTo("+QUEUED\r\n");
    assertThat(wire.call("WAITAOF", "1", "5", "0")).isEqualTo("+QUEUED\r\n");
    assertThat(wire.call("EXEC")).startsWith("*2\r\n+OK\r\n*2\r\n:");
  }

  @Test
  void waitAofChangesNothingAndCanBeUnblocked() throws Exception {
    assertThat(
            wire.call(
                "FUNCTION",
                "LOAD",
                "#!lua name=kept\nredis.register_function('f', function() return 1 end)"))
        .isEqualTo(Wire.bulk("kept"));
    String functions = wire.call("FUNCTION", "LIST", "WITHCODE");
    assertThat(wire.call("DEL", KEY)).startsWith(":");
    String id = wire.call("CLIENT", "ID");
    String keys = wire.call("DBSIZE");
    wire.write(Wire.request("WAITAOF", "0", "7", "0")).flush();
    try (RespClient other = proxy.connect()) {
      Awaitility.await()
          .until(() -> other.call("CLIENT", "UNBLOCK", id.substring(1).strip()).equals(":1\r\n"));
      assertThat(wire.read()).startsWith("*2\r\n:");
      assertThat(other.call("DBSIZE")).isEqualTo(keys);
      assertThat(other.call("FUNCTION", "LIST", "WITHCODE")).isEqualTo(functions);
      assertThat(other.call("FUNCTION", "FLUSH")).isEqualTo("+OK\r\n");
    }
  }

  @Test
  void worksOnASingleServer() {
    try (ServerProcess server = ServerProcess.builder().option("appendonly", "yes").start();
        ProxyFixture single = ProxyFixture.of(server).startReady();
        RespClient client = single.connect()) {
      assertThat(client.call("SET", "k", "v")).isEqualTo("+OK\r\n");
      assertThat(client.call("WAITAOF", "1", "0", "20000")).isEqualTo("*2\r\n:1\r\n:0\r\n");
      assertThat(client.call("WAITAOF", "0", "1", "50")).endsWith(":0\r\n");
    }
  }
}
