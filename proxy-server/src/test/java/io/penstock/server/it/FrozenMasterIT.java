package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.FrozenNode;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A master is frozen until its replica has taken over, and then resumed. */
@ExtendWith(SharedCluster.class)
class FrozenMasterIT {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int CLIENTS = 4;

  private final EmbeddedCluster cluster;
  private final Load load = new Load();
  private final List<Appender> appenders = new ArrayList<>();

  @SuppressWarnings("NullAway.Init")
  private ProxyFixture proxy;

  @SuppressWarnings("NullAway.Init")
  private Member master;

  @SuppressWarnings("NullAway.Init")
  private Member replica;

  @SuppressWarnings("NullAway.Init")
  private String tag;

  @SuppressWarnings("NullAway.Init")
  private ShardUnderTest shard;

  FrozenMasterIT(EmbeddedCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeEach
  void start() {
    shard = ShardUnderTest.next(cluster);
    tag = shard.tag();
    master = shard.master();
    replica = shard.replica();
    proxy = ProxyFixture.of(cluster).eventLoops(1).startReady();
  }

  @AfterEach
  void stop() {
    load.close();
    appenders.forEach(appender -> appender.wire.close());
    proxy.close();
    shard.close();
  }

  /**
   * A command sent to a frozen master runs when the master is resumed, and is lost when it is
   * demoted. Therefore a command may be acknowledged only if the replica ran it, from the moment
   * the event loop knows the new topology.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void acknowledgedWritesSurviveAndNoneRunsTwice(boolean atOnce) {
    for (int i = 0; i < CLIENTS; i++) {
      appenders.add(new Appender(proxy.connect(), tag + "list" + i));
    }
    FrozenNode.freeze(master);
    appenders.forEach(appender -> load.add(appender.key, appender));
    awaitElection();
    long elected = System.nanoTime();
    if (atOnce) {
      until("the topology is known", this::isKnown);
      until("the event loop uses it", this::isUsed);
      master.resume();
    }
    until("clients are served", () -> appenders.stream().allMatch(Appender::isServed));
    System.out.printf(
        "served again %d ms after the election; errors: %s%n",
        (System.nanoTime() - elected) / 1_000_000, appenders);
    master.resume();
    until("the old master is a replica", () -> hasRole(master, "slave"));
    load.awaitFullSteps();
    load.stop();

    for (Appender appender : appenders) {
      List<Long> there = appender.there(replica);
      assertThat(there).as(appender.key).doesNotHaveDuplicates().isSorted();
      assertThat(there).as(appender.key).containsAll(appender.acknowledged);
    }
  }

  private static boolean hasRole(Member member, String role) {
    return member.text("INFO", "replication").contains("role:" + role);
  }

  private void awaitElection() {
    replica.takesOver(true);
    until("the replica takes over", () -> hasRole(replica, "master"));
    replica.takesOver(false);
  }

  private boolean isKnown() {
    return ProxyFixture.node(replica)
        .equals(
            proxy
                .proxy()
                .topology()
                .shards()
                .get(proxy.proxy().topology().ownerOf(shard.slot()))
                .master());
  }

  /** The event loop has a connection for the new master as soon as it has the topology. */
  private boolean isUsed() {
    return proxy.stats().nodes().stream().anyMatch(n -> n.node().port() == replica.port());
  }

  private static void until(String what, java.util.concurrent.Callable<Boolean> condition) {
    Awaitility.await(what)
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(5))
        .until(condition);
  }

  /**
   * Redis replicates asynchronously: a write that the master acknowledged and the replica did not
   * receive is lost with the master, with or without a proxy. Replicated writes survive.
   */
  @Test
  void onlyUnreplicatedWritesAreLostWithTheirMaster() {
    try (RespClient wire = proxy.connect()) {
      assertThat(wire.call("SET", tag + "replicated", "1")).isEqualTo("+OK\r\n");
      assertThat(wire.call("WAIT", "1", "5000")).isEqualTo(":1\r\n");
      FrozenNode.freeze(replica);
      master.text("CLIENT", "KILL", "TYPE", "replica");
      assertThat(wire.call("SET", tag + "alone", "1")).isEqualTo("+OK\r\n");
      master.kill();
      replica.resume();
      awaitElection();

      assertThat(wire.call("GET", tag + "replicated")).isEqualTo(Wire.bulk("1"));
      assertThat(wire.call("GET", tag + "alone")).isEqualTo("$-1\r\n");
    }
  }

  /** Pushes increasing numbers, each only once regardless of the reply. */
  private static final class Appender implements Runnable {
    private final RespClient wire;
    private final String key;
    private final List<Long> acknowledged = new ArrayList<>();
    private final List<String> errors = new ArrayList<>();
    private volatile boolean served;
    private long next;

    Appender(RespClient wire, String key) {
      this.wire = wire;
      this.key = key;
    }

    @Override
    public void run() {
      long number = ++next;
      String reply = wire.call("RPUSH", key, Long.toString(number));
      if (reply.startsWith(":")) {
        acknowledged.add(number);
        served = true;
      } else {
        assertThat(reply).matches("-(TIMEOUT|CONNLOST|UNAVAILABLE) [^\r]*\r\n");
        errors.add(reply.substring(0, reply.indexOf(' ')));
      }
    }

    boolean isServed() {
      return served;
    }

    List<Long> there(Member at) {
      String all =
          at.text("EVAL", "return table.concat(redis.call('LRANGE',KEYS[1],0,-1),',')", "1", key);
      return Arrays.stream(all.split(",", -1)).map(Long::valueOf).toList();
    }

    @Override
    public String toString() {
      return errors.toString();
    }
  }
}
