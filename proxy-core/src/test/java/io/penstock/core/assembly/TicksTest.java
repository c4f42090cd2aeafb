package io.penstock.core.assembly;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TicksTest {

  private final List<Long> seen = new ArrayList<>();
  private long now = 7;

  @Test
  void aTaskThatThrowsStopsNeitherOtherTasksNorTheTick() {
    var ticks =
        new Ticks(
            () -> now,
            List.of(
                _ -> {
                  throw new OutOfMemoryError("a test's");
                },
                seen::add,
                _ -> {
                  throw new IllegalStateException("a test's");
                },
                seen::add));

    ticks.run();
    now = 8;
    ticks.run();

    assertThat(seen).containsExactly(7L, 7L, 8L, 8L);
  }
}
