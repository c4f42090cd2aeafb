package io.penstock.core.replicas;

import static io.penstock.core.replicas.Group.MASTER;
import static io.penstock.core.replicas.Group.R1;
import static io.penstock.core.replicas.Group.R2;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.upstream.Balance;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ReadFrom;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.core.upstream.Zones;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TargetChoiceTest {

  private static final long MILLI = 1_000_000;

  @ParameterizedTest
  @CsvSource({
    "MASTER,            m,       m, m,     m",
    "MASTER_PREFERRED,  m,       m, r1 r2, m",
    "REPLICA,           r1 r2,   '', r1 r2, ''",
    "REPLICA_PREFERRED, r1 r2,   m, r1 r2, m",
    "LOWEST_LATENCY,    m r1 r2, m, r1 r2, m",
    "ANY,               m r1 r2, m, r1 r2, m",
  })
  void eachPolicyHasItsNodes(
      ReadFrom from, String good, String noReplica, String noMaster, String nothing) {
    ReadSettings settings = ReadSettings.of(from);

    assertThat(targets(settings, true, true)).as("all good").isEqualTo(good);
    assertThat(targets(settings, true, false)).as("no good replica").isEqualTo(noReplica);
    assertThat(targets(settings, false, true)).as("no master").isEqualTo(noMaster);
    assertThat(targets(settings, false, false)).as("nothing good").isEqualTo(nothing);
  }

  private static String targets(ReadSettings settings, boolean master, boolean replicas) {
    MonitoredNode first = replica(R1);
    MonitoredNode second = replica(R2);
    if (!replicas) {
      refuse(first);
      refuse(second);
    }
    MonitoredNode head = node(MASTER, master(), 0);
    if (!master) {
      refuse(head);
    }
    List<Endpoint> chosen =
        new TargetChoice(settings).choose(head, List.of(first, second), false, List.of());
    return String.join(
        " ", chosen.stream().map(each -> each == MASTER ? "m" : "r" + each.port()).toList());
  }

  @Test
  void nodesOfTheOwnZoneComeFirst() {
    var zones = new Zones("a", Map.of(R1.toString(), "b", R2.toString(), "a"));

    assertThat(chosen(zones, ReadFrom.REPLICA, "a", "b")).as("configured").containsExactly(R2);
    assertThat(chosen(new Zones("a", Map.of()), ReadFrom.REPLICA, "a", "b"))
        .as("reported")
        .containsExactly(R1);
    assertThat(chosen(new Zones("a", Map.of()), ReadFrom.ANY, "a", "b"))
        .as("the master reports none")
        .containsExactly(R1);
    assertThat(chosen(Zones.NONE, ReadFrom.REPLICA, "a", "b")).containsExactly(R1, R2);
  }

  @Test
  void otherZonesAreReadWhileTheOwnHasNoGoodNode() {
    assertThat(chosen(new Zones("c", Map.of()), ReadFrom.REPLICA, "a", "b"))
        .containsExactly(R1, R2);
  }

  private static List<Endpoint> chosen(Zones zones, ReadFrom from, String first, String second) {
    var settings =
        new ReadSettings(
            from, Balance.ROUND_ROBIN, zones, ReadSettings.NO_LAG_LIMIT, Duration.ZERO, false);
    return new TargetChoice(settings)
        .choose(
            node(MASTER, master(), 0),
            List.of(
                node(R1, with(new Group.Node(), first), 0),
                node(R2, with(new Group.Node(), second), 0)),
            false,
            List.of());
  }

  private static Group.Node with(Group.Node node, String zone) {
    node.zone = zone;
    return node;
  }

  @Test
  void aMasterThatIsReadAsReplicasAreIsOneOfThem() {
    var choice = new TargetChoice(ReadSettings.of(ReadFrom.REPLICA));
    MonitoredNode master = node(MASTER, master(), 0);

    assertThat(choice.choose(master, List.of(replica(R1)), true, List.of()))
        .containsExactly(MASTER, R1);
    assertThat(choice.choose(master, List.of(replica(R1)), false, List.of())).containsExactly(R1);
    refuse(master);
    assertThat(choice.choose(master, List.of(replica(R1)), true, List.of())).containsExactly(R1);
  }

  @Test
  void theFastestNodesAreThoseCloseToTheBest() {
    assertThat(fastest(List.of(), 10 * MILLI, 2 * MILLI, 3 * MILLI)).containsExactly(R1, R2);
    assertThat(fastest(List.of(), 10 * MILLI, 2 * MILLI, 4 * MILLI)).containsExactly(R1);
    assertThat(fastest(List.of(), MILLI, MILLI, MILLI)).containsExactly(MASTER, R1, R2);
  }

  @Test
  void aChosenNodeMayBecomeSlowerThanANewOne() {
    assertThat(fastest(List.of(R1, R2), 10 * MILLI, 2 * MILLI, 5 * MILLI)).containsExactly(R1, R2);
    assertThat(fastest(List.of(R1, R2), 10 * MILLI, 2 * MILLI, 6 * MILLI)).containsExactly(R1);
  }

  private static List<Endpoint> fastest(
      List<Endpoint> before, long master, long first, long second) {
    return new TargetChoice(ReadSettings.of(ReadFrom.LOWEST_LATENCY))
        .choose(
            node(MASTER, master(), master),
            List.of(node(R1, new Group.Node(), first), node(R2, new Group.Node(), second)),
            false,
            before);
  }

  private static Group.Node master() {
    var node = new Group.Node();
    node.master = true;
    return node;
  }

  private static void refuse(MonitoredNode node) {
    node.failed("refused");
    node.failed("refused");
    node.judge(false, ReadSettings.NO_LAG_LIMIT);
  }

  private static MonitoredNode replica(Endpoint address) {
    return node(address, new Group.Node(), 0);
  }

  private static MonitoredNode node(Endpoint address, Group.Node answers, long latencyNanos) {
    answers.latencyNanos = latencyNanos;
    var node = new MonitoredNode(address);
    node.asked(null);
    node.answered(answers.report());
    node.judge(false, ReadSettings.NO_LAG_LIMIT);
    return node;
  }
}
