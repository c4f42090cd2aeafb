package io.penstock.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.penstock.bench.measure.ProcessStats.Switches;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class ProcessStatsTest {

  @Test
  void cpuTimeIsFoundBehindANameWithSpacesAndParentheses() {
    String stat = "42 (a) b (c)) S 1 42 42 0 -1 4194560 9 0 0 0 150 50 7 7 20 0 12 0 99 1 2";

    assertThat(ProcessStats.cpuMicros(stat)).isEqualTo(2_000_000);
    assertThat(Surroundings.withChildren(stat)).isEqualTo(2_140_000);
  }

  @Test
  void whatOthersSpendIsDividedByRequestsOrByTime() {
    var before = new Surroundings(0, 1_000, 2_000, 10_000, 0);
    var after = new Surroundings(1_000_000, 5_000, 4_000, 11_500, 100);

    assertThat(after.since(before, 2_000))
        .containsOnly(
            entry(Measure.LOAD_CPU, 2.0),
            entry(Measure.SERVERS_CPU, 1.0),
            entry(Measure.IDLE, 1.5),
            entry(Measure.WITHHELD, 0.1));
    assertThat(after.since(before, 0)).containsOnlyKeys(Measure.IDLE, Measure.WITHHELD);
  }

  @Test
  void fieldsAreFoundByTheirWholeName() {
    List<String> status =
        List.of(
            "VmHWM:\t  204800 kB",
            "nonvoluntary_ctxt_switches:\t5",
            "voluntary_ctxt_switches:\t17");

    assertThat(ProcessStats.field(status, "VmHWM")).isEqualTo(204_800);
    assertThat(ProcessStats.field(status, "voluntary_ctxt_switches")).isEqualTo(17);
    assertThat(ProcessStats.field(status, "VmSwap")).isZero();
  }

  @Test
  void whatIsSpentIsDividedByRequests() {
    var before = new ProcessStats(1_000, Map.of("1", new Switches(10, 1)), 0, 0);
    var after =
        new ProcessStats(
            5_000, Map.of("1", new Switches(30, 2), "2", new Switches(5, 3)), 2_048, 1_024);

    assertThat(Meter.difference(before, after, 2_000))
        .containsOnly(
            entry(Measure.CPU, 2.0),
            entry(Measure.VOLUNTARY_SWITCHES, 12.5),
            entry(Measure.INVOLUNTARY_SWITCHES, 2.0),
            entry(Measure.PEAK_MEMORY, 2.0));
  }

  @Test
  void whatIsSpentOnOtherThingsTooIsNotDivided() {
    var before = new ProcessStats(1_000, Map.of("1", new Switches(10, 1)), 0, 0);
    var after = new ProcessStats(5_000, Map.of("1", new Switches(30, 2)), 2_048, 1_024);

    assertThat(Meter.difference(before, after, 0)).containsOnly(entry(Measure.PEAK_MEMORY, 2.0));
  }

  @Test
  void aProcessThatDoesNotExistHasNoMeasures() {
    Meter meter = new Meter(0);
    meter.start();
    meter.stop(1);

    assertThat(meter.measures())
        .doesNotContainKeys(Measure.CPU, Measure.PEAK_MEMORY, Measure.SERVERS_CPU);
    assertThat(meter.residentKib()).isZero();
  }

  @Test
  void thisProcessHasMeasuresWhereThereIsProc() {
    boolean proc = Files.isReadable(Path.of("/proc/self/stat"));
    if (!proc) {
      System.out.println("skipped: there is no /proc here");
    }
    Assumptions.assumeTrue(proc);
    Meter meter = new Meter(ProcessHandle.current().pid());
    meter.start();
    meter.stop(1);

    assertThat(meter.measures()).containsKeys(Measure.CPU, Measure.VOLUNTARY_SWITCHES);
    assertThat(meter.measures().get(Measure.PEAK_MEMORY)).isPositive();
    assertThat(meter.residentKib()).isPositive();
  }
}
