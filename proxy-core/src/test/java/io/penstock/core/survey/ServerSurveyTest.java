package io.penstock.core.survey;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.penstock.core.cluster.SlotMap;
import io.penstock.core.command.CommandRules;
import io.penstock.core.command.CommandTable;
import io.penstock.core.command.HelloFacts;
import io.penstock.core.command.HelloFacts.Module;
import io.penstock.core.command.LearntCommands;
import io.penstock.core.command.ServerFacts;
import io.penstock.core.command.ServerVersion;
import io.penstock.core.topology.ManualThread;
import io.penstock.core.topology.TestTopology;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.NestedPlacement;
import io.penstock.core.upstream.NestedPlacement.NestedPartitioner;
import io.penstock.core.upstream.Partitioner;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.Reachability;
import io.penstock.core.upstream.Shard;
import io.penstock.core.upstream.SinglePartitioner;
import io.penstock.core.upstream.SinglePlacement;
import io.penstock.core.wire.LogLines;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ServerSurveyTest {

  private static final Endpoint A = new Endpoint("a", 1);
  private static final Endpoint B = new Endpoint("b", 1);
  private static final Endpoint C = new Endpoint("c", 1);
  private static final Duration PERIOD = Duration.ofSeconds(30);

  /** Nodes with scripted answers. All other nodes refuse the connection. */
  private static final class Scripted implements ServerSource {
    final List<Endpoint> queried = new ArrayList<>();
    final Map<Endpoint, ServerReport> answers = new HashMap<>();
    boolean silent;
    @Nullable Error failing;

    @Override
    public CompletionStage<ServerReport> query(Endpoint node, @Nullable ServerReport before) {
      queried.add(node);
      if (failing != null) {
        throw failing;
      }
      ServerReport report = answers.get(node);
      if (silent) {
        return new CompletableFuture<>();
      }
      return report == null
          ? CompletableFuture.failedFuture(new ConnectException("Connection refused"))
          : CompletableFuture.completedFuture(report);
    }
  }

  private final ManualThread thread = new ManualThread();
  private final Scripted source = new Scripted();
  private final TestTopology topology = new TestTopology(SlotMap.EMPTY);
  private final List<ServerFacts> notified = new ArrayList<>();
  private final ServerFacts assumed = ServerFacts.initial(CommandTable.load());
  private final ServerSurvey survey =
      new ServerSurvey(thread, source, topology, new ServerSurvey.Settings(PERIOD, assumed));

  /** Two shards. */
  private static final class Halves implements Partitioner {

    @Override
    public int partitions() {
      return 2;
    }

    @Override
    public int partitionOf(ByteBuf buffer, int offset, int length) {
      return length & 1;
    }
  }

  private static SlotMap map(Endpoint master, Endpoint... replicas) {
    return new SlotMap.Builder()
        .shard(new Shard(master, List.of(replicas), 1))
        .range(0, 16_383)
        .build();
  }

  private static ServerReport report(String version, String... commands) {
    List<Object> reply = new ArrayList<>();
    for (String name : commands) {
      reply.add(List.of(name, -1L, List.of(), 0L, 0L, 0L));
    }
    return new ServerReport(
        "run",
        ServerVersion.parse(version),
        null,
        "",
        HelloFacts.NONE,
        commands.length,
        LearntCommands.parse(reply));
  }

  private static ServerReport mode(String mode) {
    return new ServerReport(
        "run", ServerVersion.parse("7.0.15"), null, mode, HelloFacts.NONE, 0, null);
  }

  private static ServerReport valkey(String version) {
    var redis = new ServerVersion(7, 2, 4);
    return new ServerReport(
        "run", redis, ServerVersion.parse(version), "", HelloFacts.NONE, -1, null);
  }

  private static Module module(String name, long version) {
    return new Module(name, version, "/lib/" + name + version, List.of());
  }

  private void start(Placement map) {
    topology.map = map;
    survey.start(notified::add);
    thread.run();
  }

  @Test
  void theInitialFactsApplyUntilANodeHasAnswered() {
    start(map(A));

    assertThat(survey.current()).isEqualTo(assumed);
    assertThat(notified).isEmpty();
  }

  @Test
  void factsHaveTheModulesThatEveryNodeHasAndTheZoneThatAllHave() {
    var one = new HelloFacts(List.of(module("json", 2), module("lua", 1), module("x", 1)), "eu-1");
    var other = new HelloFacts(List.of(module("lua", 1), module("json", 1)), "eu-1");
    source.answers.put(A, report("8.0.1").with(one));
    source.answers.put(B, report("8.0.1").with(other));
    start(map(A, B));

    assertThat(survey.current().hello())
        .isEqualTo(new HelloFacts(List.of(module("json", 1), module("lua", 1)), "eu-1"));
  }

  @Test
  void factsHaveNoZoneIfNodesAreInSeveral() {
    source.answers.put(A, report("8.0.1").with(new HelloFacts(List.of(), "eu-1")));
    source.answers.put(B, report("8.0.1").with(new HelloFacts(List.of(), "eu-2")));
    start(map(A, B));

    assertThat(survey.current().hello()).isEqualTo(HelloFacts.NONE);
  }

  @Test
  void factsHaveTheLowestVersionAndTheCommandsOfAllNodes() {
    source.answers.put(A, report("8.0.1", "n.a"));
    source.answers.put(B, report("7.2.4", "n.b"));
    start(map(A, B));

    assertThat(survey.current().version()).hasToString("7.2.4");
    assertThat(survey.current().commands().knows("n.a")).isTrue();
    assertThat(survey.current().commands().knows("n.b")).isTrue();
    assertThat(notified).last().isEqualTo(survey.current());
  }

  @Test
  void commandsThatOnlyOlderServersHaveAreNotLogged() {
    source.answers.put(A, report("6.2.11", "host:", "post", "stralgo", "get"));
    source.answers.put(B, report("8.0.1", "n.a", "stralgo"));
    source.answers.put(C, report("9.0.0", "n.b", "n.c", "newword"));
    try (LogLines log = LogLines.of("survey.ServerSurvey")) {
      start(map(A));
      assertThat(survey.current().commands().knows("stralgo")).as("still learnt").isTrue();
      assertThat(log.get()).noneMatch(line -> line.startsWith("Learnt"));

      topology.map = map(B);
      survey.topologyChanged();
      thread.run();
      assertThat(log.get())
          .filteredOn(line -> line.startsWith("Learnt"))
          .containsExactly("Learnt 1 command from the nodes: n.a");

      topology.map = map(C);
      survey.topologyChanged();
      thread.run();
      assertThat(log.get()).last().isEqualTo("Learnt 3 commands from the nodes: n.b, n.c, newword");
    }
  }

  @Test
  void theServerIsValkeyIfAllNodesAreValkey() {
    source.answers.put(A, valkey("9.0.0"));
    source.answers.put(B, valkey("8.1.1"));
    source.answers.put(C, report("8.0.1"));
    start(map(A, B));

    assertThat(survey.current().name()).isEqualTo("valkey");
    assertThat(survey.current().ownVersion()).hasToString("8.1.1");
    assertThat(survey.current().version()).hasToString("7.2.4");

    topology.map = map(A, C);
    survey.topologyChanged();
    thread.run();
    assertThat(survey.current().name()).isEqualTo("redis");
    assertThat(survey.current().ownVersion()).hasToString("7.2.4");
  }

  @Test
  void aSilentNodeIsQueriedAgainSoonerThanOthers() {
    source.answers.put(A, report("7.0.15"));
    start(map(A, B));
    assertThat(source.queried).containsExactly(A, B);
    thread.advance(Duration.ofSeconds(2));
    assertThat(source.queried).containsOnlyOnce(A).hasSizeGreaterThan(3);
    source.answers.put(B, report("6.2.0"));
    thread.advance(Duration.ofSeconds(6));
    assertThat(survey.current().version()).hasToString("6.2.0");

    source.queried.clear();
    source.answers.put(A, report("6.0.0"));
    thread.advance(Duration.ofSeconds(10));
    assertThat(source.queried).isEmpty();
    thread.advance(PERIOD);
    assertThat(source.queried).containsExactlyInAnyOrder(A, B);
    assertThat(survey.current().version()).hasToString("6.0.0");
  }

  @Test
  void queriesContinueAfterAnError() {
    source.answers.put(A, report("7.0.15"));
    source.answers.put(B, report("6.2.0"));
    source.failing = new InternalError("no thread could be made");
    start(map(A, B));
    assertThat(source.queried).containsExactly(A, B);
    thread.advance(Duration.ofMillis(200));
    assertThat(source.queried).containsExactly(A, B, A, B);
    assertThat(survey.reachability().reached()).isFalse();

    source.failing = null;
    thread.advance(Duration.ofSeconds(2));
    assertThat(survey.reachability().reached()).isTrue();
    assertThat(survey.current().version()).hasToString("6.2.0");
    source.queried.clear();
    thread.advance(PERIOD);
    assertThat(source.queried).containsExactlyInAnyOrder(A, B);
  }

  @Test
  void theReportedFailureIsOfANodeThatStillFails() {
    start(map(A, B));
    source.answers.put(B, report("7.0.15"));
    thread.advance(Duration.ofMinutes(1));
    assertThat(survey.reachability()).isEqualTo(new Reachability(true, "a:1: Connection refused"));

    source.answers.put(A, report("7.0.15"));
    source.answers.remove(B);
    thread.advance(PERIOD.plusMinutes(1));
    assertThat(survey.reachability()).isEqualTo(new Reachability(true, "b:1: Connection refused"));
  }

  @Test
  void aFailureEndsSoonAfterTheNodeAnswersAgain() {
    source.answers.put(A, report("7.0.15"));
    start(map(A));
    source.answers.remove(A);
    thread.advance(PERIOD);
    assertThat(survey.reachability()).isEqualTo(new Reachability(true, "a:1: Connection refused"));

    source.answers.put(A, report("7.0.15"));
    thread.advance(Duration.ofSeconds(2));

    assertThat(survey.reachability()).isEqualTo(new Reachability(true, null));
  }

  @Test
  void theFailureOfARemovedNodeIsForgotten() {
    start(map(A));
    assertThat(survey.reachability()).isEqualTo(new Reachability(false, "a:1: Connection refused"));
    source.answers.put(B, report("7.0.15"));
    topology.map = map(B);
    survey.topologyChanged();
    thread.advance(PERIOD.multipliedBy(3));

    assertThat(survey.reachability()).isEqualTo(new Reachability(true, null));
  }

  @Test
  void theServerIsLoggedOnce() {
    source.answers.put(A, mode("cluster"));
    source.answers.put(B, mode("cluster"));
    try (LogLines log = LogLines.of("survey.ServerSurvey")) {
      start(map(A, B));
      assertThat(log.get())
          .filteredOn(line -> line.contains("mode"))
          .containsExactly("a:1 is Redis 7.0.15 in cluster mode");
    }
  }

  @Test
  void aClusterNodeWithASingleServersUrlIsLoggedWithTheFix() {
    var single =
        new ServerSurvey(thread, source, topology, new ServerSurvey.Settings(PERIOD, assumed));
    source.answers.put(A, mode("cluster"));
    topology.map = new SinglePlacement(A);
    try (LogLines log = LogLines.of("survey.ServerSurvey")) {
      single.start(notified::add);
      thread.run();
      assertThat(log.get())
          .contains(
              "a:1 is a node of a Redis Cluster, but the URL is for servers without cluster"
                  + " support: clients receive its MOVED errors. For the cluster write"
                  + " redis-cluster://a:1");
    }
  }

  @Test
  void aClusterNodeAmongShardsIsLoggedUnlessItsShardIsACluster() {
    var partitioner =
        new NestedPartitioner(
            new Halves(), List.of(SinglePartitioner.INSTANCE, SinglePartitioner.INSTANCE));
    source.answers.put(A, mode("cluster"));
    source.answers.put(B, mode("cluster"));
    topology.cluster.add(B);
    try (LogLines log = LogLines.of("survey.ServerSurvey")) {
      List<Placement> shards = List.of(new SinglePlacement(A), new SinglePlacement(B));
      start(new NestedPlacement(partitioner, shards));
      assertThat(log.get())
          .filteredOn(line -> line.contains("MOVED errors"))
          .singleElement()
          .asString()
          .startsWith("a:1 is a node of a Redis Cluster");
    }
  }

  @Test
  void aServerInTheExpectedModeIsNotLogged() {
    var single =
        new ServerSurvey(thread, source, topology, new ServerSurvey.Settings(PERIOD, assumed));
    source.answers.put(A, mode("standalone"));
    topology.map = new SinglePlacement(A);
    try (LogLines log = LogLines.of("survey.ServerSurvey")) {
      single.start(notified::add);
      thread.run();
      assertThat(log.get())
          .filteredOn(line -> !line.contains("COMMAND"))
          .containsExactly("a:1 is Redis 7.0.15 in standalone mode");
    }
  }

  @Test
  void newNodesAreQueriedAndRemovedOnesForgotten() {
    source.answers.put(A, report("7.0.15", "n.a"));
    source.answers.put(C, report("8.0.1"));
    start(SlotMap.EMPTY);
    assertThat(source.queried).isEmpty();
    topology.map = map(A);
    survey.topologyChanged();
    thread.run();
    assertThat(survey.current().version()).hasToString("7.0.15");

    topology.map = map(C);
    survey.topologyChanged();
    thread.run();
    assertThat(source.queried).containsExactly(A, C);
    assertThat(survey.current().version()).hasToString("8.0.1");
    assertThat(survey.current().commands().knows("n.a")).as("learnt commands are kept").isTrue();
  }

  @Test
  void fewNodesAreQueriedAtOnceAndNoneTwice() {
    source.silent = true;
    Endpoint[] replicas = new Endpoint[20];
    for (int i = 0; i < replicas.length; i++) {
      replicas[i] = new Endpoint("r", i + 1);
    }
    start(map(A, replicas));
    survey.topologyChanged();
    thread.advance(PERIOD.multipliedBy(3));

    assertThat(source.queried).hasSize(4).doesNotHaveDuplicates();
  }

  @Test
  void aNodeThatReportsNothingIsNoProblem() {
    source.answers.put(A, new ServerReport("", null, null, "", HelloFacts.NONE, -1, null));
    source.answers.put(B, report("7.2.4", "n.b"));
    start(map(A, B));

    assertThat(survey.current().version()).hasToString("7.2.4");
    assertThat(survey.current().commands().knows("n.b")).isTrue();
  }

  private boolean knows(String command) {
    return survey.current().commands().knows(command);
  }

  @Test
  void aCommandIsUnknownOnceAllNodesHaveAnsweredThatTheyLackIt() {
    source.answers.put(A, report("7.0.15", "command", "get"));
    start(map(A, B));
    assertThat(knows("httl")).as("one node is silent").isTrue();

    source.answers.put(B, report("7.0.15", "command", "get", "set"));
    thread.advance(Duration.ofMinutes(1));
    assertThat(knows("get")).isTrue();
    assertThat(knows("set")).as("one node has it").isTrue();
    assertThat(knows("httl")).isFalse();

    source.answers.put(B, report("8.0.1", "command", "get", "set", "httl"));
    thread.advance(PERIOD);
    assertThat(knows("httl")).as("after an upgrade").isTrue();

    survey.adopt(CommandRules.of(List.of(), List.of("get")));
    thread.run();
    assertThat(knows("set")).as("with other rules").isTrue();
    assertThat(knows("hget")).isFalse();
  }

  @Test
  void aLostTopologyMakesNothingUnknown() {
    source.answers.put(A, report("8.0.1", "command", "get", "httl"));
    source.answers.put(B, report("7.0.15", "command", "get"));
    start(map(A));
    assertThat(knows("httl")).isTrue();

    topology.map = SlotMap.EMPTY;
    survey.topologyChanged();
    thread.run();
    assertThat(knows("httl")).isTrue();
    assertThat(survey.current().version()).hasToString("8.0.1");

    topology.map = map(B, C);
    survey.topologyChanged();
    thread.run();
    assertThat(knows("httl")).as("a node has not answered").isTrue();

    topology.map = map(B);
    survey.topologyChanged();
    thread.run();
    assertThat(knows("httl")).isFalse();
  }

  @Test
  void aNodeThatDoesNotTellItsCommandsMayHaveAll() {
    source.answers.put(A, report("7.0.15", "command", "get"));
    source.answers.put(B, mode("cluster"));
    start(map(A, B));

    assertThat(knows("httl")).isTrue();
  }

  @Test
  void nothingIsQueriedAfterClose() {
    source.answers.put(A, report("7.0.15"));
    start(map(A));
    survey.close();
    thread.advance(PERIOD.multipliedBy(3));

    assertThat(source.queried).containsExactly(A);
  }
}
