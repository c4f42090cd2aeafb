package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.ServerProcess;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** Servers to compare with, and Penstock in front of others with the same data. */
final class DifferentialTestbed implements AutoCloseable {

  /** No replies depend on how fast nodes answer each other. */
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

  /** The servers to compare with have no replicas that WAIT could count, and neither have these. */
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

  /** Until Penstock counts arguments as this server does: it learns that from its nodes. */
  private void awaitLearnt(Target target) {
    await()
        .untilAsserted(() ->
            assertThat(target.call("COMMAND", "GETKEYS", "GET"))
                .isEqualTo(server.call("COMMAND", "GETKEYS", "GET")));
  }

  /** A server without cluster mode. */
  Target server() {
    return server;
  }

  /** The only node of a cluster: it has every slot. */
  Target node() {
    return node;
  }

  /** Penstock in front of a cluster of three masters. */
  Target cluster() {
    return cluster;
  }

  /** Penstock in front of a server without cluster mode. */
  Target single() {
    return single;
  }

  @Override
  public void close() {
    started.forEach(Runnable::run);
  }
}
