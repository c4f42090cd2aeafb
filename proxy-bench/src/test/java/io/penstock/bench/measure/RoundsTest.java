package io.penstock.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.bench.harness.Notes;
import io.penstock.bench.harness.Target;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RoundsTest {

  private static final Target ONE = new Target.Address("one", "127.0.0.1", 1, 0);
  private static final Target TWO = new Target.Address("two", "127.0.0.1", 2, 0);
  private static final Target THREE = new Target.Address("three", "127.0.0.1", 3, 0);

  private final Notes notes =
      new Notes(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
  private final List<String> calls = new ArrayList<>();

  @Test
  void targetsTakeTurnsAndEachRoundBeginsWithAnother() throws InterruptedException {
    new Rounds(1, 2, notes).run(List.of(new Scripted("")), List.of(ONE, TWO, THREE));

    assertThat(calls)
        .containsExactly(
            "prepare one",
            "prepare two",
            "prepare three",
            "one",
            "two",
            "three",
            "two",
            "three",
            "one",
            "three",
            "one",
            "two");
  }

  @Test
  void roundsOfWarmUpDoNotCount() throws InterruptedException {
    List<Row> rows = new Rounds(2, 3, notes).run(List.of(new Scripted("")), List.of(ONE));

    // the fourth, fifth and sixth call: one to prepare and two to warm up came before
    assertThat(rows)
        .singleElement()
        .extracting(Row::measures)
        .satisfies(measures ->
            assertThat(measures).containsEntry(Measure.THROUGHPUT, new Summary(5, 4, 6, 3)));
  }

  @Test
  void aTargetThatFailsIsLeftOutWithANote() throws InterruptedException {
    List<Row> rows = new Rounds(0, 2, notes).run(List.of(new Scripted("two")), List.of(ONE, TWO));

    assertThat(rows).extracting(Row::target).containsExactly("one");
    assertThat(notes.kept()).containsExactly("group, load: two: it broke");
  }

  /** Returns the number of calls so far, and fails for one target. */
  private final class Scripted implements Load {

    private final String failing;

    private Scripted(String failing) {
      this.failing = failing;
    }

    @Override
    public String group() {
      return "group";
    }

    @Override
    public String name() {
      return "load";
    }

    @Override
    public void prepare(Target target) {
      calls.add("prepare " + target.name());
    }

    @Override
    public Sample run(Target target, Meter meter) {
      calls.add(target.name());
      if (target.name().equals(failing)) {
        throw new LoadFailure("it broke");
      }
      return Sample.EMPTY.with(Measure.THROUGHPUT, calls.size());
    }
  }
}
