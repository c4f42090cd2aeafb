package io.penstock.bench.load;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.bench.harness.Target;
import io.penstock.bench.measure.LoadFailure;
import io.penstock.bench.measure.Meter;
import io.penstock.testkit.cluster.ServerProcess;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A load whose requests fail reports the failure. */
class FailingServerIT {

  private static final Scale SCALE = new Scale(100, Duration.ofMillis(200), 100, 50);

  @Test
  void errorsInAPipeline() throws Exception {
    try (ServerProcess server = ServerProcess.start()) {
      JedisLoad load = new JedisLoad(JedisOperation.PIPELINE_GET, 1, SCALE, 0, 0);
      load.prepare(target(server));
      server.text("FLUSHALL");
      for (String key : new JedisOperation.Keys(SCALE.keys()).all()) {
        server.text("LPUSH", key, "no string");
      }

      assertThatExceptionOfType(LoadFailure.class)
          .isThrownBy(() -> load.run(target(server), new Meter(0)))
          .withMessageContaining("WRONGTYPE");
    }
  }

  @Test
  void keysThatCannotBeMade() {
    try (ServerProcess server = ServerProcess.builder().option("maxmemory", "1").start()) {
      var jedis = new JedisLoad(JedisOperation.GET, 1, SCALE, 0, 0);
      var wire = new BatchLoad("group", "load", BatchPlan.gets(1, 1, 30), SCALE);

      assertThatThrownBy(() -> jedis.prepare(target(server))).hasMessageContaining("OOM");
      // all keys are in one batch, the last
      assertThatThrownBy(() -> wire.prepare(target(server))).hasMessageContaining("OOM");
    }
  }

  @Test
  void theOneRequestOfAnIdleConnection() {
    try (ServerProcess server = ServerProcess.start();
        BatchClients clients = BatchClients.idle(target(server), 20)) {
      server.text("LPUSH", "penstock:000000000000", "no string");

      assertThatExceptionOfType(LoadFailure.class)
          .isThrownBy(clients::sendOnce)
          .withMessageContaining("WRONGTYPE");
    }
  }

  @Test
  void connectionsThatAreRefused() {
    try (ServerProcess server = ServerProcess.builder().option("maxclients", "5").start();
        BatchClients clients = BatchClients.idle(target(server), 20)) {

      assertThatExceptionOfType(LoadFailure.class)
          .isThrownBy(clients::sendOnce)
          .withMessageMatching("(?s)(error reply -ERR max number of clients|.*onnection).*");
    }
  }

  private static Target.Address target(ServerProcess server) {
    return new Target.Address("server", server.host(), server.port(), 0);
  }
}
