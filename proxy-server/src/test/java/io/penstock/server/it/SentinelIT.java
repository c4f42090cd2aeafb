package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.sentinel.SentinelUpstreamSettings;
import io.penstock.core.upstream.Credentials;
import io.penstock.core.upstream.Endpoint;
import io.penstock.testkit.cluster.FrozenNode;
import io.penstock.testkit.cluster.SentinelGroup;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * {@code redis-sentinel://}: how the master is found and followed. Failures under load are in
 * {@code SentinelFaultsIT}.
 */
@ExtendWith(SharedGroup.class)
class SentinelIT {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final SentinelGroup group;

  SentinelIT(SentinelGroup group) {
    this.group = group;
  }

  private static void until(String what, Callable<Boolean> condition) {
    Awaitility.await(what)
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(10))
        .until(condition);
  }

  private static boolean hasMaster(ProxyFixture proxy, ServerProcess node) {
    var shards = proxy.proxy().topology().shards();
    return !shards.isEmpty() && shards.getFirst().master().port() == node.port();
  }

  private static String failure(ProxyFixture proxy) {
    var last = proxy.proxy().topologyStatus().lastRefresh();
    return last == null ? "" : String.valueOf(last.failure());
  }

  private static SentinelUpstreamSettings settings(String name, ServerProcess... sentinels) {
    return settings(name, null, sentinels);
  }

  private static SentinelUpstreamSettings settings(
      String name, @Nullable Credentials sentinelCredentials, ServerProcess... sentinels) {
    List<Endpoint> addresses =
        List.of(sentinels).stream().map(s -> new Endpoint(s.host(), s.port())).toList();
    return new SentinelUpstreamSettings(addresses, name, null, 0, sentinelCredentials);
  }

  @Test
  void requestsOfAllKindsAreServedAcrossAPlannedFailover() {
    try (ProxyFixture proxy = ProxyFixture.of(group).startReady();
        RespClient blocked = proxy.connect();
        RespClient subscriber = proxy.connect();
        RespClient watcher = proxy.connect();
        RespClient other = proxy.connect()) {
      subscriber.call("SUBSCRIBE", "news");
      blocked.send("XREAD", "BLOCK", "0", "STREAMS", "stream", "$");
      assertThat(watcher.call("WATCH", "seen")).isEqualTo("+OK\r\n");
      ServerProcess old = group.master();
      until("the call blocks", () -> old.text("INFO", "clients").contains("blocked_clients:1"));

      ServerProcess now = group.failover();

      until("the failover is known", () -> hasMaster(proxy, now));
      assertThat(other.call("SET", "k", "v")).isEqualTo("+OK\r\n");
      String script = "return redis.call('APPEND', KEYS[1], 'w')";
      assertThat(other.call("EVAL", script, "1", "k")).isEqualTo(":2\r\n");
      other.call("MULTI");
      other.call("APPEND", "k", "x");
      assertThat(other.call("EXEC")).isEqualTo("*1\r\n:3\r\n");
      watcher.call("MULTI");
      watcher.call("SET", "seen", "1");
      assertThat(watcher.call("EXEC")).as("the watch was at the old master").isEqualTo("*-1\r\n");
      assertThat(other.call("WAIT", "1", "5000")).matches(":[12]\r\n");
      until("it blocks again", () -> now.text("INFO", "clients").contains("blocked_clients:1"));
      assertThat(other.call("XADD", "stream", "1-1", "f", "v")).isEqualTo(Wire.bulk("1-1"));
      assertThat(blocked.read()).contains(Wire.bulk("1-1"));
      until("the message arrives", () -> other.call("PUBLISH", "news", "m").equals(":1\r\n"));
      assertThat(subscriber.read()).contains(Wire.bulk("m"));
      assertThat(now.text("GET", "k")).isEqualTo("vwx");
    }
  }

  /** The node is a replica already, and Penstock does not know: its sentinels are stopped. */
  @Test
  void whatADemotedMasterRejectsWaitsForItsSuccessor() {
    try (SentinelGroup own = SharedGroup.builder().replicas(1).start();
        ProxyFixture proxy =
            ProxyFixture.of(own).failoverHold(Duration.ofSeconds(30)).startReady();
        RespClient write = proxy.connect();
        RespClient script = proxy.connect();
        RespClient transaction = proxy.connect()) {
      ServerProcess old = own.master();
      ServerProcess now = own.replicas().getFirst();
      assertThat(write.call("SET", "k", "0")).isEqualTo("+OK\r\n");
      own.sentinels().forEach(FrozenNode::freeze);
      now.text("REPLICAOF", "NO", "ONE");
      old.text("REPLICAOF", now.host(), Integer.toString(now.port()));
      until("it copied", () -> old.text("INFO", "replication").contains("link_status:up"));

      write.send("INCR", "k");
      script.send("EVAL", "return redis.call('INCR', KEYS[1])", "1", "k");
      transaction.call("MULTI");
      transaction.call("INCR", "k");
      transaction.send("EXEC");
      until(
          "the demoted master rejects them",
          () -> own.nodes().stream().anyMatch(node -> rejections(node) >= 3));
      own.sentinels().forEach(ServerProcess::resume);
      assertThat(write.read()).startsWith(":");
      assertThat(script.read()).startsWith(":");
      assertThat(transaction.read()).startsWith("*1\r\n:");
      assertThat(write.call("GET", "k")).isEqualTo(Wire.bulk("3"));
    }
  }

  private static long rejections(ServerProcess node) {
    return node.text("INFO", "errorstats")
        .lines()
        .filter(line -> line.startsWith("errorstat_READONLY:count="))
        .mapToLong(line -> Long.parseLong(line.substring(line.indexOf('=') + 1)))
        .sum();
  }

  /** The old master comes back as a master, and no sentinel corrects it. */
  @Test
  void nothingIsSentToAnOldMasterThatReturns() {
    try (SentinelGroup own = SharedGroup.builder().start();
        ProxyFixture proxy = ProxyFixture.of(own).startReady();
        RespClient wire = proxy.connect()) {
      assertThat(wire.call("SET", "k", "before")).isEqualTo("+OK\r\n");
      ServerProcess old = own.master();
      old.pause();
      ServerProcess now = own.awaitMasterOtherThan(old);
      until("the failover is known", () -> hasMaster(proxy, now));
      assertThat(wire.call("SET", "k", "after")).isEqualTo("+OK\r\n");
      own.sentinels().forEach(FrozenNode::freeze);
      old.resume();
      until("it is a master", () -> old.text("INFO", "replication").contains("role:master"));
      for (int i = 0; i < 20; i++) {
        assertThat(wire.call("SET", "k", "v" + i)).isEqualTo("+OK\r\n");
        assertThat(wire.call("GET", "k")).isEqualTo(Wire.bulk("v" + i));
      }
      assertThat(old.text("GET", "k")).isEqualTo("before");
      own.sentinels().forEach(ServerProcess::resume);
    }
  }

  @Test
  void clientsKeepTheirDatabasesAcrossFailovers() {
    try (ProxyFixture proxy =
            ProxyFixture.of(group).failoverHold(Duration.ofSeconds(30)).startReady();
        Load load = new Load()) {
      load.pauseBetweenSteps(Duration.ofMillis(1));
      DatabaseClient.prepare(group.master(), group.replicas().size());
      List<DatabaseClient> clients = new ArrayList<>();
      for (int i = 0; i < 12; i++) {
        var client = new DatabaseClient(proxy.connect(), "client " + i, i, i >= 8);
        clients.add(client);
        load.add(client.name(), client);
      }
      load.awaitFullSteps();

      ServerProcess planned = group.failover();
      until("the failover is known", () -> hasMaster(proxy, planned));
      load.awaitFullSteps();
      planned.kill();
      ServerProcess now = group.awaitMasterOtherThan(planned);
      until("the failover is known", () -> hasMaster(proxy, now));
      load.awaitFullSteps();
      load.stop();

      clients.forEach(DatabaseClient::verifyAndClose);
      DatabaseClient.verifyKeys(now);
      group.restart(planned);
    }
  }

  @Test
  void requestsWaitUntilTheFirstMasterIsFound() {
    try (SentinelGroup own = SharedGroup.builder().replicas(0).start()) {
      own.sentinels().forEach(FrozenNode::freeze);
      try (ProxyFixture proxy = ProxyFixture.of(own).failoverHold(Duration.ofSeconds(30)).start();
          RespClient writer = proxy.connect();
          RespClient subscriber = proxy.connect()) {
        subscriber.send("SUBSCRIBE", "news");
        writer.send("SET", "k", "v");
        until("it is held", () -> proxy.stats().held().now() == 1);

        own.sentinels().forEach(ServerProcess::resume);

        assertThat(writer.read()).isEqualTo("+OK\r\n");
        assertThat(subscriber.read()).endsWith(Wire.bulk("news") + ":1\r\n");
        assertThat(writer.call("PUBLISH", "news", "m")).isEqualTo(":1\r\n");
        assertThat(subscriber.read()).endsWith(Wire.bulk("m"));
      }
    }
  }

  @Test
  void oneSentinelIsEnoughToFindTheOthersAndTheMaster() {
    List<ServerProcess> sentinels = group.sentinels();
    try (ProxyFixture proxy =
        ProxyFixture.of(settings(group.masterName(), sentinels.getFirst()))
            .refreshPeriod(Duration.ofMillis(200))
            .startReady()) {
      assertThat(hasMaster(proxy, group.master())).isTrue();
      until("it subscribed to all", () -> sentinels.stream().allMatch(SentinelIT::hasSubscriber));
      ServerProcess first = sentinels.getFirst();
      first.kill();
      try (RespClient wire = proxy.connect()) {
        ServerProcess now = group.failover();
        until("the failover is known", () -> hasMaster(proxy, now));
        assertThat(wire.call("SET", "k", "v")).isEqualTo("+OK\r\n");
      } finally {
        group.restart(first);
      }
      until("it is used again", () -> hasSubscriber(first));
    }
  }

  private static boolean hasSubscriber(ServerProcess sentinel) {
    return sentinel
        .text("CLIENT", "LIST")
        .lines()
        .anyMatch(client -> client.contains("penstock") && !client.contains(" sub=0 "));
  }

  @Test
  void aWrongNameOrAddressIsExplained() {
    ServerProcess sentinel = group.sentinels().getFirst();
    ServerProcess node = group.nodes().getFirst();
    try (ProxyFixture wrongName =
            ProxyFixture.of(settings("yourmaster", sentinel))
                .commandTimeout(Duration.ofMillis(200))
                .failoverHold(Duration.ZERO)
                .start();
        RespClient client = wrongName.connect();
        ProxyFixture noSentinel = ProxyFixture.of(settings("mymaster", node)).start()) {
      until(
          "the names are told",
          () ->
              failure(wrongName)
                  .contains("it monitors no master named yourmaster; it monitors mymaster"));
      for (String command : List.of("GET", "SUBSCRIBE")) {
        assertThat(client.call(command, "k"))
            .startsWith("-UNAVAILABLE no master is known: ")
            .endsWith("it monitors mymaster; the command did not run\r\n");
      }
      until(
          "the kind of server is told",
          () ->
              failure(noSentinel)
                  .contains("it is no sentinel: for this single server write redis://"));
    }
  }

  @Test
  void sentinelsHaveCredentialsOfTheirOwn() {
    try (SentinelGroup own =
        SharedGroup.builder()
            .replicas(1)
            .password("of nodes")
            .sentinelUser("watcher", "of-sentinels")
            .start()) {
      ServerProcess[] sentinels = own.sentinels().toArray(ServerProcess[]::new);
      try (ProxyFixture proxy = ProxyFixture.of(own).startReady();
          RespClient wire = proxy.connect();
          ProxyFixture wrong =
              ProxyFixture.of(
                      settings(own.masterName(), new Credentials("watcher", "x"), sentinels))
                  .start();
          ProxyFixture none = ProxyFixture.of(settings(own.masterName(), sentinels)).start()) {
        assertThat(wire.call("SET", "k", "v")).isEqualTo("+OK\r\n");
        assertThat(wire.call("WAIT", "1", "5000")).isEqualTo(":1\r\n");
        ServerProcess now = own.failover();
        until("the failover is known", () -> hasMaster(proxy, now));
        assertThat(wire.call("GET", "k")).isEqualTo(Wire.bulk("v"));
        until("the wrong password is told", () -> failure(wrong).contains("WRONGPASS"));
        until("the missing password is told", () -> failure(none).contains("NOAUTH"));
      }
    }
  }
}
