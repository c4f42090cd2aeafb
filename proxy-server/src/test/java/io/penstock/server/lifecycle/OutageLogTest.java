package io.penstock.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.penstock.core.backend.BackendException;
import io.penstock.core.cluster.SlotMap;
import io.penstock.core.observe.FailoverHoldReport;
import io.penstock.core.observe.UpstreamStatus;
import io.penstock.core.observe.UpstreamStatus.NodeStatus;
import io.penstock.core.observe.UpstreamStatus.Trouble;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.Shard;
import io.penstock.core.upstream.SinglePlacement;
import io.penstock.core.upstream.UnknownPlacement;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class OutageLogTest {

  private static final Endpoint A = new Endpoint("10.0.0.1", 7000);
  private static final Endpoint A2 = new Endpoint("10.0.0.2", 7000);
  private static final Endpoint B = new Endpoint("10.0.0.3", 7000);
  private static final String MASTER = "Master 10.0.0.1:7000 of slots 0-5460";
  private static final Instant LATER = Instant.MAX;
  private static final Trouble REFUSED = new Trouble("Connection refused", false);
  private static final String CLUSTERDOWN = "CLUSTERDOWN The cluster is down";

  private final Logger logger = (Logger) LoggerFactory.getLogger(OutageLog.class);
  private final ListAppender<ILoggingEvent> appender = new ListAppender<>();
  private long now = Long.MAX_VALUE - 5; // nanoTime may overflow at any moment
  private final OutageLog log = new OutageLog(() -> now, Runnable::run);

  @BeforeEach
  void listen() {
    logger.setLevel(Level.INFO);
    appender.start();
    logger.addAppender(appender);
    log.topologyRefreshed(RefreshTrigger.STARTUP, Duration.ZERO, map(A, A2), null);
  }

  @AfterEach
  void stopListening() {
    logger.detachAppender(appender);
    logger.setLevel(null);
  }

  private static Placement map(Endpoint first, Endpoint... replicas) {
    return new SlotMap.Builder()
        .shard(new Shard(first, List.of(replicas), 1))
        .range(0, 5460)
        .shard(new Shard(B, List.of(), 2))
        .range(5461, 16_383)
        .build();
  }

  private void pass(Duration time) {
    now += time.toNanos();
  }

  private void refreshed(Placement map) {
    log.topologyRefreshed(RefreshTrigger.HELD, Duration.ZERO, map, null);
  }

  /** Reports a health check. Nodes that are up answered in the future, which counts as now. */
  private void checked(Placement map, Endpoint... down) {
    Set<Endpoint> dead = Set.of(down);
    List<NodeStatus> nodes = new ArrayList<>();
    for (Shard shard : map.shards()) {
      nodes.add(status(shard.master(), true, dead));
      shard.replicas().forEach(replica -> nodes.add(status(replica, false, dead)));
    }
    log.healthChecked(new UpstreamStatus(map, SlotMap.SLOTS, List.of(), nodes));
  }

  private static NodeStatus status(Endpoint node, boolean master, Set<Endpoint> dead) {
    return dead.contains(node)
        ? new NodeStatus(node, master, false, false, Instant.EPOCH, REFUSED)
        : new NodeStatus(node, master, true, true, LATER, null);
  }

  private static FailoverHoldReport held(Duration lasted, long served, long failed) {
    return new FailoverHoldReport(lasted, served + failed, served, failed, null);
  }

  private static FailoverHoldReport rejected(Duration lasted, long failed) {
    return new FailoverHoldReport(lasted, failed, 0, failed, CLUSTERDOWN);
  }

  /** Reports that A answers a health check, but does not serve. */
  private void checkedRejecting(boolean servedShortlyBefore, String reason) {
    Instant served = servedShortlyBefore ? Instant.EPOCH : null;
    var trouble = new Trouble(reason, true);
    log.healthChecked(
        new UpstreamStatus(
            map(A),
            0,
            List.of(),
            List.of(
                new NodeStatus(A, true, true, servedShortlyBefore, served, trouble),
                status(B, true, Set.of()))));
  }

  private List<String> lines() {
    return appender.list.stream()
        .map(event -> event.getLevel() + " " + event.getFormattedMessage())
        .toList();
  }

  @Test
  void aFailoverIsLoggedWithMastersSlotsAndHeldRequests() {
    log.backendConnected(A);
    log.backendDisconnected(A, new ConnectException("Connection refused"));
    pass(Duration.ofMillis(250));
    log.failoverHoldBegan(A, null);
    log.failoverHoldBegan(A, null);
    pass(Duration.ofMillis(5_950));
    refreshed(map(A2));
    log.failoverHoldEnded(A, held(Duration.ofMillis(6_200), 7, 0));
    log.failoverHoldEnded(A, held(Duration.ofMillis(6_100), 5, 0));

    assertThat(lines())
        .containsExactly(
            "INFO Connection to 10.0.0.1:7000 lost: Connection refused",
            "WARN " + MASTER + " does not answer (Connection refused); failover hold started",
            "INFO Failover: 10.0.0.2:7000 replaced 10.0.0.1:7000 as master of slots 0-5460 after"
                + " 6.2 s; failover hold: 12 requests, 12 served, 0 failed");
  }

  @Test
  void anOutageContinuesAfterAllHeldRequestsHaveFailed() {
    log.failoverHoldBegan(A, null);
    log.backendDisconnected(A, new ConnectException("refused"));
    for (int i = 0; i < 5; i++) {
      pass(Duration.ofSeconds(10));
      log.failoverHoldEnded(A, held(Duration.ofSeconds(10), 0, 3));
      checked(map(A, A2), A, B);
      log.failoverHoldBegan(A, null);
    }
    pass(Duration.ofSeconds(7));
    log.failoverHoldEnded(A, held(Duration.ofSeconds(7), 0, 2));

    assertThat(lines())
        .containsExactly(
            "WARN " + MASTER + " does not answer; failover hold started",
            "WARN Master 10.0.0.3:7000 of slots 5461-16383 does not answer (Connection refused)");

    checked(map(A, A2), B);
    assertThat(lines()).as("only the health check has reached it").hasSize(2);
    log.backendConnected(A);
    checked(map(A, A2), B);
    assertThat(lines())
        .last()
        .isEqualTo(
            "WARN "
                + MASTER
                + " answers again after 57.0 s; failover hold: 17 requests, 0 served, 17 failed");
  }

  @Test
  void aNodeThatAnswersButRejectsRequestsIsNotSaidToBeSilent() {
    log.backendConnected(A);
    log.failoverHoldBegan(A, CLUSTERDOWN);
    pass(Duration.ofSeconds(2));
    checkedRejecting(true, "CLUSTERDOWN, cluster_state:fail");
    pass(Duration.ofSeconds(8));
    log.failoverHoldEnded(A, rejected(Duration.ofSeconds(10), 1));
    pass(Duration.ofSeconds(60));
    checkedRejecting(false, "CLUSTERDOWN, cluster_state:fail");
    pass(Duration.ofSeconds(5));
    checked(map(A));

    assertThat(lines())
        .containsExactly(
            "WARN " + MASTER + " rejects requests (" + CLUSTERDOWN + "); failover hold started",
            "WARN "
                + MASTER
                + " still rejects requests after 70.0 s (CLUSTERDOWN, cluster_state:fail);"
                + " failover hold: 1 request, 0 served, 1 failed",
            "WARN "
                + MASTER
                + " no longer rejects requests after 75.0 s; failover hold: 1 request, 0 served,"
                + " 1 failed");
  }

  @Test
  void slotsThatMoveAfterAnOutageAreNoFailover() {
    log.failoverHoldBegan(A, CLUSTERDOWN);
    log.failoverHoldEnded(A, rejected(Duration.ofSeconds(10), 1));
    checkedRejecting(true, CLUSTERDOWN);
    checked(map(A));
    int ended = lines().size();

    pass(Duration.ofSeconds(60));
    refreshed(withSlotsMovedFrom(A));

    assertThat(lines()).hasSize(ended).noneMatch(line -> line.contains("Failover"));
  }

  @Test
  void slotsThatMoveDuringAnOutageAreNoFailover() {
    log.failoverHoldBegan(A, CLUSTERDOWN);
    refreshed(withSlotsMovedFrom(A));
    log.failoverHoldEnded(A, rejected(Duration.ofSeconds(10), 1));

    assertThat(lines()).hasSize(1).noneMatch(line -> line.contains("Failover"));
  }

  private static Placement withSlotsMovedFrom(Endpoint master) {
    return new SlotMap.Builder()
        .shard(new Shard(master, List.of(), 1))
        .range(10, 5460)
        .shard(new Shard(B, List.of(), 2))
        .range(0, 9)
        .range(5461, 16_383)
        .build();
  }

  @Test
  void twoOutagesOfANodeHaveTheirOwnFigures() {
    log.failoverHoldBegan(A, CLUSTERDOWN);
    pass(Duration.ofSeconds(10));
    log.failoverHoldEnded(A, rejected(Duration.ofSeconds(10), 2));
    checkedRejecting(true, CLUSTERDOWN);
    checked(map(A, A2));
    pass(Duration.ofSeconds(85));
    log.failoverHoldBegan(A, null);
    pass(Duration.ofMillis(4_500));
    refreshed(map(A2));
    log.failoverHoldEnded(A, held(Duration.ofMillis(4_500), 3, 0));

    assertThat(lines())
        .last()
        .isEqualTo(
            "INFO Failover: 10.0.0.2:7000 replaced 10.0.0.1:7000 as master of slots 0-5460 after"
                + " 4.5 s; failover hold: 3 requests, 3 served, 0 failed");
    assertThat(lines()).hasSize(4);
  }

  @Test
  void rejectionsThatNoCheckSeesEndWhenServedOrAfterSomeTime() {
    log.failoverHoldBegan(A, "TRYAGAIN Multiple keys request during rehashing of slot");
    log.failoverHoldEnded(A, rejected(Duration.ofSeconds(10), 1));
    pass(Duration.ofSeconds(2));
    checked(map(A));
    pass(Duration.ofSeconds(8));
    checked(map(A));
    assertThat(lines()).as("it may still reject them").hasSize(1);
    pass(Duration.ofSeconds(2));
    checked(map(A));
    assertThat(lines()).last().asString().contains("no longer rejects requests after 12.0 s");

    log.failoverHoldBegan(A, "TRYAGAIN Multiple keys request during rehashing of slot");
    pass(Duration.ofSeconds(1));
    log.failoverHoldEnded(A, held(Duration.ofSeconds(1), 1, 0));
    pass(Duration.ofSeconds(1));
    checked(map(A));
    assertThat(lines()).last().asString().contains("no longer rejects requests after 1.0 s");
  }

  @Test
  void anOutageSaysWhenTheNodeAnswersAgainButRejectsRequests() {
    checked(map(A), A);
    pass(Duration.ofSeconds(4));
    checkedRejecting(false, "LOADING the dataset");
    pass(Duration.ofSeconds(6));
    checkedRejecting(false, "LOADING the dataset");
    pass(Duration.ofSeconds(1));
    checked(map(A));

    assertThat(lines())
        .containsExactly(
            "WARN " + MASTER + " does not answer (Connection refused)",
            "WARN " + MASTER + " now rejects requests after 15.0 s (LOADING the dataset)",
            "INFO " + MASTER + " no longer rejects requests after 16.0 s");
  }

  @Test
  void aRejectedHandshakeIsAnAnswer() {
    log.backendDisconnected(A, BackendException.handshakeFailed("WRONGPASS invalid password"));
    log.failoverHoldBegan(A, null);

    assertThat(lines())
        .containsExactly(
            "WARN "
                + MASTER
                + " rejects requests (WRONGPASS invalid password); failover hold started");
  }

  @Test
  void aSilentMasterIsLoggedWhenItIsReplacedAndABusyOneIsNot() {
    log.backendSilent(A);
    log.backendSilent(B);
    pass(Duration.ofMillis(2_300));
    log.backendSilent(A);
    refreshed(map(A2));
    checked(map(A2));

    assertThat(lines())
        .containsExactly(
            "WARN " + MASTER + " does not answer (no reply while requests are in flight)",
            "INFO Failover: 10.0.0.2:7000 replaced 10.0.0.1:7000 as master of slots 0-5460 after"
                + " 2.3 s");
  }

  @Test
  void anOutageEndsAlthoughNothingConnectsToTheNodeAnyMore() {
    checked(map(A, A2), A);
    log.backendDisconnected(A, new ConnectException("refused"));
    pass(Duration.ofSeconds(5));
    checked(map(A, A2));
    assertThat(lines()).as("event loops may still fail to connect").hasSize(1);
    pass(Duration.ofSeconds(6));
    checked(map(A, A2));

    assertThat(lines()).last().isEqualTo("INFO " + MASTER + " answers again after 10.0 s");
  }

  @Test
  void readsThatWaitForAReplicaAreNotSlotsWithoutAMaster() {
    log.failoverHoldBegan(null, null);
    log.failoverHoldEnded(null, held(Duration.ofSeconds(2), 4, 1));

    assertThat(lines()).isEmpty();
  }

  @Test
  void slotsWithoutAMasterLastFromTheirLossToTheirReturn() {
    Placement half = new SlotMap.Builder().shard(new Shard(A, List.of(), 1)).range(0, 5460).build();
    refreshed(half);
    pass(Duration.ofSeconds(3));
    log.failoverHoldBegan(null, null);
    pass(Duration.ofSeconds(10));
    log.failoverHoldEnded(null, held(Duration.ofSeconds(10), 0, 1));
    pass(Duration.ofSeconds(10));
    refreshed(map(A));
    assertThat(lines())
        .last()
        .isEqualTo(
            "WARN All slots have a master again after 23.0 s; failover hold: 1 request, 0 served, 1"
                + " failed");
  }

  @Test
  void withoutAMasterTheTimeCountsFromTheStart() {
    var started = new OutageLog(() -> now, Runnable::run);
    pass(Duration.ofSeconds(1));
    started.failoverHoldBegan(null, null);
    pass(Duration.ofSeconds(10));
    started.failoverHoldEnded(null, held(Duration.ofMillis(10_100), 0, 1));
    pass(Duration.ofSeconds(20));
    started.topologyRefreshed(RefreshTrigger.HELD, Duration.ZERO, map(A), null);

    assertThat(lines()).last().asString().contains("A master is known after 31.0 s");
  }

  @Test
  void anOutageThatLastsIsLoggedOnceAMinute() {
    for (int i = 0; i <= 100; i++) {
      checked(map(A), A);
      pass(Duration.ofSeconds(1));
    }

    assertThat(lines())
        .containsExactly(
            "WARN " + MASTER + " does not answer (Connection refused)",
            "WARN " + MASTER + " still does not answer after 65.0 s (Connection refused)");
  }

  @Test
  void aNodeThatFailsAgainDuringAHoldIsNotLoggedAsBack() {
    log.failoverHoldBegan(A, null);
    checked(map(A, A2));
    pass(Duration.ofSeconds(6));
    checked(map(A, A2), A);
    log.failoverHoldEnded(A, held(Duration.ofSeconds(6), 1, 1));
    assertThat(lines())
        .containsExactly("WARN " + MASTER + " does not answer; failover hold started");
  }

  @Test
  void slotsWithoutAMasterAreLoggedWithoutAnyRequests() {
    Placement half = new SlotMap.Builder().shard(new Shard(A, List.of(), 1)).range(0, 5460).build();
    for (int i = 0; i < 70; i++) {
      checked(half);
      pass(Duration.ofSeconds(1));
    }

    assertThat(lines())
        .containsExactly(
            "WARN No master for slots 5461-16383",
            "WARN No master for slots 5461-16383 for 60.0 s");
  }

  @Test
  void anOutageWithoutAnyRequestsIsLogged() {
    checked(map(A, A2), A2);
    pass(Duration.ofSeconds(30));
    checked(map(A, A2));
    checked(map(A, A2));

    assertThat(lines())
        .containsExactly(
            "WARN Replica 10.0.0.2:7000 does not answer (Connection refused)",
            "INFO Replica 10.0.0.2:7000 answers again after 35.0 s");
  }

  @Test
  void aNodeThatHasNotAnsweredYetHasAReason() {
    var hung = new NodeStatus(A, true, false, false, Instant.EPOCH, null);
    log.healthChecked(new UpstreamStatus(map(A), 0, List.of(), List.of(hung)));

    assertThat(lines()).containsExactly("WARN " + MASTER + " does not answer (no reply in time)");
  }

  @Test
  void lostConnectionsAreLoggedInWords() {
    log.backendConnected(A);
    log.backendDisconnected(
        A, new IOException("recvAddress(..) failed with error(-104): Connection reset by peer"));
    log.backendConnected(B);
    log.backendDisconnected(B, new ClosedChannelException());

    assertThat(lines())
        .containsExactly(
            "INFO Connection to 10.0.0.1:7000 lost: Connection reset by peer",
            "INFO Connection to 10.0.0.3:7000 lost: the connection was closed");
  }

  @Test
  void aNodeThatLeftTheTopologyIsLogged() {
    checked(map(A, A2), A2);
    pass(Duration.ofSeconds(3));
    checked(map(A));

    assertThat(lines())
        .last()
        .isEqualTo("INFO Replica 10.0.0.2:7000 has left the topology after 8.0 s");
  }

  @Test
  void anAnswerFromBeforeTheOutageDoesNotEndIt() {
    log.failoverHoldBegan(A, null);
    pass(Duration.ofSeconds(1));
    log.failoverHoldEnded(A, held(Duration.ofSeconds(1), 1, 0));
    NodeStatus early = new NodeStatus(A, true, true, true, Instant.EPOCH, null);
    log.healthChecked(new UpstreamStatus(map(A), 0, List.of(), List.of(early)));
    assertThat(lines()).hasSize(1);

    pass(Duration.ofSeconds(2));
    checked(map(A));
    assertThat(lines())
        .last()
        .isEqualTo(
            "INFO "
                + MASTER
                + " answers again after 1.0 s; failover hold: 1 request, 1 served, 0 failed");
  }

  @Test
  void lostConnectionsAreLoggedAtALimitedRate() {
    log.backendDisconnected(A, new ConnectException("never was one"));
    for (int i = 0; i < 3; i++) {
      log.backendConnected(A);
      log.backendDisconnected(A, new ConnectException("closed"));
    }
    log.backendConnected(A);
    pass(Duration.ofSeconds(11));
    log.backendDisconnected(A, new ConnectException("reset"));
    log.backendDisconnected(A, new ConnectException("refused"));

    assertThat(lines())
        .containsExactly(
            "INFO Connection to 10.0.0.1:7000 lost: closed",
            "INFO Connection to 10.0.0.1:7000 lost: reset");
  }

  @Test
  void holdsOnSlotsWithoutAMasterNameTheSlots() {
    Placement half = new SlotMap.Builder().shard(new Shard(A, List.of(), 1)).range(0, 5460).build();
    refreshed(half);
    log.failoverHoldBegan(null, null);
    pass(Duration.ofSeconds(2));
    log.failoverHoldEnded(null, held(Duration.ofSeconds(2), 4, 1));
    assertThat(lines())
        .containsExactly("WARN No master for slots 5461-16383; failover hold started");

    refreshed(map(A));
    assertThat(lines())
        .last()
        .isEqualTo(
            "WARN All slots have a master again after 2.0 s; failover hold: 5 requests, 4 served, 1"
                + " failed");
  }

  /** The name of a single server leads to another one, which has the same address. */
  @Test
  void anotherServerAtTheSameAddressIsNotNamedTwice() {
    refreshed(new SinglePlacement(new Shard(A, List.of(), 1)));
    log.failoverHoldBegan(A, "READONLY You can't write against a read only replica.");
    pass(Duration.ofSeconds(1));
    refreshed(new SinglePlacement(new Shard(A.successor(), List.of(), 2)));
    log.failoverHoldEnded(A, held(Duration.ofSeconds(1), 1, 0));

    assertThat(lines())
        .containsExactly(
            "WARN Master 10.0.0.1:7000 rejects requests (READONLY You can't write against a read"
                + " only replica.); failover hold started",
            "INFO Failover: another server at its address replaced 10.0.0.1:7000 as master after"
                + " 1.0 s; failover hold: 1 request, 1 served, 0 failed");
  }

  /** A single server, Sentinel, and shards, whose servers know nothing of slots. */
  @Test
  void serversWithoutSlotsAreNamedWithoutThem() {
    refreshed(new SinglePlacement(new Shard(A, List.of(A2), 1)));
    log.failoverHoldBegan(A, null);
    pass(Duration.ofSeconds(2));
    log.failoverHoldEnded(A, held(Duration.ofSeconds(2), 1, 0));
    refreshed(new SinglePlacement(new Shard(A2, List.of(), 2)));
    refreshed(UnknownPlacement.INSTANCE);
    log.failoverHoldBegan(null, null);
    pass(Duration.ofSeconds(3));
    log.failoverHoldEnded(null, held(Duration.ofSeconds(3), 1, 0));
    refreshed(new SinglePlacement(new Shard(A, List.of(), 3)));

    assertThat(lines())
        .containsExactly(
            "WARN Master 10.0.0.1:7000 does not answer; failover hold started",
            "INFO Failover: 10.0.0.2:7000 replaced 10.0.0.1:7000 as master after 2.0 s; failover"
                + " hold: 1 request, 1 served, 0 failed",
            "WARN No master is known; failover hold started",
            "INFO A master is known after 3.0 s; failover hold: 1 request, 1 served, 0 failed");
  }

  @Test
  void concurrentReportsOfLoopsAreOneOutage() throws Exception {
    ExecutorService inOrder = Executors.newSingleThreadExecutor();
    var shared = new OutageLog(() -> now, inOrder);
    shared.topologyRefreshed(RefreshTrigger.STARTUP, Duration.ZERO, map(A, A2), null);
    int loops = 4;
    int times = 500;
    try (ExecutorService threads = Executors.newFixedThreadPool(loops)) {
      List<Callable<Object>> each =
          Collections.nCopies(
              loops,
              () -> {
                for (int i = 0; i < times; i++) {
                  shared.failoverHoldBegan(A, null);
                  shared.failoverHoldEnded(A, held(Duration.ofMillis(1), 1, 0));
                }
                return "done";
              });
      for (Future<Object> done : threads.invokeAll(each)) {
        assertThat(done.get()).isEqualTo("done");
      }
    }
    shared.topologyRefreshed(RefreshTrigger.HELD, Duration.ZERO, map(A2), null);
    inOrder.close();

    assertThat(lines()).hasSize(2).last().asString().contains("hold: 2000 requests, 2000 served");
  }
}
