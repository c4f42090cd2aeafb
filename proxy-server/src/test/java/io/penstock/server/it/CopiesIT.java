package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.assembly.RespUpstream;
import io.penstock.core.cluster.Slot;
import io.penstock.core.copies.MirrorSettings;
import io.penstock.core.copies.ReplyPolicy;
import io.penstock.core.discovery.ClusterUpstreamSettings;
import io.penstock.core.observe.MirrorStats;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.upstream.Credentials;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Upstreams with copies, in front of real servers. */
@ExtendWith(SharedCluster.class)
class CopiesIT {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int CLIENTS = 8;

  private final ServerProcess primary = server();
  private final ServerProcess copy = server();
  private final EmbeddedCluster cluster;
  private final ChangingProxy proxy = new ChangingProxy();
  private final ExecutorService threads = Executors.newFixedThreadPool(CLIENTS + 1);

  private List<ServerProcess> primaries = List.of(primary);
  private List<ServerProcess> copies = List.of(copy);

  CopiesIT(EmbeddedCluster cluster) {
    this.cluster = cluster;
    proxy.listener("main", "orders");
    proxy.upstream("orders", primary);
    proxy.upstream("copy", copy);
    policy(ReplyPolicy.PRIMARY);
  }

  private static ServerProcess server() {
    return ServerProcess.builder().option("enable-debug-command", "yes").start();
  }

  private void policy(ReplyPolicy reply) {
    proxy.mirrors =
        List.of(
            CopiesFixture.mirror(
                "orders", List.of("copy"), new MirrorSettings(reply, 100_000, 1 << 26)));
  }

  @AfterEach
  void close() {
    threads.shutdownNow();
    proxy.close();
    Stream.of(primary, copy).forEach(ServerProcess::close);
  }

  private MirrorStats.Copy stats() {
    return CopiesFixture.stats(proxy, "orders").copies().getFirst();
  }

  private void assertEqual() {
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> {
          assertThat(stats().queued()).isZero();
          assertThat(contents(copies)).isEqualTo(contents(primaries));
        });
  }

  private static List<String> contents(List<ServerProcess> servers) {
    return CopiesFixture.contents(servers.toArray(ServerProcess[]::new));
  }

  private UpstreamSettings ofCluster() {
    cluster.masters().forEach(each -> each.text("FLUSHALL"));
    return new ClusterUpstreamSettings(
        cluster.members().stream().map(ProxyFixture::node).toList(),
        cluster.password() == null ? null : new Credentials(cluster.user(), cluster.password()));
  }

  private List<ServerProcess> masters() {
    return cluster.masters().stream().map(Member::server).toList();
  }

  @Test
  void aClusterIsTheCopyOfAServer() throws Exception {
    proxy.upstream("copy", ofCluster());
    copies = masters();

    assertThat(race(CopiesFixture.ALL).behindSince()).isNull();
  }

  @Test
  void aServerIsTheCopyOfAClusterWhoseSlotsMove() throws Exception {
    proxy.upstream("orders", ofCluster());
    primaries = masters();
    List<Member> masters = cluster.masters();
    int slot = Slot.of("list0".getBytes(StandardCharsets.US_ASCII));
    Member from = cluster.masterOf(slot);
    Member to = masters.stream().filter(each -> !each.equals(from)).findFirst().orElseThrow();
    Future<?> moved =
        threads.submit(() -> {
          for (int i = 0; i < 3; i++) {
            cluster.migrateSlot(slot, from, to);
            cluster.migrateSlot(slot, to, from);
          }
        });

    MirrorStats.Copy after = race(CopiesFixture.ORDERED);
    moved.get(60, TimeUnit.SECONDS);
    assertEqual();
    assertThat(after.differing()).isEmpty();
  }

  @Test
  void theCopyDoesWhatThePrimaryDid() {
    proxy.start();
    try (RespClient client = proxy.connect("main")) {
      for (String version : List.of("2", "3")) {
        client.call("HELLO", version);
        client.call("SET", "plain", "1");
        client.call("SET", "for", "1", "EX", "1000");
        client.call("INCRBYFLOAT", "plain", "1.5");
        client.call("MSET", "a", "1", "b", "2", "c", "3");
        client.call("DEL", "a", "nothing");
        client.call("SADD", "set", "1", "2", "3", "4", "5");
        client.call("SPOP", "set", "2");
        client.call("XADD", "stream", "*", "f", "v");
        client.call("RPUSH", "list", "1", "2", "3");
        client.call("BLPOP", "list", "0");
        client.call("ZADD", "zset", "1", "one", "2", "two");
        client.call("ZPOPMIN", "zset");
        client.call("EVAL", "return redis.call('set', KEYS[1], math.random())", "1", "script");
        client.call("EXPIRE", "b", "500");
        client.call("MULTI");
        client.call("SET", "in", "1", "PX", "500000");
        client.call("SPOP", "set");
        client.call("INCR", "count");
        client.call("EXEC");
        client.call("WATCH", "count");
        client.call("MULTI");
        client.call("INCR", "count");
        client.call("EXEC");
        client.call("SETNX", "plain", "2");
        client.call("LPUSH", "plain", "wrong type");
        assertEqual();
        MirrorStats.Copy now = stats();
        assertThat(now.differing()).isEmpty();
        assertThat(now.behindSince()).isNull();
        client.call("FLUSHALL");
        assertEqual();
        assertThat(copy.text("DBSIZE")).isEqualTo("0");
      }
    }
  }

  @Test
  void racingWritesReachTheCopyInThePrimarysOrder() throws Exception {
    MirrorStats.Copy after = race(CopiesFixture.ORDERED);

    assertThat(after.differing()).isEmpty();
    assertThat(after.copiedAgain()).isZero();
  }

  @Test
  void racingWritesEndEqual() throws Exception {
    assertThat(race(CopiesFixture.ALL).copiedAgain()).isPositive();
  }

  private MirrorStats.Copy race(int kinds) throws Exception {
    proxy.eventLoops = 3;
    proxy.start();
    for (String each : List.of("orders", "copy")) { // which commands its servers have is known
      await().atMost(PATIENCE).until(() -> ((RespUpstream) proxy.upstream(each)).isComplete());
    }
    List<Future<?>> ended = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      int seed = i;
      ended.add(threads.submit((Callable<Void>) () -> race(new Random(seed), kinds)));
    }
    for (Future<?> each : ended) {
      each.get(60, TimeUnit.SECONDS);
    }

    assertEqual();
    MirrorStats.Copy now = stats();
    assertThat(now.done()).isPositive();
    assertThat(now.dropped()).isZero();
    assertThat(now.behindSince()).isNull();
    return now;
  }

  private Void race(Random random, int kinds) {
    try (RespClient client = proxy.connect("main")) {
      if (random.nextBoolean()) {
        client.call("HELLO", "3");
      }
      for (int round = 0; round < 100; round++) {
        int calls = 1 + random.nextInt(20);
        StringBuilder requests = new StringBuilder();
        int replies = 0;
        for (int i = 0; i < calls; i++) {
          replies += CopiesFixture.append(requests, random, kinds);
        }
        client.write(requests.toString());
        client.flush();
        for (int i = 0; i < replies; i++) {
          client.read();
        }
      }
    }
    return null;
  }
}
