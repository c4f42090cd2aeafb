package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.copies.MirrorSettings;
import io.penstock.core.copies.ReplyPolicy;
import io.penstock.core.observe.MirrorStats;
import io.penstock.testkit.cluster.FrozenNode;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What clients and copies get when copies fail, by policy, in front of real servers. */
class CopyFaultsIT {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final ServerProcess primary = ServerProcess.start();
  private final ServerProcess first = ServerProcess.start();
  private final ServerProcess second = ServerProcess.start();
  private final ChangingProxy proxy = new ChangingProxy();

  CopyFaultsIT() {
    proxy.listener("main", "orders");
    proxy.upstream("orders", primary).commandTimeout = Duration.ofMillis(500);
    proxy.upstream("first", first).commandTimeout = Duration.ofMillis(300);
    proxy.upstream("second", second).commandTimeout = Duration.ofMillis(300);
  }

  private void start(ReplyPolicy reply, int maxRequests) {
    var how = new MirrorSettings(reply, maxRequests, 1 << 26);
    proxy.mirrors = List.of(CopiesFixture.mirror("orders", List.of("first", "second"), how));
    proxy.start();
  }

  @AfterEach
  void close() {
    Stream.of(primary, first, second).forEach(ServerProcess::resume);
    proxy.close();
    Stream.of(primary, first, second).forEach(ServerProcess::close);
  }

  private MirrorStats.Copy stats(int copy) {
    return CopiesFixture.stats(proxy, "orders").copies().get(copy);
  }

  private void awaitEmpty() {
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> {
          assertThat(stats(0).queued()).isZero();
          assertThat(stats(1).queued()).isZero();
        });
  }

  @Test
  void withPrimaryNoCopyHoldsClientsUp() {
    start(ReplyPolicy.PRIMARY, 200);
    try (RespClient client = proxy.connect("main")) {
      client.call("INCR", "n");
      FrozenNode.freeze(first);
      for (int i = 0; i < 1_000; i++) {
        assertThat(client.call("INCR", "n")).isEqualTo(":" + (i + 2) + "\r\n");
      }
      assertThat(stats(0).dropped()).isPositive();
      assertThat(stats(0).queued()).isLessThanOrEqualTo(200);
      assertThat(stats(0).behindSince()).isNotNull();

      first.resume();
      awaitEmpty();
      client.call("SET", "later", "1");
      awaitEmpty();
      assertThat(first.text("GET", "later")).isEqualTo("1");
      assertThat(second.text("GET", "n")).isEqualTo("1001");
      assertThat(stats(1).behindSince()).isNull();
      assertThat(stats(0).behindReason()).isNotBlank();
    }
  }

  @Test
  void aCopyThatWasAwayCatchesUp() {
    start(ReplyPolicy.PRIMARY, 100_000);
    try (RespClient client = proxy.connect("main")) {
      client.call("SET", "base", "1");
      awaitEmpty();
      FrozenNode.freeze(first);
      for (int i = 0; i < 500; i++) {
        client.call("INCR", "n" + i % 10);
        client.call("RPUSH", "list", Integer.toString(i));
      }
      await().atMost(PATIENCE).until(() -> stats(0).unknown() > 0);
      first.resume();
      awaitEmpty();

      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> {
            assertThat(first.text("GET", "n3")).isEqualTo("50");
            assertThat(list(first)).isEqualTo(list(primary));
          });
      assertThat(stats(0).behindSince()).isNull();
    }
  }

  private static String list(ServerProcess server) {
    try (RespClient client = server.connect()) {
      return client.call("LRANGE", "list", "0", "-1");
    }
  }

  @Test
  void withAllTheClientWaitsForEachCopy() {
    start(ReplyPolicy.ALL, 1_000);
    try (RespClient client = proxy.connect("main")) {
      for (int i = 0; i < 100; i++) {
        client.call("INCR", "n");
        assertThat(first.text("GET", "n")).isEqualTo(Integer.toString(i + 1));
        assertThat(second.text("GET", "n")).isEqualTo(Integer.toString(i + 1));
      }
      FrozenNode.freeze(second);
      assertThat(client.call("INCR", "n")).startsWith("-NOCOPIES ");
      assertThat(primary.text("GET", "n")).isEqualTo("101");
      assertThat(client.text("GET", "n")).isEqualTo("101");
    }
  }

  @Test
  void aQuorumOutlivesOneCopy() {
    start(ReplyPolicy.SAFE_QUORUM, 1_000);
    try (RespClient client = proxy.connect("main")) {
      client.call("SET", "k", "1");
      FrozenNode.freeze(second);
      assertThat(client.call("INCR", "k")).isEqualTo(":2\r\n");
      assertThat(client.text("GET", "k")).isEqualTo("2");
      FrozenNode.freeze(first);
      assertThat(client.call("INCR", "k")).startsWith("-NOCOPIES ");
      assertThat(client.call("GET", "k")).startsWith("-NOCOPIES ");
    }
  }

  @Test
  void withQuorumThePrimarysReplyIsBetterThanNone() {
    start(ReplyPolicy.QUORUM, 1_000);
    try (RespClient client = proxy.connect("main")) {
      client.call("SET", "k", "1");
      awaitEmpty();
      Stream.of(first, second).forEach(each -> each.text("SET", "k", "other"));
      assertThat(client.text("GET", "k")).isEqualTo("1");
      assertThat(stats(0).differing()).containsEntry("GET", 1L);
    }
  }

  /** Two servers may keep the same elements in another order. */
  @Test
  void aQuorumComparesElementsInAnyOrderWhereThereIsNone() {
    start(ReplyPolicy.SAFE_QUORUM, 1_000);
    try (RespClient client = proxy.connect("main")) {
      client.call("SADD", "set", "a", "b", "c");
      client.call("HSET", "hash", "f", "1", "g", "2");
      awaitEmpty();
      for (ServerProcess each : List.of(first, second)) {
        each.text("DEL", "set", "hash");
        List.of("c", "b", "a").forEach(member -> each.text("SADD", "set", member));
        each.text("HSET", "hash", "g", "2", "f", "1");
      }
      for (String version : List.of("2", "3")) {
        client.call("HELLO", version);
        assertThat(client.call("SMEMBERS", "set")).doesNotStartWith("-").contains("a", "b", "c");
        assertThat(client.call("SUNION", "set", "none")).doesNotStartWith("-");
        assertThat(client.call("HGETALL", "hash")).doesNotStartWith("-").contains("f", "g");
        assertThat(client.call("HKEYS", "hash")).doesNotStartWith("-");
      }
      awaitEmpty(); // a quorum does not wait for the slower copy
      assertThat(stats(0).differing()).isEmpty();
      assertThat(stats(1).differing()).isEmpty();
      first.text("SADD", "set", "d");
      second.text("HSET", "hash", "f", "2", "g", "1");
      assertThat(client.call("SMEMBERS", "set")).doesNotStartWith("-");
      assertThat(client.call("HGETALL", "hash")).doesNotStartWith("-");
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> {
            assertThat(stats(0).differing()).containsEntry("SMEMBERS", 1L);
            assertThat(stats(1).differing()).containsEntry("HGETALL", 1L);
          });
    }
  }

  @Test
  void aCopyThatRefusesWritesIsBehindAndSaysWhy() {
    start(ReplyPolicy.PRIMARY, 1_000);
    first.text("CONFIG", "SET", "maxmemory", "1");
    try (RespClient client = proxy.connect("main")) {
      assertThat(client.call("SET", "k", "1")).isEqualTo("+OK\r\n");
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(stats(0).behindReason()).contains("OOM"));
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(second.text("GET", "k")).isEqualTo("1"));
    }
  }

  @Test
  void aTransactionMaySelectDatabases() {
    for (ReplyPolicy policy : List.of(ReplyPolicy.PRIMARY, ReplyPolicy.ALL)) {
      start(policy, 1_000);
      try (RespClient client = proxy.connect("main")) {
        for (boolean watching : List.of(false, true)) {
          Stream.of(primary, first, second).forEach(each -> each.text("FLUSHALL"));
          client.call("SELECT", "3");
          if (watching) {
            client.call("WATCH", "watched");
          }
          client.call("MULTI");
          client.call("SET", "k", "in three");
          client.call("SELECT", "1");
          client.call("RPUSH", "list", "a", "b");
          client.call("INCR", "n");
          client.call("SELECT", "99999");
          client.call("RPUSH", "list", "c");
          client.call("SELECT", "0");
          client.call("SET", "k", "in none");
          assertThat(client.call("EXEC")).startsWith("*8\r\n+OK\r\n+OK\r\n:2\r\n:1\r\n-ERR");
          client.call("MULTI");
          client.call("SELECT", "2");
          client.call("SET", "for", "a while", "EX", "1000");
          client.call("SADD", "set", "1", "2", "3", "4");
          client.call("SPOP", "set", "2");
          client.call("SELECT", "3");
          client.call("SET", "other", "v");
          assertThat(client.call("EXEC")).startsWith("*6\r\n+OK\r\n+OK\r\n:4\r\n");
          assertThat(client.text("GET", "other")).isEqualTo("v");
          assertSame(5);
        }
      }
      proxy.close();
    }
  }

  /** Asserts that all servers have the same in the first databases. */
  private void assertSame(int databases) {
    for (int i = 0; i < databases; i++) {
      String number = Integer.toString(i);
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> {
            String expected = digest(primary, number);
            assertThat(digest(first, number)).as("database %s", number).isEqualTo(expected);
            assertThat(digest(second, number)).as("database %s", number).isEqualTo(expected);
          });
    }
    assertThat(digest(first, "1")).contains("list", "n");
    assertThat(stats(0).behindReason()).isNull();
    assertThat(stats(1).behindReason()).isNull();
  }

  private static String digest(ServerProcess server, String database) {
    try (RespClient client = server.connect()) {
      client.call("SELECT", database);
      List<String> lines = new ArrayList<>();
      for (String key : List.of("k", "list", "n", "for", "set", "other")) {
        if (client.call("EXISTS", key).equals(":1\r\n")) {
          String dump = client.call("DUMP", key);
          lines.add(key + " " + dump + client.call("PEXPIRETIME", key));
        }
      }
      return lines.toString();
    }
  }

  @Test
  void keysOfAnotherDatabaseAreCopiedAgain() {
    start(ReplyPolicy.ALL, 1_000);
    try (RespClient client = proxy.connect("main")) {
      client.call("SELECT", "2");
      assertThat(client.call("EVAL", "return redis.call('incr', KEYS[1])", "1", "n"))
          .isEqualTo(":1\r\n");
      client.call("MULTI");
      client.call("SET", "for", "a while", "EX", "1000");
      assertThat(client.call("EXEC")).isEqualTo("*1\r\n+OK\r\n");
      assertThat(digest(primary, "2")).contains("n ", "for ");
      assertThat(digest(first, "2")).isEqualTo(digest(primary, "2"));
    }
  }

  @Test
  void whatCopiesCannotFollowIsRejected() {
    start(ReplyPolicy.PRIMARY, 1_000);
    try (RespClient client = proxy.connect("main")) {
      assertThat(client.call("EVAL", "return 1", "0")).contains("upstream with copies");
      client.call("MULTI");
      assertThat(client.call("EVAL", "return 1", "0")).contains("upstream with copies");
      assertThat(client.call("EXEC")).startsWith("-EXECABORT");
      client.call("SELECT", "2");
      client.call("SET", "k", "in two");
      awaitEmpty();
      try (RespClient copy = first.connect()) {
        copy.call("SELECT", "2");
        assertThat(copy.text("GET", "k")).isEqualTo("in two");
      }
    }
  }
}
