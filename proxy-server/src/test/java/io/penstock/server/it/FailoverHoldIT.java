package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.observe.ProxyStats.HeldOutcome;
import io.penstock.server.it.Writers.Multi;
import io.penstock.server.it.Writers.Sequence;
import io.penstock.server.it.Writers.TwinCounters;
import io.penstock.server.it.Writers.Writer;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Failovers without errors for clients. The cluster serves no slot while one slot is uncovered,
 * which is Redis's default.
 */
class FailoverHoldIT {

  /** Number of planned failovers, {@code -Dpenstock.failovers=20}. */
  private static final int FAILOVERS = Integer.getInteger("penstock.failovers", 5);

  /** The node timeout of a cluster in which no node fails. */
  private static final Duration STEADY = Duration.ofSeconds(5);

  private static final int SLOT = 137;
  private static final String TAG = Keys.tag(SLOT);

  @SuppressWarnings("NullAway.Init")
  private static EmbeddedCluster cluster;

  private final Load load = new Load();
  private final List<Writer> writers = new ArrayList<>();

  @BeforeAll
  static void startCluster() {
    cluster = SharedCluster.start();
  }

  @AfterAll
  static void stopCluster() {
    cluster.close();
  }

  @AfterEach
  void stop() {
    load.close();
    writers.forEach(Writer::close);
    cluster.members().stream().filter(member -> !member.isRunning()).forEach(Member::restart);
    cluster.awaitHealthy();
    Keys.slotsOfMasters(cluster).forEach(slot -> Keys.empty(cluster, slot));
  }

  private void begin(Writer writer) {
    writers.add(writer);
    load.add(writer.name + " " + writers.size(), writer);
  }

  @Test
  void aKilledMasterCostsOnlyWritesInFlight() {
    Member master = cluster.masterOf(SLOT);
    Member replica = cluster.replicasOf(master).getFirst();
    List<Acknowledged> victims = new ArrayList<>();
    try (ProxyFixture proxy =
        ProxyFixture.of(cluster).commandTimeout(Duration.ofSeconds(5)).startReady()) {
      for (int i = 0; i < 4; i++) {
        victims.add(new Acknowledged(proxy.connect(), TAG + "text:" + i));
      }
      victims.forEach(this::begin);
      for (int depth : new int[] {1, 20}) {
        begin(new Reader(proxy.connect(), TAG + "read:" + depth, depth));
      }
      for (int slot : Keys.slotsOfMasters(cluster)) {
        if (cluster.masterOf(slot) != master) { // answers CLUSTERDOWN for some time
          begin(new Sequence(proxy.connect(), Keys.tag(slot), 1));
          begin(new TwinCounters(proxy.connect(), Keys.tag(slot) + "twins", false));
        }
      }
      load.awaitFullSteps();
      Awaitility.await("each has a replicated write")
          .atMost(Duration.ofSeconds(30))
          .until(() -> victims.stream().allMatch(victim -> victim.confirms));

      master.kill();
      cluster.awaitMaster(replica);
      load.awaitFullSteps();
      load.stop();

      try (RespClient fresh = proxy.connect()) {
        writers.forEach(writer -> writer.verify(fresh));
      }
      assertThat(proxy.stats().held().now()).isZero();
      assertThat(proxy.stats().held().count(HeldOutcome.SERVED)).isPositive();
      assertThat(proxy.stats().held().count(HeldOutcome.FAILED)).isZero();
    }
    System.out.println("writes with an unknown outcome: " + victims);
  }

  /**
   * A master that hands over delays its clients' commands until the replica has caught up, for up
   * to five seconds (CLUSTER_MF_TIMEOUT in Redis's cluster.h). The command timeout is longer,
   * because the commands are in flight meanwhile.
   *
   * <p>The node timeout is longer than any stall of a loaded machine. A cluster that wrongly marks
   * a master as failed promotes a replica, and writes that the old master acknowledges before it
   * notices are lost, with or without a proxy.
   */
  @Test
  void consecutivePlannedFailoversCauseNoErrors() {
    try (EmbeddedCluster steady = SharedCluster.builder().nodeTimeout(STEADY).start();
        ProxyFixture proxy =
            ProxyFixture.of(steady).commandTimeout(Duration.ofSeconds(6)).startReady()) {
      load.pauseBetweenSteps(Duration.ofMillis(5));
      List<Integer> slots = Keys.slotsOfMasters(steady);
      for (int slot : slots) {
        String tag = Keys.tag(slot);
        for (int depth : new int[] {1, 50}) {
          begin(new Sequence(proxy.connect(), tag + depth, depth));
        }
        begin(new Multi(proxy.connect(), List.of(tag + "m1", tag + "m2")));
        begin(new TwinCounters(proxy.connect(), tag + "twins", false));
      }
      begin(new Multi(proxy.connect(), slots.stream().map(s -> Keys.tag(s) + "e").toList()));
      try {
        handOver(steady, slots);
        load.stop();
        try (RespClient fresh = proxy.connect()) {
          writers.forEach(writer -> writer.verify(fresh));
        }
      } catch (AssertionError e) {
        steady.members().forEach(m -> System.out.println(m + ":\n" + m.server().logTail()));
        throw e;
      }
      System.out.println(FAILOVERS + " planned failovers, " + load.steps() + " steps of clients");
    }
  }

  private void handOver(EmbeddedCluster steady, List<Integer> slots) {
    Map<Member, Long> votes = new HashMap<>();
    for (int i = 0; i < FAILOVERS; i++) {
      load.awaitFullSteps();
      Member master = steady.masterOf(slots.get(i % slots.size()));
      awaitVotes(master, votes);
      steady.failover(steady.replicasOf(master).getFirst());
      votes.put(master, System.nanoTime());
    }
    load.awaitFullSteps();
  }

  /** Masters vote for a replica of one master only once in two node timeouts. */
  private static void awaitVotes(Member master, Map<Member, Long> votes) {
    Long last = votes.get(master);
    if (last != null) {
      Awaitility.await("votes for a replica of " + master)
          .atMost(STEADY.multipliedBy(3))
          .until(() -> System.nanoTime() - last > 2 * STEADY.toNanos());
    }
  }

  @Test
  void aRestartedSingleServerCostsOnlyWritesInFlight() {
    try (ServerProcess server = ServerProcess.builder().option("appendonly", "yes").start();
        ProxyFixture proxy =
            ProxyFixture.of(server).commandTimeout(Duration.ofSeconds(1)).startReady()) {
      try (RespClient wire = proxy.connect()) {
        server.kill();
        proxy.awaitLoss();
        wire.send("SET", "k", "held");
        Awaitility.await("the request is held").until(() -> proxy.stats().held().now() == 1);
        server.restart();

        assertThat(wire.read()).isEqualTo("+OK\r\n");
        assertThat(wire.call("GET", "k")).isEqualTo(Wire.bulk("held"));
      }
    }
  }

  @Test
  void heldRequestsOfADisconnectedClientAreDropped() {
    try (ServerProcess server = ServerProcess.start();
        ProxyFixture proxy = ProxyFixture.of(server).startReady()) {
      server.kill();
      proxy.awaitLoss();
      try (RespClient wire = proxy.connect()) {
        wire.send("SET", "gone", "1");
        Awaitility.await("the request is held").until(() -> proxy.stats().held().now() == 1);
      }
      try (RespClient stays = proxy.connect()) {
        stays.send("SET", "stays", "1");
        Awaitility.await("the request is held").until(() -> proxy.stats().held().now() >= 1);
        server.restart();

        assertThat(stays.read()).isEqualTo("+OK\r\n");
        assertThat(stays.call("EXISTS", "gone", "stays")).isEqualTo(":1\r\n");
      }
      Awaitility.await().until(() -> proxy.stats().held().count(HeldOutcome.DISCONNECTED) == 1);
    }
  }

  /** Reads its key repeatedly; no error is allowed. */
  private static final class Reader extends Writer {
    private final String key;
    private final int depth;

    Reader(RespClient wire, String key, int depth) {
      super(wire, "reader");
      this.key = key;
      this.depth = depth;
    }

    @Override
    public void run() {
      for (int i = 0; i < depth; i++) {
        wire.write(Wire.request("STRLEN", key));
      }
      wire.flush();
      for (int i = 0; i < depth; i++) {
        assertThat(wire.read()).isEqualTo(":0\r\n");
      }
    }

    @Override
    void verify(RespClient fresh) {
      assertThat(fresh.call("STRLEN", key)).isEqualTo(":0\r\n");
    }
  }

  /**
   * Appends numbers. A number that a replica has acknowledged must be there once, even if the
   * master is killed; every other number at most once.
   */
  private static final class Acknowledged extends Writer {
    private final String key;
    private final Set<Long> confirmed = new LinkedHashSet<>();
    private final List<Long> unknown = new ArrayList<>();
    private volatile boolean confirms;
    private long next;

    Acknowledged(RespClient wire, String key) {
      super(wire, "acknowledged");
      this.key = key;
    }

    @Override
    public void run() {
      long number = ++next;
      String reply = wire.call("APPEND", key, Sequence.token(number));
      if (!reply.startsWith(":")) {
        assertThat(reply).startsWith("-CONNLOST ");
        unknown.add(number);
      } else if (wire.call("WAIT", "1", "500").equals(":1\r\n")) {
        confirmed.add(number);
        confirms = true;
      }
    }

    @Override
    void verify(RespClient fresh) {
      List<Long> there = new ArrayList<>();
      for (String number : Wire.content(fresh.call("GET", key)).split(",", -1)) {
        if (!number.isEmpty()) {
          there.add(Long.parseLong(number));
        }
      }
      assertThat(there).as("each at most once, in order").doesNotHaveDuplicates().isSorted();
      assertThat(there).as("acknowledged writes").containsAll(confirmed);
      assertThat(confirmed).as("replicated writes").isNotEmpty();
      assertThat(unknown).as("at most the one write in flight").hasSizeLessThanOrEqualTo(1);
    }

    @Override
    public String toString() {
      return unknown.size() + " of " + next;
    }
  }
}
