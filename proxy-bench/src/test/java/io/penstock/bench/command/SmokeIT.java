package io.penstock.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.bench.Main;
import io.penstock.bench.Needed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The whole run from processes to files, with loads too short to mean anything. */
class SmokeIT {

  private static final Path JAR = Path.of("../proxy-server/target/penstock.jar");

  /** Compiled code does not pay in so short a run. */
  private static final String QUICK_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

  @TempDir Path folder;

  @BeforeAll
  static void needsPrograms() {
    Needed.assume(Files.exists(JAR), "there is no " + JAR + ": build proxy-server before (-am)");
  }

  @Test
  void jedisClientsGoStraightToTheClusterAndThroughPenstock() throws IOException {
    List<JsonNode> rows = run("load", "--operations", "get,pipeline-get");

    assertThat(targets(rows)).contains("direct", "penstock-auto-async");
    assertThat(rows).hasSize(2 * 2 * 2);
    assertThat(folder.resolve("pipeline-get-throughput.svg")).exists();
  }

  @Test
  void whatLargeValuesCostIsNotThatOfSmallOnes() throws IOException {
    List<JsonNode> rows = run("load", "--operations", "get-beside-large");

    assertThat(targets(rows)).contains("direct", "penstock-auto-async");
    assertThat(rows)
        .allSatisfy(row -> {
          assertThat(row.at("/measures/LARGE_VALUES/median").asDouble()).isPositive();
          assertThat(row.at("/measures").has("CPU")).isFalse();
        });
  }

  @Test
  void redisBenchmarkAndTheMixGoToEveryTarget() throws IOException {
    Needed.program("redis-benchmark", "valkey-benchmark");

    List<JsonNode> rows = run("suite", "--loads", "single get|lrange_100|mix 1");

    assertThat(targets(rows)).contains("direct", "penstock-auto-async");
    for (String target : targets(rows)) {
      List<String> loads =
          rows.stream()
              .filter(row -> row.get("target").asString().equals(target))
              .map(row -> row.get("group").asString())
              .toList();
      assertThat(loads)
          .as(target)
          .containsExactlyElementsOf(
              target.equals("direct")
                  ? List.of("single", "lrange")
                  : List.of("single", "lrange", "mix"));
    }
    assertThat(json().get("notes").valueStream().map(JsonNode::asString))
        .allSatisfy(note -> assertThat(note).contains(" left out: "));
    assertThat(folder.resolve("single-p99.svg")).exists();
  }

  @Test
  void transportsAreComparedOnTheTargetsThatAreNamed() throws IOException {
    Needed.program("redis-benchmark", "valkey-benchmark");

    List<JsonNode> rows =
        run(
            "suite",
            "--targets",
            "penstock,alone",
            "--transport",
            "nio,nio:2",
            "--loads",
            "single get|single set");

    assertThat(targets(rows).stream().distinct())
        .containsExactly("penstock-nio-async", "penstock-nio:2-async", "server-alone");
    assertThat(rows)
        .allSatisfy(row -> {
          assertThat(row.at("/measures").has("LOAD_CPU")).isTrue();
          assertThat(row.at("/measures").has("SERVERS_CPU")).isTrue();
        });
  }

  @Test
  void memoryIsReadMinuteByMinute() throws IOException {
    Needed.program("redis-benchmark", "valkey-benchmark");

    List<JsonNode> rows = figures("memory", "--loads", "single set|lrange_100");

    assertThat(rows)
        .extracting(row -> row.get("load").asString())
        .containsExactly("minute 1", "minute 2");
    assertThat(rows).allSatisfy(SmokeIT::hasMemory);
    assertThat(median(rows.getFirst(), "SERVED")).isGreaterThan(200);
  }

  @Test
  void listenersAreReadWithoutAndWithClients() throws IOException {
    List<JsonNode> rows = figures("listeners");

    assertThat(rows)
        .extracting(row -> row.get("load").asString())
        .containsExactly("2, no client", "2, one client each");
    assertThat(rows).allSatisfy(SmokeIT::hasMemory);
    assertThat(median(rows.getLast(), "FILES")).isGreaterThan(median(rows.getFirst(), "FILES"));
    assertThat(median(rows.getLast(), "SERVER_CONNECTIONS"))
        .isGreaterThan(median(rows.getFirst(), "SERVER_CONNECTIONS"));
  }

  @Test
  void patternsOfManyClientsReachTheNodes() throws IOException {
    List<JsonNode> rows = figures("patterns", "--single");

    assertThat(targets(rows)).containsExactly("direct", "penstock");
    assertThat(rows)
        .allSatisfy(row -> {
          assertThat(median(row, "CONFIRMED")).isEqualTo(3);
          assertThat(median(row, "MOST_PATTERNS")).isGreaterThanOrEqualTo(10);
          assertThat(median(row, "OTHER_ERRORS")).isZero();
        });
    assertThat(json().at("/facts/Clients, direct").asString()).isEqualTo("{confirmed=3}");
  }

  @Test
  void commandsOverTwoNodesStandBesideThoseOnOneSlot() throws IOException {
    Needed.program("redis-benchmark", "valkey-benchmark");

    List<JsonNode> rows = figures("cross-slot");

    assertThat(rows)
        .hasSize(12)
        .allSatisfy(row -> assertThat(median(row, "THROUGHPUT")).isPositive());
    assertThat(rows.subList(0, 2))
        .extracting(row -> row.get("load").asString())
        .containsExactly("one slot", "two nodes");
  }

  @Test
  @Tag("thorough")
  void startsTakeTurnsWithAnAotCache() throws IOException {
    List<JsonNode> rows = figures("start");

    assertThat(rows)
        .extracting(row -> row.get("load").asString())
        .containsExactly("without an AOT cache", "with an AOT cache", "50 busy connections");
    assertThat(median(rows.get(1), "START")).isPositive();
    assertThat(median(rows.get(2), "PEAK_MEMORY")).isPositive();
  }

  @Test
  void moreIsAskedThanThereIs() throws IOException {
    List<JsonNode> rows = run("overload", "--factors", "0.5,3", "--connections", "5");

    assertThat(rows).hasSize(3);
    assertThat(rows.getLast().at("/measures/OFFERED/median").asDouble()).isPositive();
    double first = rows.getFirst().at("/measures/THROUGHPUT/median").asDouble();
    double last = rows.getLast().at("/measures/THROUGHPUT/median").asDouble();
    assertThat(Files.readAllLines(folder.resolve("README.md")))
        .filteredOn(line -> line.startsWith("| 3.0 times that rate |"))
        .singleElement()
        .asString()
        .contains(" | %.2f | ".formatted(last / first));
  }

  @Test
  void whatFailsLeavesWhatDoesNot() throws IOException {
    JsonNode result =
        result(
            "growth",
            "--parts",
            "loops",
            "--loops=-1,1",
            "--rounds",
            "1",
            "--warm-rounds",
            "0",
            "--seconds",
            "1",
            "--keys",
            "100");

    assertThat(result.get("rows").valueStream().map(row -> row.get("load").asString()))
        .isNotEmpty()
        .containsOnly("1");
    assertThat(result.get("notes").valueStream().map(JsonNode::asString))
        .singleElement()
        .asString()
        .startsWith("event loops, -1: -1 ended at once: The configuration is invalid");
  }

  private static void hasMemory(JsonNode row) {
    for (String measure : List.of("HEAP", "DIRECT_MEMORY", "RESIDENT", "THREADS", "FILES")) {
      assertThat(median(row, measure)).as(measure).isPositive();
    }
  }

  private static double median(JsonNode row, String measure) {
    return row.at("/measures/" + measure + "/median").asDouble();
  }

  /** The rows of a short run. */
  private List<JsonNode> figures(String... arguments) throws IOException {
    List<String> all = new ArrayList<>(Arrays.asList(arguments));
    all.add("--smoke");
    return result(all.toArray(String[]::new)).get("rows").valueStream().toList();
  }

  /** The same for commands whose rows all have a throughput. */
  private List<JsonNode> run(String... arguments) throws IOException {
    List<JsonNode> rows = figures(arguments);
    assertThat(folder.resolve("README.md"))
        .content()
        .contains("A smoke run", "| Commit |", "| Command line | `" + arguments[0] + " ");
    assertThat(rows)
        .isNotEmpty()
        .allSatisfy(row -> {
          for (String measure : List.of("THROUGHPUT", "MEAN", "P50", "P99")) {
            assertThat(row.at("/measures/" + measure + "/median").asDouble()).isPositive();
          }
        });
    return rows;
  }

  private JsonNode result(String... arguments) throws IOException {
    List<String> all = new ArrayList<>(Arrays.asList(arguments));
    all.addAll(List.of("--jar", JAR.toString(), "--out", folder.toString()));
    all.addAll(List.of("--dispatch", "async", "--jvm-flags", QUICK_START));

    assertThat(Main.run(all.toArray(String[]::new))).isZero();

    return json();
  }

  private JsonNode json() throws IOException {
    return JsonMapper.shared().readTree(Files.readString(folder.resolve("result.json")));
  }

  private static List<String> targets(List<JsonNode> rows) {
    return rows.stream().map(row -> row.get("target").asString()).toList();
  }
}
