package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Three servers that share the keys by twemproxy's ketama. */
class ShardsIT {

  private static final String OK = "+OK\r\n";
  private static final int KEYS = 300;

  @SuppressWarnings("NullAway.Init")
  private static ShardedServers servers;

  @SuppressWarnings("NullAway.Init")
  private static ProxyFixture proxy;

  @BeforeAll
  static void start() {
    servers = ShardedServers.start();
    proxy = ProxyFixture.of(servers.upstream(null)).startReady();
  }

  @AfterAll
  static void stop() {
    proxy.close();
    servers.close();
  }

  @BeforeEach
  void clear() {
    servers.clear();
  }

  /**
   * Writes keys, some to each shard, and returns them. They differ at the beginning: with fnv1a_64
   * as twemproxy has it, keys that differ only at their end are near each other in the ring.
   */
  private static Set<String> write(RespClient wire) {
    Set<String> keys = new TreeSet<>();
    for (int i = 0; i < KEYS; i++) {
      keys.add(i + ":key");
      assertThat(wire.call("SET", i + ":key", "v" + i)).isEqualTo(OK);
    }
    return keys;
  }

  @Test
  void eachKeyIsOnTheServerThatTheLayoutNames() {
    try (RespClient wire = proxy.connect()) {
      write(wire);
      for (int i = 0; i < KEYS; i++) {
        assertThat(servers.ownerOf(i + ":key").text("GET", i + ":key")).isEqualTo("v" + i);
        assertThat(wire.call("GET", i + ":key")).isEqualTo(Wire.bulk("v" + i));
      }
    }
    assertThat(servers.servers())
        .allSatisfy(each -> assertThat(each.text("DBSIZE")).isNotEqualTo("0"));
  }

  @Nested
  class Commands {

    private final String a = servers.keyOf(0, "a");
    private final String b = servers.keyOf(1, "b");
    private final String c = servers.keyOf(2, "c");

    @Test
    void severalKeysAreDividedAndTheRepliesMerged() {
      try (RespClient wire = proxy.connect()) {
        assertThat(wire.call("MSET", a, "1", b, "2", c, "3")).isEqualTo(OK);
        assertThat(wire.call("MGET", c, "none", a, b))
            .isEqualTo("*4\r\n" + Wire.bulk("3") + "$-1\r\n" + Wire.bulk("1") + Wire.bulk("2"));
        assertThat(wire.call("EXISTS", a, b, c, "none")).isEqualTo(":3\r\n");
        assertThat(wire.call("TOUCH", a, b, c)).isEqualTo(":3\r\n");
        assertThat(wire.call("UNLINK", a, b)).isEqualTo(":2\r\n");
        assertThat(wire.call("DEL", a, b, c)).isEqualTo(":1\r\n");
      }
    }

    @Test
    void whatCannotBeDividedIsRejectedInTheWordsOfACluster() {
      try (RespClient wire = proxy.connect()) {
        String error = "-CROSSSLOT Keys in request don't hash to the same slot\r\n";
        assertThat(wire.call("RENAME", a, b)).isEqualTo(error);
        assertThat(wire.call("MSETNX", a, "1", b, "2")).isEqualTo(error);
        assertThat(wire.call("EVAL", "return 1", "2", a, c)).isEqualTo(error);
        assertThat(wire.call("BLPOP", a, b, "1")).isEqualTo(error);
      }
    }

    @Test
    void aTransactionHasOneShard() {
      try (RespClient wire = proxy.connect()) {
        wire.call("MULTI");
        assertThat(wire.call("SET", a, "1")).isEqualTo("+QUEUED\r\n");
        assertThat(wire.call("SET", b, "1")).startsWith("-CROSSSLOT ");
        assertThat(wire.call("EXEC")).startsWith("-EXECABORT ");
        wire.call("WATCH", a);
        wire.call("MULTI");
        wire.call("INCR", a);
        assertThat(wire.call("EXEC")).isEqualTo("*1\r\n:1\r\n");
        assertThat(wire.call("EVAL", "return redis.call('GET', KEYS[1])", "1", a))
            .isEqualTo(Wire.bulk("1"));
        wire.call("RPUSH", b, "x");
        assertThat(wire.call("BLPOP", b, "1")).isEqualTo("*2\r\n" + Wire.bulk(b) + Wire.bulk("x"));
      }
    }

    @Test
    void aTransactionRunsOnSeveralShardsIfTheyAreToSeemOne() {
      try (ProxyFixture emulating =
              ProxyFixture.of(servers.upstream(null)).emulatesCrossSlot().startReady();
          RespClient wire = emulating.connect()) {
        assertThat(wire.call("WATCH", a, b)).isEqualTo(OK);
        wire.call("MULTI");
        wire.call("SET", a, "1");
        wire.call("MSET", b, "2", c, "3");
        wire.call("SELECT", "1");
        wire.call("MGET", a, b, c);
        wire.call("SET", c, "other");
        assertThat(wire.call("EXEC"))
            .isEqualTo("*5\r\n" + OK.repeat(3) + "*3\r\n" + "$-1\r\n".repeat(3) + OK);
        assertThat(wire.call("GET", c)).isEqualTo(Wire.bulk("other"));
        wire.call("SELECT", "0");
        assertThat(wire.call("MGET", a, b, c))
            .isEqualTo("*3\r\n" + Wire.bulk("1") + Wire.bulk("2") + Wire.bulk("3"));
        assertThat(wire.call("MSETNX", a, "x", b + "2", "x")).isEqualTo(":0\r\n");
        assertThat(wire.call("MSETNX", a + "2", "x", b + "2", "x")).isEqualTo(":1\r\n");
      }
    }

    @Test
    void theWholeKeyspaceIsThatOfAllShards() {
      try (RespClient wire = proxy.connect()) {
        Set<String> keys = write(wire);
        assertThat(wire.call("DBSIZE")).isEqualTo(":" + KEYS + "\r\n");
        assertThat(Keys.scan(wire)).isEqualTo(keys);
        assertThat(wire.call("KEYS", "*:key")).startsWith("*" + KEYS + "\r\n");
        assertThat(keys).contains(wire.text("RANDOMKEY"));
        assertThat(wire.call("FLUSHALL")).isEqualTo(OK);
      }
      assertThat(servers.servers())
          .allSatisfy(each -> assertThat(each.text("DBSIZE")).isEqualTo("0"));
    }

    @Test
    void sortUsesOtherKeysOnlyIfTheyAreOnTheSameShard() {
      try (RespClient wire = proxy.connect()) {
        wire.call("RPUSH", "{l}", "1", "2");
        wire.call("MSET", "{l}w1", "9", "{l}w2", "8");
        assertThat(wire.call("SORT", "{l}", "BY", "{l}w*", "GET", "#"))
            .isEqualTo("*2\r\n" + Wire.bulk("2") + Wire.bulk("1"));
        String denied =
            " option of SORT denied in cluster mode when keys formed by the pattern may be in"
                + " different slots.\r\n";
        assertThat(wire.call("SORT", "{l}", "BY", "w*")).isEqualTo("-ERR BY" + denied);
        assertThat(wire.call("SORT", "{l}", "GET", "o*")).isEqualTo("-ERR GET" + denied);
      }
    }

    @Test
    void aScriptThatIsLoadedIsKnownToEachShard() {
      try (RespClient wire = proxy.connect()) {
        String sha = wire.text("SCRIPT", "LOAD", "return KEYS[1]");
        for (String key : List.of(a, b, c)) {
          assertThat(wire.call("EVALSHA", sha, "1", key)).isEqualTo(Wire.bulk(key));
        }
      }
    }

    @Test
    void selectConcernsAllShards() {
      try (RespClient wire = proxy.connect();
          RespClient other = proxy.connect()) {
        assertThat(wire.call("SELECT", "3")).isEqualTo(OK);
        assertThat(wire.call("MSET", a, "1", b, "2", c, "3")).isEqualTo(OK);
        assertThat(other.call("EXISTS", a, b, c)).isEqualTo(":0\r\n");
        assertThat(wire.call("SELECT", "99")).isEqualTo("-ERR DB index is out of range\r\n");
        assertThat(wire.call("EXISTS", a, b, c)).isEqualTo(":3\r\n");
      }
    }
  }

  @Nested
  class Messages {

    @Test
    void eachMessageArrivesOnceWhereverItIsPublished() {
      try (Subscriber channel = Subscriber.open(proxy, 2).to("SUBSCRIBE", "news", 1);
          Subscriber pattern = Subscriber.open(proxy, 3).to("PSUBSCRIBE", "ne*", 1);
          RespClient wire = proxy.connect()) {
        assertThat(wire.call("PUBLISH", "news", "first")).isEqualTo(":2\r\n");
        channel.expect("message", "news", "first");
        pattern.expect("pmessage", "ne*", "news", "first");
        for (int i = 0; i < 3; i++) {
          String script = "return redis.call('PUBLISH', 'news', 'script" + i + "')";
          wire.call("EVAL", script, "1", servers.keyOf(i, "k"));
          channel.expect("message", "news", "script" + i);
          pattern.expect("pmessage", "ne*", "news", "script" + i);
          servers.server(i).text("PUBLISH", "news", "direct" + i);
          channel.expect("message", "news", "direct" + i);
          pattern.expect("pmessage", "ne*", "news", "direct" + i);
        }
        assertThat(wire.call("PUBSUB", "NUMSUB", "news"))
            .isEqualTo("*2\r\n" + Wire.bulk("news") + ":1\r\n");
        assertThat(wire.call("PUBSUB", "NUMPAT")).isEqualTo(":1\r\n");
        channel.expectNothing();
        pattern.expectNothing();
      }
    }

    @Test
    void aShardChannelBelongsToTheShardOfItsName() {
      try (Subscriber channel = Subscriber.open(proxy, 2).to("SSUBSCRIBE", "orders", 1);
          RespClient wire = proxy.connect()) {
        assertThat(wire.call("SPUBLISH", "orders", "one")).isEqualTo(":1\r\n");
        channel.expect("smessage", "orders", "one");
        assertThat(servers.ownerOf("orders").text("PUBSUB", "SHARDNUMSUB", "orders")).contains("1");
      }
    }

    @Test
    void keyspaceNotificationsComeFromAllShards() {
      try (Subscriber events = Subscriber.open(proxy, 2).to("PSUBSCRIBE", "__keyevent@0__:set", 1);
          RespClient wire = proxy.connect()) {
        servers
            .servers()
            .forEach(each -> each.text("CONFIG", "SET", "notify-keyspace-events", "KEA"));
        for (int i = 0; i < 3; i++) {
          String key = servers.keyOf(i, "event");
          wire.call("SET", key, "v");
          events.expect("pmessage", "__keyevent@0__:set", "__keyevent@0__:set", key);
        }
      } finally {
        servers.servers().forEach(each -> each.text("CONFIG", "SET", "notify-keyspace-events", ""));
      }
    }
  }
}
