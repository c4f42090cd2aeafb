package io.penstock.core.control;

import static org.awaitility.Awaitility.await;

import io.netty.handler.codec.haproxy.HAProxyProtocolVersion;
import io.penstock.core.upstream.Access;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.NodeTransport;
import io.penstock.core.upstream.ProxyChain;
import io.penstock.testkit.cluster.ServerProcess;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Against a server, through Lettuce. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ControlPlaneIT {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final ServerProcess server = ServerProcess.builder().start();
  private final Endpoint node = new Endpoint(server.host(), server.port());
  private final ControlPlane control = ControlPlane.create(Duration.ofSeconds(5));

  /** Starts Lettuce's threads. */
  @BeforeAll
  void query() {
    var answer = control.query(node, commands -> commands.ping()).toCompletableFuture();
    await().atMost(PATIENCE).until(answer::isDone);
  }

  @AfterAll
  void stop() {
    var closed = control.close().toCompletableFuture();
    await().until(closed::isDone);
    server.close();
  }

  /** Nodes with TLS or a header have a client of their own. */
  @Test
  void aReleasedControlPlaneForgetsTheTransportOfItsNodes() {
    WeakReference<NodeTransport> transport = queryAndRelease();

    await()
        .atMost(PATIENCE)
        .until(() -> {
          System.gc();
          return transport.get() == null;
        });
  }

  private WeakReference<NodeTransport> queryAndRelease() {
    ControlPlane released = control.with(Duration.ofSeconds(5), ProxyChain.withoutId());
    var transport = new NodeTransport(null, HAProxyProtocolVersion.V1);
    Endpoint other = node.with(new Access(null, 0, transport));
    var answer = released.query(other, commands -> commands.ping()).toCompletableFuture();
    await().atMost(PATIENCE).until(answer::isDone);
    released.release();
    return new WeakReference<>(transport);
  }

  /** At whatever moment of a query. */
  @Test
  void aReleasedControlPlaneLeavesNoConnection() {
    for (int micros = 0; micros < 3_000; micros += 10) {
      ControlPlane released = control.with(Duration.ofSeconds(5), ProxyChain.withoutId());
      var answer = released.query(node, commands -> commands.ping()).toCompletableFuture();
      var kept = released.connect(node).toCompletableFuture();
      LockSupport.parkNanos(micros * 1_000L);

      released.release();

      await().atMost(PATIENCE).until(() -> answer.isDone() && kept.isDone());
    }

    await()
        .atMost(PATIENCE)
        .until(() -> server.text("CLIENT", "LIST").lines().count() == 1); // this one
  }
}
