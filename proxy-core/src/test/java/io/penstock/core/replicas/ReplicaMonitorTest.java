package io.penstock.core.replicas;

import static io.penstock.core.replicas.Group.MASTER;
import static io.penstock.core.replicas.Group.R1;
import static io.penstock.core.replicas.Group.R2;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.observe.ReplicaState;
import io.penstock.core.observe.ReplicaStatus;
import io.penstock.core.upstream.Balance;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ReadFrom;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.core.upstream.ReadTargets;
import io.penstock.core.upstream.Zones;
import io.penstock.core.wire.LogLines;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ReplicaMonitorTest {

  private static final Endpoint R3 = new Endpoint("r", 3);

  private final Group group = new Group(ReadSettings.of(ReadFrom.REPLICA));

  private static Group limited(long maxLagBytes) {
    return new Group(
        new ReadSettings(
            ReadFrom.REPLICA, Balance.ROUND_ROBIN, Zones.NONE, maxLagBytes, Duration.ZERO, false));
  }

  private ReplicaState stateOf(Endpoint replica) {
    return status(group, replica).state();
  }

  private static ReplicaStatus status(Group group, Endpoint replica) {
    return group.monitor.status().stream()
        .filter(each -> each.node().equals(replica))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aReplicaIsReadFromItsFirstGoodAnswerOn() {
    group.node(R2).frozen = true;
    assertThat(group.targets()).isEmpty();

    group.start();
    assertThat(group.targets()).containsExactly(R1);
    assertThat(group.changes).isPositive();

    group.thaw(R2);
    assertThat(group.targets()).containsExactly(R1, R2);
  }

  @Test
  void beforeTheFirstAnswerOnlyPreferredPoliciesReadTheMaster() {
    assertThat(group.monitor.current().masterIfUnknown()).isFalse();
    var preferred = new Group(ReadSettings.of(ReadFrom.REPLICA_PREFERRED));
    assertThat(preferred.targets()).containsExactly(MASTER);
  }

  @Test
  void masterAnswersBeforeReplicasAreAsked() {
    group.start();
    assertThat(group.asked.subList(0, 3)).containsExactly(MASTER, R1, R2);
  }

  @Test
  void nothingIsPublishedWhileNothingChanges() {
    group.start();
    ReadTargets first = group.monitor.current();
    int changes = group.changes;

    group.rounds(10);

    assertThat(group.monitor.current()).isSameAs(first);
    assertThat(group.changes).isEqualTo(changes);
    assertThat(group.asked).hasSizeGreaterThan(30);
  }

  @Test
  void aDeadReplicaIsOutWithTheNextRound() {
    group.start();
    group.node(R1).failure = "Connection refused";

    group.rounds(1);

    assertThat(group.targets()).containsExactly(R2);
    group.rounds(1);
    assertThat(stateOf(R1)).isEqualTo(ReplicaState.UNREACHABLE);
    assertThat(status(group, R1).failure()).isEqualTo("Connection refused");
    group.node(R1).failure = "";
    group.rounds(1);
    assertThat(group.targets()).containsExactly(R1, R2);
  }

  @Test
  void aLostConnectionAloneDoesNotTakeAReplicaOut() {
    group.start();
    int changes = group.changes;
    var node = new MonitoredNode(R3);
    node.answered(group.node(R1).report());

    assertThat(node.failed("Connection reset")).as("asks again").isTrue();
    assertThat(node.answers()).isTrue();
    assertThat(node.failed("Connection reset")).isFalse();
    assertThat(node.answers()).isFalse();
    assertThat(group.changes).isEqualTo(changes);
  }

  @Test
  void aFrozenReplicaIsOutWithinASecond() {
    group.start();
    group.node(R1).frozen = true;

    group.rounds(2);
    assertThat(group.targets()).as("may still answer").containsExactly(R1, R2);
    group.thread.advance(Duration.ofSeconds(1).minus(Group.ROUND.multipliedBy(2)));
    assertThat(group.targets()).containsExactly(R2);
  }

  @Test
  void aFrozenReplicaIsBackWhenItAnswersInTime() {
    group.start();
    group.node(R1).frozen = true;
    group.rounds(10);
    int asked = group.asked.size();

    group.thaw(R1);

    assertThat(group.asked).as("the late answer is not believed").hasSize(asked + 1);
    assertThat(group.targets()).containsExactly(R1, R2);
    assertThat(status(group, R1).timesLeftOut()).isEqualTo(1);
    assertThat(status(group, R2).timesLeftOut()).isZero();
  }

  @Test
  void frozenMasterAndReplicaAreOutWithinASecond() {
    var any = new Group(ReadSettings.of(ReadFrom.ANY));
    any.start();
    assertThat(any.targets()).containsExactly(MASTER, R1, R2);
    any.node(MASTER).frozen = true;
    any.node(R1).frozen = true;

    any.thread.advance(Duration.ofSeconds(1));

    assertThat(any.targets()).containsExactly(R2);
    any.thaw(MASTER);
    any.thaw(R1);
    assertThat(any.targets()).containsExactly(MASTER, R1, R2);
  }

  @Test
  void eachStateTakesAReplicaOut() {
    group.start();
    Group.Node node = group.node(R1);
    checkOut(() -> node.linkUp = false, ReplicaState.LINK_DOWN);
    node.linkUp = true;
    checkOut(() -> node.syncing = true, ReplicaState.LINK_DOWN);
    node.syncing = false;
    checkOut(() -> node.refusal = "LOADING Redis is loading", ReplicaState.LOADING);
    checkOut(() -> node.refusal = "BUSY Redis is busy", ReplicaState.BUSY);
    checkOut(() -> node.refusal = "MASTERDOWN Link with MASTER", ReplicaState.LINK_DOWN);
    node.refusal = "NOPERM User penstock has no permissions to run the 'ping' command";
    group.rounds(1);
    assertThat(group.targets()).as("says nothing about reads").containsExactly(R1, R2);
    checkOut(() -> node.master = true, ReplicaState.OTHER_DATA);
    node.master = false;
    checkOut(() -> node.history = "h2", ReplicaState.OTHER_DATA);
    checkOut(() -> node.failure = "NOPERM no permissions for INFO", ReplicaState.UNREACHABLE);
  }

  private void checkOut(Runnable change, ReplicaState state) {
    change.run();
    group.rounds(2);
    assertThat(group.targets()).as(state.name()).containsExactly(R2);
    assertThat(stateOf(R1)).isEqualTo(state);
  }

  @Test
  void aReplicaIsOutWhileItLagsTooFar() {
    Group lagging = limited(100);
    lagging.node(R1).offset = 900;
    lagging.node(R2).offset = 899;
    lagging.start();
    assertThat(lagging.targets()).containsExactly(R1);

    lagging.rounds(1);
    assertThat(status(lagging, R2).state()).isEqualTo(ReplicaState.LAG);
    assertThat(status(lagging, R2).lagBytes()).isEqualTo(101);
    lagging.node(R2).offset = 1_000;
    lagging.rounds(1);
    assertThat(lagging.targets()).containsExactly(R1, R2);
  }

  @Test
  void aReplicaThatIsAheadOfTheMastersAnswerDoesNotLag() {
    Group exact = limited(0);
    exact.node(R1).offset = 1_014; // the master has written since it answered
    exact.start();

    assertThat(exact.targets()).containsExactly(R1, R2);
    exact.rounds(1);
    assertThat(status(exact, R1).lagBytes()).isZero();
  }

  @Test
  void aReplicaThatHasNotAnsweredYetDoesNotLagMore() {
    Group busy = limited(100);
    busy.start();
    busy.node(MASTER).offset = 2_000;
    busy.node(R2).offset = 2_000;
    busy.node(R1).frozen = true;

    busy.rounds(1); // R2 has answered, R1 has been asked

    assertThat(busy.targets()).containsExactly(R1, R2);
    busy.node(R1).offset = 2_000;
    busy.thaw(R1);
    assertThat(busy.targets()).containsExactly(R1, R2);
  }

  @Test
  void aNewHistoryCountsWhenTheReplicaWasAskedAfterIt() {
    group.start();
    List.of(MASTER, R1, R2).forEach(node -> group.node(node).history = "h2");
    group.node(R1).frozen = true;

    group.rounds(1);

    assertThat(group.targets()).containsExactly(R1, R2);
    group.thaw(R1);
    assertThat(group.targets()).containsExactly(R1, R2);
  }

  @Test
  void theStatusIsAsNewAsTheTargets() {
    Group late = limited(100);
    late.node(MASTER).frozen = true;
    late.start();
    late.rounds(2);
    assertThat(status(late, R1).state()).as("its lag is not known").isEqualTo(ReplicaState.LAG);

    late.thaw(MASTER);

    assertThat(late.targets()).containsExactly(R1, R2);
    assertThat(status(late, R1).state()).isEqualTo(ReplicaState.READABLE);
    late.node(R1).linkUp = false;
    late.rounds(1);
    assertThat(late.targets()).containsExactly(R2);
    assertThat(status(late, R1).state()).isEqualTo(ReplicaState.LINK_DOWN);
  }

  @Test
  void withoutALimitNoLagMatters() {
    group.node(R1).offset = 0;
    group.start();

    assertThat(group.targets()).containsExactly(R1, R2);
    group.rounds(1);
    assertThat(status(group, R1).lagBytes()).isEqualTo(1_000);
  }

  @Test
  void offsetsOfTwoHistoriesAreNotCompared() {
    Group failedOver = limited(100);
    failedOver.start();
    failedOver.node(MASTER).history = "h2";
    failedOver.node(R1).history = "h2";
    failedOver.node(MASTER).offset = 2_000;
    failedOver.node(R1).offset = 1_990;

    failedOver.rounds(2);

    assertThat(failedOver.targets()).containsExactly(R1);
    assertThat(status(failedOver, R2).lagBytes()).isEqualTo(ReplicaStatus.UNKNOWN);
  }

  @Test
  void theLastOffsetOfASilentMasterCounts() {
    Group silent = limited(100);
    silent.start();
    silent.node(MASTER).frozen = true;
    silent.node(R1).offset = 800;

    silent.rounds(3);

    assertThat(silent.targets()).containsExactly(R2);
  }

  @Test
  void anUnknownLagIsTooMuchIfThereIsALimit() {
    Group unknown = limited(100);
    unknown.node(MASTER).failure = "Connection refused";
    unknown.start();
    unknown.rounds(2);

    assertThat(unknown.targets()).isEmpty();
    assertThat(status(unknown, R1).state()).isEqualTo(ReplicaState.LAG);
  }

  @Test
  void replicasAreAskedAlsoWhileTheMasterIsFrozen() {
    group.node(MASTER).frozen = true;
    group.start();
    assertThat(group.targets()).isEmpty();

    group.rounds(1);

    assertThat(group.targets()).containsExactly(R1, R2);
  }

  @Test
  void aNewReplicaIsAskedAtOnceAndARemovedOneLeaves() {
    group.start();
    group.node(R3).frozen = true;

    group.place(MASTER, R2, R3);

    assertThat(group.targets()).as("R3 has not answered").containsExactly(R2);
    assertThat(group.monitor.current().byMaster().get(MASTER)).containsExactly(R2);
    assertThat(group.kept).isEqualTo(Set.of(MASTER, R2, R3));
    group.thaw(R3);
    assertThat(group.targets()).containsExactly(R2, R3);
  }

  @Test
  void aPromotedReplicaIsNoReplicaAnyMore() {
    group.start();
    group.node(R1).master = true;
    group.node(MASTER).master = false;

    try (LogLines lines = LogLines.of("replicas.ReplicaMonitor")) {
      group.place(R1, R2, MASTER);

      assertThat(lines.get()).as("nothing was wrong").isEmpty();
    }
    assertThat(group.targets()).containsExactly(R2, MASTER);
    assertThat(group.monitor.current().byMaster()).containsOnlyKeys(R1);
  }

  @Test
  void targetsNeverNameANodeThatLeftTheShard() {
    group.start();
    ReadTargets before = group.monitor.current();
    group.place(MASTER, R2);

    assertThat(before.of(group.topology.map.shards().getFirst())).containsExactly(R2);
  }

  @Test
  void anAnswerOfARemovedNodeIsDropped() {
    group.node(R1).frozen = true;
    group.start();
    group.place(MASTER, R2);

    group.thaw(R1);

    assertThat(group.targets()).containsExactly(R2);
  }

  @Test
  void zonesThatServersReportAreUsed() {
    var settings =
        new ReadSettings(
            ReadFrom.REPLICA_PREFERRED,
            Balance.ROUND_ROBIN,
            new Zones("eu-1a", Map.of()),
            ReadSettings.NO_LAG_LIMIT,
            Duration.ZERO,
            false);
    var zoned = new Group(settings);
    zoned.node(R1).zone = "eu-1b";
    zoned.node(R2).zone = "eu-1a";
    zoned.start();
    assertThat(zoned.targets()).containsExactly(R2);

    zoned.node(R2).linkUp = false;
    zoned.rounds(1);

    assertThat(zoned.targets()).containsExactly(R1);
  }

  @Test
  void aClosedMonitorSendsNoQuery() {
    group.start();
    group.monitor.close();
    group.rounds(1);
    int asked = group.asked.size();

    group.rounds(5);
    group.place(MASTER, R1);

    assertThat(group.asked).hasSize(asked);
  }

  @Test
  void anOutageOfAReplicaIsTwoLines() {
    try (LogLines lines = LogLines.of("replicas.ReplicaMonitor")) {
      group.start();
      assertThat(lines.get()).isEmpty();

      group.node(R1).failure = "Connection refused";
      group.rounds(5);
      group.node(R1).failure = "";
      group.rounds(5);

      assertThat(lines.get())
          .containsExactly(
              "Replica r:1 is not read: it does not answer (Connection refused)",
              "Replica r:1 is read again after 1000 ms");
    }
  }

  @Test
  void aReplicaThatComesAndGoesIsLoggedEveryTenSeconds() {
    try (LogLines lines = LogLines.of("replicas.ReplicaMonitor")) {
      group.start();
      for (int i = 0; i < 12; i++) {
        group.node(R1).linkUp = false;
        group.rounds(4);
        group.node(R1).linkUp = true;
        group.rounds(1);
      }

      assertThat(lines.get())
          .filteredOn(line -> line.contains("is not read"))
          .containsExactly(
              "Replica r:1 is not read: it has no link to its master",
              "Replica r:1 is not read: it has no link to its master; left out 9 more times since"
                  + " the last");
    }
  }

  @Test
  void aShardWithoutAReadableReplicaIsLogged() {
    try (LogLines lines = LogLines.of("replicas.ReplicaMonitor")) {
      group.start();
      group.place(MASTER);
      group.rounds(20);

      assertThat(lines.get())
          .containsExactly(
              "None of 0 replicas of m:1 may be read, and the policy forbids reads from the"
                  + " master: reads wait");
    }
  }

  @Test
  void aSlowStartIsNotLogged() {
    try (LogLines lines = LogLines.of("replicas.ReplicaMonitor")) {
      Group slow = limited(100);
      slow.node(MASTER).frozen = true;
      slow.node(R1).frozen = true;
      slow.start();
      slow.rounds(4);
      slow.thaw(R1);
      slow.thaw(MASTER);

      assertThat(slow.targets()).containsExactly(R1, R2);
      assertThat(lines.get()).isEmpty();
    }
  }

  @Test
  void lagIsLoggedWithTheLimit() {
    try (LogLines lines = LogLines.of("replicas.ReplicaMonitor")) {
      Group lagging = limited(100);
      lagging.node(R1).offset = 0;
      lagging.start();

      assertThat(lines.get())
          .containsExactly(
              "Replica r:1 is not read: it lags too far behind its master (1000 bytes;"
                  + " max-replica-lag is 100)");
    }
  }

  @Test
  void statusListsReplicasWithTheirMaster() {
    group.node(R2).linkUp = false;
    group.start();
    group.rounds(1);

    List<ReplicaStatus> status = group.monitor.status();
    assertThat(status).extracting(ReplicaStatus::node).containsExactly(R1, R2);
    assertThat(status).extracting(ReplicaStatus::master).containsOnly(MASTER);
    assertThat(status)
        .extracting(ReplicaStatus::state)
        .containsExactly(ReplicaState.READABLE, ReplicaState.LINK_DOWN);
    assertThat(status.getFirst().latencyNanos()).isEqualTo(100_000);
  }
}
