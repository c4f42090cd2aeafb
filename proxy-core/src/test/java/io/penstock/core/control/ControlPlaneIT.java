package io.penstock.core.control;

import static org.awaitility.Awaitility.await;

import io.penstock.core.upstream.Endpoint;
import io.penstock.testkit.cluster.ServerProcess;
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

  /** At whatever moment of a query. */
  @Test
  void aReleasedControlPlaneLeavesNoConnection() {
    for (int micros = 0; micros < 3_000; micros += 10) {
      ControlPlane released = control.withTimeout(Duration.ofSeconds(5));
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
