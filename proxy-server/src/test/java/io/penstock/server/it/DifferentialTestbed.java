package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.ServerProcess;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

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

  /** No replicas: WAIT must count none, as on the reference servers. */
  void start() {
    ServerProcess plain = ServerProcess.start();
    started.addFirst(plain::close);
    ServerProcess behind = ServerProcess.start();
    started.addFirst(behind::close);
    EmbeddedCluster one = EmbeddedCluster.builder().masters(1).start();
    started.addFirst(one::close);
    EmbeddedCluster three = EmbeddedCluster.builder().masters(3).nodeTimeout(NODE_TIMEOUT).start();
    started.addFirst(three::close);
    ProxyFixture beforeCluster = ProxyFixture.of(three).startReady();
    started.addFirst(beforeCluster::close);
    ProxyFixture beforeSingle = ProxyFixture.of(behind).startReady();
    started.addFirst(beforeSingle::close);
    server = Target.direct(plain);
    node = Target.direct(one);
    cluster = Target.through(beforeCluster, three);
    single = Target.through(beforeSingle, behind);
    List.of(server, node, cluster, single).forEach(target -> started.addFirst(target::close));
    List.of(cluster, single).forEach(this::awaitLearnt);
  }

  /** Waits until Penstock has learnt from its nodes how many arguments commands take. */
  private void awaitLearnt(Target target) {
    await()
        .untilAsserted(() ->
            assertThat(target.call("COMMAND", "GETKEYS", "GET"))
                .isEqualTo(server.call("COMMAND", "GETKEYS", "GET")));
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

  /** Returns Penstock in front of a server without cluster mode. */
  Target single() {
    return single;
  }

  @Override
  public void close() {
    started.forEach(Runnable::run);
  }
}
