package io.penstock.core.backend;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BackoffTest {

  private final Backoff backoff = new Backoff();

  @Test
  void theWaitDoublesFromTenMillisecondsToOneSecond() {
    for (long longest : new long[] {10, 20, 40, 80, 160, 320, 640, 1_000, 1_000, 1_000}) {
      assertThat(backoff.nextMillis()).isBetween(longest / 2, longest);
    }
    for (int i = 0; i < 100; i++) {
      assertThat(backoff.nextMillis()).isBetween(500L, 1_000L);
    }
    assertThat(backoff.attempts()).isEqualTo(110);
  }

  @Test
  void successStartsOver() {
    for (int i = 0; i < 20; i++) {
      backoff.nextMillis();
    }

    backoff.succeeded();

    assertThat(backoff.attempts()).isZero();
    assertThat(backoff.nextMillis()).isBetween(5L, 10L);
  }
}
