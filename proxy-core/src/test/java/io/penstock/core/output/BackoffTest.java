package io.penstock.core.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BackoffTest {

  private final Backoff backoff =
      new Backoff(Duration.ofMillis(10), Duration.ofSeconds(1), new Random(1));

  @Test
  void theDelayDoublesFromTheFirstToTheLongest() {
    long[] longest = {10, 20, 40, 80, 160, 320, 640, 1_000, 1_000, 1_000};
    for (int i = 0; i < longest.length; i++) {
      assertThat(backoff.delayAfter(i + 1))
          .isBetween(Duration.ofMillis(longest[i] / 2), Duration.ofMillis(longest[i]));
    }
    for (int failures : new int[] {30, 1_000, Integer.MAX_VALUE}) {
      assertThat(backoff.delayAfter(failures))
          .isBetween(Duration.ofMillis(500), Duration.ofSeconds(1));
    }
  }

  @Test
  void noFailureCountsAsOne() {
    assertThat(backoff.delayAfter(0)).isBetween(Duration.ofMillis(5), Duration.ofMillis(10));
  }
}
