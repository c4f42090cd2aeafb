package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.observe.ProxyStats.HeldOutcome;
import io.penstock.server.it.Writers.Multi;
import io.penstock.server.it.Writers.Sequence;
import io.penstock.server.it.Writers.Twins;
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
 * Clients that are told nothing of a failover, in front of a cluster that serves no slot while one
 * is not served: Redis's default.
 */
class FailoverHoldIT {

  /** {@code -Dpenstock.failovers=20} for the whole of it. */
  private static final int FAILOVERS = Integer.getInteger("penstock.failovers", 5);

  /** Of a cluster that nobody dies in. */
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
  void aKilledMasterCostsNothingButWritesInFlight() {
    Member master = cluster.masterOf(SLOT);
    Member replica = cluster.replicasOf(master).getFirst();
    List<Acknowledged> victims = new ArrayList<>();
    try (ProxyFixture proxy =
        ProxyFixture.of(cluster).commandTimeout(Duration.ofSeconds(1)).startReady()) {
      for (int i = 0; i < 4; i++) {
        victims.add(new Acknowledged(proxy.connect(), TAG + "text:" + i));
      }
      victims.forEach(this::begin);
      for (int depth : new int[] {1, 20}) {
        begin(new Reader(proxy.connect(), TAG + "read:" + depth, depth));
      }
      for (int slot : Keys.slotsOfMasters(cluster)) {
        if (cluster.masterOf(slot) != master) { // refuses everything for some time
          begin(new Sequence(proxy.connect(), Keys.tag(slot), 1));
          begin(new Twins(proxy.connect(), Keys.tag(slot) + "twins", false));
        }
      }
      load.awaitFullSteps();

      master.kill();
      cluster.awaitMaster(replica);
      load.awaitFullSteps();
      load.stop();

      try (RespClient fresh = proxy.connect()) {
        writers.forEach(writer -> writer.verify(fresh));
      }
      assertThat(proxy.stats().held().now()).isZero();
      assertThat(proxy.stats().held().count(HeldOutcome.SERVED)).isPositive();
      assertThat(proxy.stats().held().count(HeldOutcome.GIVEN_UP)).isZero();
    }
    System.out.println("writes whose outcome is unknown: " + victims);
  }

  /**
   * A master that hands over holds its clients' commands until the replica has caught up, for up to
   * five seconds (CLUSTER_MF_TIMEOUT of Redis's cluster.h): they are sent, and time out before that
   * unless there is that patience.
   *
   * <p>The node timeout is longer than a loaded machine stands still: a cluster that takes a master
   * for dead which is not promotes a replica by itself, and what that master acknowledges until it
   * hears of it is lost, with or without a proxy.
   */
  @Test
  void plannedFailoversInARowCostNothing() {
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
        begin(new Twins(proxy.connect(), tag + "twins", false));
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
      awaitVotesAbout(master, votes);
      steady.failover(steady.replicasOf(master).getFirst());
      votes.put(master, System.nanoTime());
    }
    load.awaitFullSteps();
  }

  /** Masters do not vote about the same master again for two node timeouts. */
  private static void awaitVotesAbout(Member master, Map<Member, Long> votes) {
    Long last = votes.get(master);
    if (last != null) {
      Awaitility.await("votes about " + master)
          .atMost(STEADY.multipliedBy(3))
          .until(() -> System.nanoTime() - last > 2 * STEADY.toNanos());
    }
  }

  @Test
  void aSingleServerThatRestartsCostsNothingButWritesInFlight() {
    try (ServerProcess server = ServerProcess.builder().option("appendonly", "yes").start();
        ProxyFixture proxy =
            ProxyFixture.of(server).commandTimeout(Duration.ofSeconds(1)).startReady()) {
      try (RespClient wire = proxy.connect()) {
        server.kill();
        proxy.awaitLoss();
        wire.send("SET", "k", "held");
        Awaitility.await("it is held").until(() -> proxy.stats().held().now() == 1);
        server.restart();

        assertThat(wire.read()).isEqualTo("+OK\r\n");
        assertThat(wire.call("GET", "k")).isEqualTo(Wire.bulk("held"));
      }
    }
  }

  @Test
  void whatIsHeldForAClientThatGoesIsNotDone() {
    try (ServerProcess server = ServerProcess.start();
        ProxyFixture proxy = ProxyFixture.of(server).startReady()) {
      server.kill();
      proxy.awaitLoss();
      try (RespClient wire = proxy.connect()) {
        wire.send("SET", "gone", "1");
        Awaitility.await("it is held").until(() -> proxy.stats().held().now() == 1);
      }
      try (RespClient stays = proxy.connect()) {
        stays.send("SET", "stays", "1");
        Awaitility.await("it is held").until(() -> proxy.stats().held().now() >= 1);
        server.restart();

        assertThat(stays.read()).isEqualTo("+OK\r\n");
        assertThat(stays.call("EXISTS", "gone", "stays")).isEqualTo(":1\r\n");
      }
      Awaitility.await().until(() -> proxy.stats().held().count(HeldOutcome.DROPPED) == 1);
    }
  }

  /** Reads its key again and again, and lives with no error. */
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
   * Appends numbers. What a replica has acknowledged as well must be there once, whatever happens
   * to the master; everything else at most once.
   */
  private static final class Acknowledged extends Writer {
    private final String key;
    private final Set<Long> confirmed = new LinkedHashSet<>();
    private final List<Long> unknown = new ArrayList<>();
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
      assertThat(there).as("what was acknowledged").containsAll(confirmed);
      assertThat(confirmed).as("writes that a replica has").isNotEmpty();
      assertThat(unknown).as("a write in flight at a time").hasSizeLessThanOrEqualTo(1);
    }

    @Override
    public String toString() {
      return unknown.size() + " of " + next;
    }
  }
}
