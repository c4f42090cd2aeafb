package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.SentinelGroup;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;

/** Reference servers, and Penstock in front of other servers with the same data. */
final class DifferentialTestbed implements AutoCloseable {

  /** So long that no reply depends on how fast nodes answer each other. */
  private static final Duration NODE_TIMEOUT = Duration.ofSeconds(60);

  private final Deque<Runnable> started = new ArrayDeque<>();

  @SuppressWarnings("NullAway.Init")
  private Target server;

  @SuppressWarnings("NullAway.Init")
  private Target node;

  @SuppressWarnings("NullAway.Init")
  private Target cluster;

  @SuppressWarnings("NullAway.Init")
  private Target single;

  @SuppressWarnings("NullAway.Init")
  private Target sentinel;

  @SuppressWarnings("NullAway.Init")
  private Target proxies;

  @SuppressWarnings("NullAway.Init")
  private Target shards;

  @SuppressWarnings("NullAway.Init")
  private List<Target> emulating;

  /** No replicas: WAIT must count none, as on the reference servers. */
  void start() {
    ServerProcess plain = ServerProcess.start();
    started.addFirst(plain::close);
    ServerProcess behind = ServerProcess.builder().unixSocket().start();
    started.addFirst(behind::close);
    EmbeddedCluster one = EmbeddedCluster.builder().masters(1).start();
    started.addFirst(one::close);
    EmbeddedCluster three = EmbeddedCluster.builder().masters(3).nodeTimeout(NODE_TIMEOUT).start();
    started.addFirst(three::close);
    ProxyFixture beforeCluster = ProxyFixture.of(three).startReady();
    started.addFirst(beforeCluster::close);
    ProxyFixture beforeSingle = ProxyFixture.ofUnixSocket(behind).startReady();
    started.addFirst(beforeSingle::close);
    SentinelGroup group = SentinelGroup.builder().replicas(0).start();
    started.addFirst(group::close);
    ProxyFixture beforeGroup = ProxyFixture.of(group).startReady();
    started.addFirst(beforeGroup::close);
    server = Target.direct(plain);
    node = Target.direct(one);
    cluster = Target.through(beforeCluster, three);
    single = Target.through(beforeSingle, behind);
    sentinel = Target.through(beforeGroup, group);
    proxies = startProxies();
    ShardedServers sharded = ShardedServers.start();
    started.addFirst(sharded::close);
    shards = Target.through(started(ProxyFixture.of(sharded.upstream(null))), sharded);
    emulating =
        List.of(
            Target.through(started(ProxyFixture.of(three).emulatesCrossSlot()), three),
            Target.through(
                started(ProxyFixture.of(sharded.upstream(null)).emulatesCrossSlot()), sharded));
    emulating.forEach(target -> started.addFirst(target::close));
    List.of(server, node, cluster, single, sentinel, proxies, shards)
        .forEach(target -> started.addFirst(target::close));
    proxies().forEach(target -> awaitLearnt(target::call));
    emulating.forEach(target -> awaitLearnt(target::call));
  }

  /** Starts Penstock in front of two Penstocks, which are in front of one server. */
  private Target startProxies() {
    ServerProcess behind = ServerProcess.start();
    started.addFirst(behind::close);
    List<ProxyFixture> equal = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      ProxyFixture proxy = ProxyFixture.of(behind).startReady();
      started.addFirst(proxy::close);
      equal.add(proxy);
      try (RespClient client = proxy.connect()) {
        awaitLearnt(client::call); // else Penstock learns from it what it did not know yet
      }
    }
    ProxyFixture before = ProxyFixture.ofProxies(equal).startReady();
    started.addFirst(before::close);
    return Target.through(before, equal, behind);
  }

  private ProxyFixture started(ProxyFixture.Builder settings) {
    ProxyFixture proxy = settings.startReady();
    started.addFirst(proxy::close);
    return proxy;
  }

  /** Waits until Penstock has learnt from its nodes which commands they have. */
  private void awaitLearnt(Function<String[], String> penstock) {
    String[] request = {"COMMAND", "COUNT"};
    String expected = server.call(request);
    await().untilAsserted(() -> assertThat(penstock.apply(request)).isEqualTo(expected));
  }

  /** Returns a reference server without cluster mode. */
  Target server() {
    return server;
  }

  /** Returns a reference server that is the only node of a cluster and has every slot. */
  Target node() {
    return node;
  }

  /** Returns Penstock in front of a cluster of three masters. */
  Target cluster() {
    return cluster;
  }

  /** Returns Penstock in front of upstreams with databases. */
  List<Target> withDatabases() {
    return List.of(single, sentinel, proxies, shards);
  }

  /** Returns Penstock in front of upstreams whose keys are on several nodes. */
  List<Target> ofSeveralNodes() {
    return List.of(cluster, shards);
  }

  /** Like {@link #ofSeveralNodes}, and it carries out commands over several slots. */
  List<Target> emulating() {
    return emulating;
  }

  /** Returns Penstock in front of the Unix socket of a server without cluster mode. */
  Target single() {
    return single;
  }

  /** Returns Penstock in front of upstreams whose keys are all in one partition. */
  List<Target> ofOnePartition() {
    return List.of(single, sentinel, proxies);
  }

  /** Returns Penstock in front of each upstream. */
  List<Target> proxies() {
    return List.of(cluster, single, sentinel, proxies, shards);
  }

  /** Cleans the server that replies are compared with, and all that is behind Penstock. */
  void clean() {
    server.clean();
    proxies().forEach(Target::clean);
  }

  @Override
  public void close() {
    started.forEach(Runnable::run);
  }
}
