package io.penstock.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.bench.Needed;
import io.penstock.bench.harness.Target;
import io.penstock.bench.measure.Load;
import io.penstock.bench.measure.LoadFailure;
import io.penstock.bench.measure.Measure;
import io.penstock.bench.measure.Meter;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.cluster.ServerProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The keys that redis-benchmark leaves in a cluster. */
class RedisBenchmarkIT {

  private static final int KEYS = 60_000;
  private static final Scale SCALE = new Scale(30_000, Duration.ofMillis(500), KEYS, 10);

  @BeforeAll
  static void needsPrograms() {
    Needed.program("redis-benchmark", "valkey-benchmark");
  }

  @Test
  void straightToAClusterThereAreAsManyKeysAsElsewhere() throws Exception {
    try (EmbeddedCluster cluster = EmbeddedCluster.builder().start()) {
      Load get = benchmark("get", 3);
      Target direct = new Target.Direct("direct", cluster);

      get.prepare(direct);

      long prepared = size(cluster, "key:*");
      assertThat(prepared).isBetween(9L * KEYS / 10, (long) KEYS);
      assertThat(get.run(direct, new Meter(0)).values()).containsKey(Measure.THROUGHPUT);
      int large = 16 << 10;
      Load set = benchmark("set", large);
      cluster.masters().forEach(master -> master.text("FLUSHALL"));
      if (succeeds(set, direct)) {
        assertThat(size(cluster, "key:*")).isBetween(1L, (long) SCALE.keysOf(large));
      } else {
        assertThat(size(cluster, "key:*")).isZero();
      }
    }
  }

  @Test
  void aTargetMayBeAUnixSocket() throws Exception {
    try (ServerProcess server = ServerProcess.builder().unixSocket().start()) {
      Target target = new Target.Address("server", server.unixSocket().toString(), 0, 0);
      Load get = benchmark("get", 3);

      get.prepare(target);

      assertThat(get.run(target, new Meter(0)).values()).containsKey(Measure.THROUGHPUT);
      assertThat(Long.parseLong(server.text("DBSIZE"))).isPositive();
    }
  }

  private static boolean succeeds(Load load, Target target)
      throws IOException, InterruptedException {
    try {
      load.prepare(target);
    } catch (LoadFailure e) {
      assertThat(e).hasMessageContaining("more than 64 MiB");
      return false;
    }
    load.run(target, new Meter(0));
    return true;
  }

  private static Load benchmark(String test, int bytes) {
    List<String> arguments = List.of("-t", test, "-c", "10", "-d", "" + bytes);
    BenchmarkKeys keys = new BenchmarkKeys.Many(SCALE, bytes, test.equals("get"));
    return new RedisBenchmark("group", test, SCALE.requests(), arguments, keys);
  }

  private static long size(EmbeddedCluster cluster, String pattern) {
    long size = 0;
    for (Member master : cluster.masters()) {
      size +=
          Long.parseLong(master.text("EVAL", "return #redis.call('KEYS', ARGV[1])", "0", pattern));
    }
    return size;
  }
}
