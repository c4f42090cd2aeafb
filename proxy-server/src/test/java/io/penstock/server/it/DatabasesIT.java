package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.topology.SingleUpstreamSettings;
import io.penstock.core.upstream.Endpoint;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Several databases of one real server, for clients that share its connections. */
class DatabasesIT {

  private static final String OK = "+OK\r\n";
  private static final Pattern SELECTS = Pattern.compile("cmdstat_select:calls=(\\d+)");
  private static final int CLIENTS = 8;
  private static final int ROUNDS = 150;

  @SuppressWarnings("NullAway.Init")
  private static ServerProcess server;

  @SuppressWarnings("NullAway.Init")
  private static ProxyFixture proxy;

  @BeforeAll
  static void start() {
    server = ServerProcess.start();
    proxy = ProxyFixture.of(server).startReady();
  }

  @AfterAll
  static void stop() {
    proxy.close();
    server.close();
  }

  @BeforeEach
  void clear() {
    server.text("FLUSHALL");
  }

  private static long selects() {
    Matcher calls = SELECTS.matcher(server.text("INFO", "commandstats"));
    return calls.find() ? Long.parseLong(calls.group(1)) : 0;
  }

  private static String inDatabase(int database, String... command) {
    try (RespClient direct = server.connect()) {
      assertThat(direct.text("SELECT", Integer.toString(database))).isEqualTo("OK");
      return direct.text(command);
    }
  }

  private static void select(RespClient wire, int database) {
    assertThat(wire.call("SELECT", Integer.toString(database))).isEqualTo(OK);
  }

  @Test
  void noCommandSelectsInTheSteadyState() {
    try (RespClient one = proxy.connect();
        RespClient two = proxy.connect()) {
      select(one, 1);
      select(two, 2);
      one.call("SET", "k", "1");
      two.call("SET", "k", "2");
      long before = selects();

      for (int i = 0; i < 200; i++) {
        assertThat(one.call("GET", "k")).isEqualTo(Wire.bulk("1"));
        assertThat(two.call("GET", "k")).isEqualTo(Wire.bulk("2"));
        select(one, 1);
      }

      assertThat(selects()).isEqualTo(before);
    }
  }

  /** Clients that change their database all the time, in every way, and check what they see. */
  @Test
  void clientsOfManyDatabasesDoNotDisturbEachOther() throws Exception {
    try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        String key = "key:" + i;
        running.add(clients.submit(() -> walk(key)));
      }
      for (Future<?> each : running) {
        each.get(60, TimeUnit.SECONDS);
      }
    }
    for (int i = 0; i < CLIENTS; i++) {
      for (int database = 0; database < 4; database++) {
        assertThat(inDatabase(database, "GET", "key:" + i)).isEqualTo(Integer.toString(2 * ROUNDS));
      }
    }
  }

  private static void walk(String key) {
    try (RespClient wire = proxy.connect()) {
      for (int round = 1; round <= ROUNDS; round++) {
        for (int database = 0; database < 4; database++) {
          wire.write(Wire.request("SELECT", Integer.toString(database)));
          wire.write(Wire.request("INCR", key));
        }
        wire.flush();
        for (int database = 0; database < 4; database++) {
          assertThat(wire.read()).isEqualTo(OK);
          assertThat(wire.read()).isEqualTo(":" + (2 * round - 1) + "\r\n");
        }
        transaction(wire, key, 2 * round);
      }
    }
  }

  /** The client is in database 3 before and after it. */
  private static void transaction(RespClient wire, String key, int count) {
    wire.write(Wire.request("MULTI") + Wire.request("INCR", key));
    for (int database : new int[] {1, 0, 2}) {
      wire.write(Wire.request("SELECT", Integer.toString(database)));
      wire.write(Wire.request("INCR", key));
    }
    wire.write(Wire.request("SELECT", "3") + Wire.request("EXEC"));
    wire.flush();
    assertThat(wire.read()).isEqualTo(OK);
    for (int i = 0; i < 8; i++) {
      assertThat(wire.read()).isEqualTo("+QUEUED\r\n");
    }
    String counted = ":" + count + "\r\n";
    assertThat(wire.read()).isEqualTo("*8\r\n" + counted + (OK + counted).repeat(3) + OK);
  }

  @Test
  void aBlockedClientIsServedFromItsDatabase() {
    try (RespClient blocked = proxy.connect();
        RespClient wire = proxy.connect()) {
      select(blocked, 5);
      blocked.send("BLPOP", "l", "0");
      assertThat(wire.call("RPUSH", "l", "zero")).isEqualTo(":1\r\n");
      select(wire, 5);
      assertThat(wire.call("RPUSH", "l", "five")).isEqualTo(":1\r\n");
      assertThat(blocked.read()).isEqualTo("*2\r\n" + Wire.bulk("l") + Wire.bulk("five"));
    }
  }

  @Test
  void swappingDatabasesIsSeenByOtherClients() {
    try (RespClient one = proxy.connect();
        RespClient two = proxy.connect()) {
      select(two, 6);
      assertThat(two.call("SET", "k", "six")).isEqualTo(OK);
      assertThat(one.call("SWAPDB", "0", "6")).isEqualTo(OK);
      assertThat(one.call("GET", "k")).isEqualTo(Wire.bulk("six"));
      assertThat(two.call("GET", "k")).isEqualTo("$-1\r\n");
    }
  }

  @Test
  void whatServersSayAboutDatabasesIsSeen() {
    try (RespClient wire = proxy.connect()) {
      wire.call("SET", "k", "v");
      select(wire, 3);
      wire.call("MSET", "k", "v", "l", "v");
      assertThat(wire.call("INFO", "keyspace"))
          .contains("db0:keys=1,expires=0", "db3:keys=2,expires=0");
      assertThat(wire.call("CLIENT", "LIST")).contains(" db=3 ");
      assertThat(wire.call("CONFIG", "GET", "databases")).contains(Wire.bulk("16"));
    }
  }

  @Test
  void keyspaceEventsNameTheDatabase() {
    server.text("CONFIG", "SET", "notify-keyspace-events", "KEA");
    try (RespClient subscriber = proxy.connect();
        RespClient wire = proxy.connect()) {
      subscriber.call("PSUBSCRIBE", "__keyspace@*__:*");
      select(wire, 4);
      assertThat(wire.call("SET", "k", "v")).isEqualTo(OK);
      assertThat(subscriber.read()).contains("__keyspace@4__:k");
    } finally {
      server.text("CONFIG", "SET", "notify-keyspace-events", "");
    }
  }

  @Test
  void aClientMayLeaveTheDatabaseOfTheUrl() {
    var upstream = new SingleUpstreamSettings(new Endpoint(server.host(), server.port()), null, 7);
    try (ProxyFixture seventh = ProxyFixture.of(upstream).startReady();
        RespClient wire = seventh.connect()) {
      assertThat(wire.call("SET", "k", "seven")).isEqualTo(OK);
      select(wire, 0);
      assertThat(wire.call("GET", "k")).isEqualTo("$-1\r\n");
      assertThat(wire.call("SET", "k", "zero")).isEqualTo(OK);
      assertThat(wire.call("RESET")).isEqualTo("+RESET\r\n");
      assertThat(wire.call("GET", "k")).isEqualTo(Wire.bulk("seven"));
      assertThat(server.text("GET", "k")).isEqualTo("zero");
    }
  }

  @Test
  void aUserThatMayNotSelectStaysInItsDatabase() {
    server.text("ACL", "SETUSER", "default", "-select");
    try (ProxyFixture limited = ProxyFixture.of(server).startReady();
        RespClient wire = limited.connect()) {
      assertThat(wire.call("SELECT", "1")).startsWith("-NOPERM ");
      assertThat(wire.call("SET", "k", "v")).isEqualTo(OK);
      wire.call("MULTI");
      wire.call("SELECT", "1");
      assertThat(wire.call("EXEC")).startsWith("-EXECABORT ");
      assertThat(wire.call("GET", "k")).isEqualTo(Wire.bulk("v"));
    } finally {
      server.text("ACL", "SETUSER", "default", "+select");
    }
  }

  @Test
  void aDatabaseThatIsNotPermittedAnyMoreSaysSo() {
    try (ServerProcess mortal = ServerProcess.builder().option("save", "").start();
        ProxyFixture before = ProxyFixture.of(mortal).startReady();
        RespClient wire = before.connect();
        RespClient other = before.connect()) {
      select(wire, 1);
      wire.call("SET", "k", "v");
      mortal.text("ACL", "SETUSER", "default", "-select");
      mortal.text("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");

      assertThat(answered(wire, "GET", "k")).startsWith("-NOPERM ");
      assertThat(answered(other, "GET", "k")).isEqualTo("$-1\r\n");
      select(wire, 0);
      assertThat(wire.call("GET", "k")).isEqualTo("$-1\r\n");
    }
  }

  /** Repeats a read whose connection to the server may just have been closed. */
  private static String answered(RespClient wire, String... request) {
    String reply = wire.call(request);
    return reply.startsWith("-CONNLOST") ? wire.call(request) : reply;
  }
}
