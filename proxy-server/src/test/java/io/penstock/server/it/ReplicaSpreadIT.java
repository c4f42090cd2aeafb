package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.observe.ReplicaState;
import io.penstock.core.observe.ReplicaStatus;
import io.penstock.core.upstream.Balance;
import io.penstock.core.upstream.ReadFrom;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.core.upstream.Zones;
import io.penstock.testkit.cluster.SentinelGroup;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which servers serve the requests of a client that reads replicas, with two of them. */
@ExtendWith(SharedGroup.class)
class ReplicaSpreadIT {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final int CLIENTS = 40;
  private static final int READS = 50;

  private final SentinelGroup group;

  ReplicaSpreadIT(SentinelGroup group) {
    this.group = group;
  }

  @BeforeEach
  void write() {
    ServerProcess master = group.master();
    try (RespClient client = master.connect()) {
      for (String database : List.of("3", "0")) {
        client.call("SELECT", database);
        client.call("MSET", "a", "in " + database, "b", "v");
        client.call("SADD", "set", "1", "2", "3");
        client.call("WAIT", "2", "5000");
      }
    }
  }

  private ProxyFixture start(Balance balance) {
    return start(balance, 1);
  }

  private ProxyFixture start(Balance balance, int eventLoops) {
    ProxyFixture proxy =
        ProxyFixture.of(group)
            .eventLoops(eventLoops)
            .reads(
                new ReadSettings(
                    ReadFrom.REPLICA_PREFERRED,
                    balance,
                    Zones.NONE,
                    ReadSettings.NO_LAG_LIMIT,
                    Duration.ofSeconds(1),
                    false))
            .startReady();
    await("both replicas are read")
        .atMost(PATIENCE)
        .until(() -> {
          var replicas = proxy.proxy().upstreamStatus().replicas();
          return replicas.size() == 2
              && replicas.stream().allMatch(r -> r.state() == ReplicaState.READABLE);
        });
    group.nodes().forEach(node -> node.text("CONFIG", "RESETSTAT"));
    return proxy;
  }

  private static long calls(ServerProcess node, String command) {
    Matcher calls =
        Pattern.compile("cmdstat_" + command + ":calls=(\\d+)")
            .matcher(node.text("INFO", "commandstats"));
    return calls.find() ? Long.parseLong(calls.group(1)) : 0;
  }

  private void assertAtReplicas(String command, long expected) {
    assertThat(calls(group.master(), command)).as(command + " at the master").isZero();
    assertThat(group.replicas().stream().mapToLong(node -> calls(node, command)).sum())
        .as(command + " at replicas")
        .isEqualTo(expected);
  }

  private void assertAtMaster(String command, long expected) {
    assertThat(calls(group.master(), command)).as(command + " at the master").isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "ROUND_ROBIN, 1", "ROUND_ROBIN, 2", "ROUND_ROBIN, 4",
    "LEAST_IN_FLIGHT, 1", "LEAST_IN_FLIGHT, 2", "LEAST_IN_FLIGHT, 4"
  })
  void clientsAreSpreadEvenlyOverTwoReplicas(Balance balance, int eventLoops) {
    try (ProxyFixture proxy = start(balance, eventLoops)) {
      long leftOut = timesLeftOut(proxy);
      List<RespClient> clients = new ArrayList<>();
      try {
        for (int i = 0; i < CLIENTS; i++) {
          RespClient client = proxy.connect();
          clients.add(client);
          assertThat(client.call("GET", "a")).isEqualTo(Wire.bulk("in 0"));
        }
        readAtOnce(clients, READS - 1);
      } finally {
        clients.forEach(RespClient::close);
      }
      assumeBothWereRead(proxy, leftOut);
      assertEven();
    }
  }

  /** With least-in-flight, more of them go to the replica that answers first. */
  @ParameterizedTest
  @ValueSource(ints = {2, 4})
  void clientsThatComeAtOnceAreSpreadEvenlyInTurn(int eventLoops) {
    try (ProxyFixture proxy = start(Balance.ROUND_ROBIN, eventLoops)) {
      long leftOut = timesLeftOut(proxy);
      List<RespClient> clients = new ArrayList<>();
      try {
        for (int i = 0; i < CLIENTS; i++) {
          clients.add(proxy.connect());
        }
        readAtOnce(clients, READS);
      } finally {
        clients.forEach(RespClient::close);
      }
      assumeBothWereRead(proxy, leftOut);
      assertEven();
    }
  }

  private static long timesLeftOut(ProxyFixture proxy) {
    var replicas = proxy.proxy().upstreamStatus().replicas();
    return replicas.stream().mapToLong(ReplicaStatus::timesLeftOut).sum();
  }

  /** A replica that did not answer in time has fewer clients, as it should. */
  private static void assumeBothWereRead(ProxyFixture proxy, long before) {
    long times = timesLeftOut(proxy) - before;
    if (times != 0) {
      System.out.println("skipped: replicas were left out " + times + " times, not both were read");
    }
    assumeThat(times).isZero();
  }

  private static void readAtOnce(List<RespClient> clients, int times) {
    for (int i = 0; i < times; i++) {
      clients.forEach(client -> client.send("GET", "a"));
      clients.forEach(client -> assertThat(client.read()).isEqualTo(Wire.bulk("in 0")));
    }
  }

  private void assertEven() {
    long each = (long) CLIENTS * READS / 2;
    assertThat(group.replicas().stream().map(replica -> calls(replica, "get")).toList())
        .hasSize(2)
        .allSatisfy(gets -> assertThat(gets).isBetween(each * 95 / 100, each * 105 / 100));
    assertAtReplicas("get", (long) CLIENTS * READS);
  }

  @Test
  void requestsThatOnlyReadAreServedByOneReplica() {
    ReferenceServer.assumeAtLeast(7, 0, "EVAL_RO");
    try (ProxyFixture proxy = start(Balance.ROUND_ROBIN);
        RespClient client = proxy.connect()) {
      assertThat(client.call("HELLO", "3")).startsWith("%");
      assertThat(client.call("SMEMBERS", "set")).startsWith("~3\r\n");
      assertThat(client.call("MGET", "a", "b")).startsWith("*2\r\n");
      assertThat(client.call("EVAL_RO", "return redis.call('STRLEN', KEYS[1])", "1", "b"))
          .isEqualTo(":1\r\n");
      assertThat(client.call("SELECT", "3")).isEqualTo("+OK\r\n");
      assertThat(client.call("GET", "a")).isEqualTo(Wire.bulk("in 3"));
      assertThat(client.call("SSCAN", "set", "0")).startsWith("*2\r\n");
      for (String command : List.of("smembers", "mget", "eval_ro", "get", "sscan")) {
        assertAtReplicas(command, 1);
      }
      assertThat(group.replicas().stream().filter(n -> calls(n, "get") > 0).toList())
          .isEqualTo(group.replicas().stream().filter(n -> calls(n, "mget") > 0).toList());
    }
  }

  @Test
  void whatMustNotBeOldIsServedByTheMaster() {
    try (ProxyFixture proxy = start(Balance.ROUND_ROBIN);
        RespClient client = proxy.connect()) {
      assertThat(client.call("SCAN", "0", "COUNT", "1000")).startsWith("*2\r\n");
      assertThat(client.call("WATCH", "a")).isEqualTo("+OK\r\n");
      assertThat(client.call("GET", "a")).isEqualTo(Wire.bulk("in 0"));
      assertThat(client.call("UNWATCH")).isEqualTo("+OK\r\n");
      client.call("MULTI");
      client.call("STRLEN", "a");
      assertThat(client.call("EXEC")).isEqualTo("*1\r\n:4\r\n");
      assertThat(client.call("EVAL", "return redis.call('LLEN', KEYS[1])", "1", "none"))
          .isEqualTo(":0\r\n");
      for (String command : List.of("scan", "get", "strlen", "llen")) {
        assertAtMaster(command, 1);
        assertThat(group.replicas()).allSatisfy(node -> assertThat(calls(node, command)).isZero());
      }
    }
  }
}
