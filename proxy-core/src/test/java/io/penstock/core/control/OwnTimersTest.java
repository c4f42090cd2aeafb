package io.penstock.core.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OwnTimersTest {

  private static final Duration HOUR = Duration.ofHours(1);

  private final List<Runnable> scheduled = new ArrayList<>();
  private final List<String> ran = new ArrayList<>();
  private final OwnTimers timers =
      new OwnTimers(
          new TopologyThread() {
            @Override
            public long nanoTime() {
              return 0;
            }

            @Override
            public void runAfter(Duration delay, Runnable task) {
              scheduled.add(task);
            }

            @Override
            public void execute(Runnable task) {
              task.run();
            }
          });

  @Test
  void aTaskRunsOnceWhenItsTimeHasCome() {
    timers.runAfter(HOUR, () -> ran.add("task"));

    scheduled.forEach(Runnable::run);
    scheduled.forEach(Runnable::run);

    assertThat(ran).containsExactly("task");
  }

  @Test
  void whatWaitsAtTheEndAndWhatComesLaterIsDropped() {
    timers.runAfter(HOUR, () -> ran.add("waiting"));

    timers.end();
    timers.runAfter(HOUR, () -> ran.add("later"));
    scheduled.forEach(Runnable::run);

    assertThat(ran).isEmpty();
    assertThat(scheduled).hasSize(1);
  }
}
