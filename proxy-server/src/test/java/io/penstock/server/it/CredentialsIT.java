package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.topology.SingleUpstreamSettings;
import io.penstock.core.upstream.Credentials;
import io.penstock.core.upstream.Endpoint;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisPooled;
import redis.clients.jedis.RedisProtocol;

/** Passwords and users, of nodes and of clients. */
@ExtendWith(SharedCluster.class)
@SuppressWarnings("deprecation") // JedisPooled has a successor, but applications use it
class CredentialsIT {

  private static final String PASSWORD = "s3cr3t p@ss,w:rd\"\\";

  @ParameterizedTest
  @CsvSource({",", "alice,"})
  void nodesMayRequireCredentials(@Nullable String user) {
    EmbeddedCluster.Builder builder = EmbeddedCluster.builder().masters(3);
    if (user == null) {
      builder.password(PASSWORD);
    } else {
      builder.user(user, PASSWORD);
    }
    try (EmbeddedCluster cluster = builder.start();
        ProxyFixture proxy = ProxyFixture.of(cluster).startReady()) {
      for (String protocol : List.of("2", "3")) {
        try (RespClient wire = proxy.connect()) {
          assertThat(wire.call("HELLO", protocol)).doesNotStartWith("-");
          for (String tag : Keys.tagsOfMasters(cluster)) {
            assertThat(wire.call("SET", tag, protocol)).isEqualTo("+OK\r\n");
            assertThat(wire.call("GET", tag)).isEqualTo(Wire.bulk(protocol));
          }
        }
      }
      String tag = Keys.tag(99);
      Member from = cluster.masterOf(99);
      Member to = cluster.masters().stream().filter(m -> m != from).findFirst().orElseThrow();
      try (RespClient wire = proxy.connect()) {
        assertThat(wire.call("SET", tag, "moves")).isEqualTo("+OK\r\n");
        cluster.migrateSlot(99, from, to);
        assertThat(wire.call("GET", tag)).isEqualTo(Wire.bulk("moves"));
      }
    }
  }

  @Test
  void aWrongPasswordMakesTheProxyNotReadyAndClientsGetTheError() {
    try (ServerProcess server = ServerProcess.builder().password(PASSWORD).start()) {
      var node = new Endpoint(server.host(), server.port());
      var wrong = new SingleUpstreamSettings(node, new Credentials(null, "wrong"), 0);
      try (ProxyFixture proxy =
              ProxyFixture.of(wrong)
                  .commandTimeout(Duration.ofMillis(300))
                  .failoverHold(Duration.ZERO)
                  .start();
          RespClient wire = proxy.connect()) {
        assertThat(wire.call("GET", "k")).startsWith("-UNAVAILABLE ");
        assertThat(proxy.proxy().isReady()).isFalse();
      }
      var right = new SingleUpstreamSettings(node, new Credentials(null, PASSWORD), 0);
      try (ProxyFixture proxy = ProxyFixture.of(right).startReady();
          RespClient wire = proxy.connect()) {
        assertThat(wire.call("SET", "k", "v")).isEqualTo("+OK\r\n");
      }
    }
  }

  /** Waiting for the end of the failover hold would not help. */
  @Test
  void aPasswordThatANodeBeginsToRequireIsToldAtOnce() {
    try (ServerProcess server = ServerProcess.start();
        ProxyFixture proxy =
            ProxyFixture.of(server).eventLoops(1).failoverHold(Duration.ofHours(1)).startReady();
        RespClient wire = proxy.connect();
        RespClient subscriber = proxy.connect();
        RespClient admin = server.connect()) {
      assertThat(subscriber.call("SUBSCRIBE", "news")).contains("subscribe");
      assertThat(wire.call("SET", "k", "v")).isEqualTo("+OK\r\n");
      assertThat(wire.call("WATCH", "k")).isEqualTo("+OK\r\n");
      assertThat(wire.call("UNWATCH")).isEqualTo("+OK\r\n");
      admin.value("CONFIG", "SET", "requirepass", PASSWORD);
      admin.value("CLIENT", "KILL", "TYPE", "normal");
      admin.value("CLIENT", "KILL", "TYPE", "pubsub");

      for (String[] request :
          List.of(
              new String[] {"GET", "k"},
              new String[] {"WATCH", "k"},
              new String[] {"BLPOP", "q", "0"},
              new String[] {"SET", "k", "w"},
              new String[] {"EVAL", "return 1", "0"},
              new String[] {"SUBSCRIBE", "c"},
              new String[] {"PSUBSCRIBE", "p*", "q*"},
              new String[] {"SSUBSCRIBE", "s"},
              new String[] {"DBSIZE"})) {
        Awaitility.await(request[0])
            .untilAsserted(() ->
                assertThat(wire.call(request)).startsWith("-UNAVAILABLE ").contains("NOAUTH"));
      }

      admin.value("CONFIG", "SET", "requirepass", "");
      Awaitility.await()
          .untilAsserted(() -> assertThat(wire.call("GET", "k")).isEqualTo(Wire.bulk("v")));
      assertThat(wire.call("WATCH", "k")).isEqualTo("+OK\r\n");
      Awaitility.await()
          .until(() -> wire.call("SUBSCRIBE", "c").startsWith("*3\r\n$9\r\nsubscribe\r\n"));
    }
  }

  /**
   * Blocking commands are first tried in a transaction, which this user of the node may not use.
   */
  @ParameterizedTest
  @ValueSource(strings = {"-multi", "-exec", "-@transaction"})
  void blockingWorksForANodeUserWithoutTransactions(String rule) {
    try (ServerProcess server = ServerProcess.start()) {
      server.text("ACL", "SETUSER", "app", "on", ">pw", "~*", "+@all", rule);
      var node = new Endpoint(server.host(), server.port());
      var upstream = new SingleUpstreamSettings(node, new Credentials("app", "pw"), 0);
      try (ProxyFixture proxy = ProxyFixture.of(upstream).eventLoops(1).startReady();
          RespClient wire = proxy.connect();
          RespClient other = proxy.connect()) {
        for (String queue : List.of("first", "second")) {
          wire.send("BLPOP", queue, "0");
          assertThat(other.call("PING")).isEqualTo("+PONG\r\n");
          assertThat(other.call("SET", "k", queue)).isEqualTo("+OK\r\n");
          Awaitility.await()
              .until(() -> server.text("INFO", "clients").contains("blocked_clients:1"));
          assertThat(other.call("RPUSH", queue, "a", "b")).isEqualTo(":2\r\n");
          assertThat(wire.read()).isEqualTo("*2\r\n" + Wire.bulk(queue) + Wire.bulk("a"));
          assertThat(wire.call("BLPOP", queue, "0")).endsWith(Wire.bulk("b"));
          assertThat(wire.call("BLPOP", queue, "0.01")).isEqualTo("*-1\r\n");
        }
        wire.send("MULTI");
        wire.send("BLPOP", "none", "0");
        wire.send("EXEC");
        assertThat(wire.read() + wire.read()).isEqualTo("+OK\r\n+QUEUED\r\n");
        assertThat(wire.read()).contains("NOPERM");
        assertThat(other.call("GET", "k")).isEqualTo(Wire.bulk("second"));
      }
    }
  }

  @Test
  void configGetNeverReturnsAPasswordOfANode() {
    try (ServerProcess server = ServerProcess.builder().password(PASSWORD).start()) {
      var node = new Endpoint(server.host(), server.port());
      var upstream = new SingleUpstreamSettings(node, new Credentials(null, PASSWORD), 0);
      try (ProxyFixture proxy = ProxyFixture.of(upstream).startReady();
          RespClient direct = RespClient.open(server.host(), server.port());
          RespClient wire = proxy.connect()) {
        direct.call("AUTH", PASSWORD);
        direct.call("CONFIG", "SET", "masterauth", PASSWORD, "masteruser", PASSWORD);
        assertThat(direct.call("CONFIG", "GET", "*")).contains(PASSWORD);
        for (String name :
            List.of("*", "RequirePass", "MasterAuth", "primaryauth", "*auth", "[rp]*", "*user")) {
          assertThat(wire.call("CONFIG", "GET", name)).as(name).doesNotContain(PASSWORD);
          assertThat(wire.call("CONFIG", "GET", name, "MaxMemory-Policy"))
              .as(name)
              .containsIgnoringCase("MaxMemory-Policy")
              .doesNotContain(PASSWORD);
        }
        for (String[] names :
            new String[][] {
              {"DataBases"}, {"Save", "save"}, {"s[a]ve", "SAVE"}, {"SAVE", "s?ve"}
            }) {
          String[] request = {"CONFIG", "GET", names[0], names[names.length - 1]};
          String[] own = wire.call(request).split("\r\n", -1);
          assertThat(own[2]).isEqualTo(direct.call(request).split("\r\n", -1)[2]);
        }
      }
    }
  }

  /** Sends the same requests to Penstock and to a server with the same password. */
  @ParameterizedTest
  @CsvSource({"2", "3"})
  void clientsAuthenticateAsOnAServer(int protocol, EmbeddedCluster cluster) {
    ReferenceServer.assumeAtLeast(7, 0, "these words");
    List<String[]> requests =
        List.of(
            new String[] {"GET", "k"},
            new String[] {"MGET", "k", "l"},
            new String[] {"PING"},
            new String[] {"ECHO", "x"},
            new String[] {"FOO"},
            new String[] {"GET"},
            new String[] {"MULTI"},
            new String[] {"CLIENT", "ID"},
            new String[] {"CLIENT", "SETNAME", "me"},
            new String[] {"COMMAND", "COUNT"},
            new String[] {"SELECT", "0"},
            new String[] {"HELLO"},
            new String[] {"HELLO", "3"},
            new String[] {"AUTH", "wrong"},
            new String[] {"AUTH", "default", "wrong"},
            new String[] {"AUTH", "nobody", PASSWORD},
            new String[] {"HELLO", Integer.toString(protocol), "AUTH", "default", "wrong"},
            new String[] {"AUTH", PASSWORD, "x", "y"},
            new String[] {"GET", "k"},
            new String[] {"AUTH", PASSWORD},
            new String[] {"GET", "no such key"},
            new String[] {"CLIENT", "GETNAME"},
            new String[] {"AUTH", "wrong again"},
            new String[] {"GET", "no such key"},
            new String[] {"AUTH", "default", PASSWORD},
            new String[] {"RESET"},
            new String[] {"GET", "k"});
    try (ServerProcess server = ServerProcess.builder().password(PASSWORD).start();
        ProxyFixture proxy = ProxyFixture.of(cluster).password(PASSWORD).startReady();
        RespClient direct = RespClient.open(server.host(), server.port());
        RespClient through = proxy.connect()) {
      for (String[] request : requests) {
        String expected = direct.call(request);
        assertThat(through.call(request))
            .as(request[0])
            .isEqualTo(expected.replace("HELLO <proto> AUTH", "HELLO AUTH")); // since 7.2
      }
      String[] hello = {
        "HELLO", Integer.toString(protocol), "AUTH", "default", PASSWORD, "SETNAME", "me"
      };
      assertThat(through.call(hello)).startsWith(protocol == 3 ? "%7\r\n" : "*14\r\n");
      assertThat(through.call("CLIENT", "GETNAME")).isEqualTo(Wire.bulk("me"));
      assertThat(through.call("SET", "k", "v")).isEqualTo("+OK\r\n");
    }
  }

  /** Until a client has authenticated, Redis accepts only small requests. */
  @Test
  void unauthenticatedClientsMaySendOnlySmallRequests(EmbeddedCluster cluster) {
    try (ServerProcess server = ServerProcess.builder().password(PASSWORD).start();
        ProxyFixture proxy = ProxyFixture.of(cluster).password(PASSWORD).startReady()) {
      for (String start : List.of("*11\r\n", "*2\r\n$3\r\nGET\r\n$16385\r\n")) {
        try (RespClient direct = RespClient.open(server.host(), server.port());
            RespClient through = proxy.connect()) {
          direct.write(start).flush();
          through.write(start).flush();
          assertThat(through.readToEnd()).isEqualTo(direct.readToEnd());
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"RESP2", "RESP3"})
  void clientLibrariesAuthenticate(RedisProtocol protocol, EmbeddedCluster cluster) {
    try (ProxyFixture proxy = ProxyFixture.of(cluster).password(PASSWORD).startReady()) {
      var address = new HostAndPort(proxy.host(), proxy.port());
      var config =
          DefaultJedisClientConfig.builder()
              .protocol(protocol)
              .user("default")
              .password(PASSWORD)
              .clientName("named")
              .build();
      try (JedisPooled jedis = new JedisPooled(address, config)) {
        assertThat(jedis.set("jedis", "v")).isEqualTo("OK");
        assertThat(jedis.get("jedis")).isEqualTo("v");
      }
    }
  }
}
