package io.penstock.core.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.upstream.RetryablePrefix;
import org.junit.jupiter.api.Test;

class LoopCountersTest {

  private final LoopCounters counters = new LoopCounters(3);

  @Test
  void eachCommandAndOutcomeIsCountedSeparately() {
    for (int command = 0; command < 3; command++) {
      for (Outcome outcome : Outcome.values()) {
        for (int i = 0; i <= command * 10 + outcome.ordinal(); i++) {
          counters.record(command, outcome, 1);
        }
      }
    }

    for (int command = 0; command < 3; command++) {
      for (Outcome outcome : Outcome.values()) {
        assertThat(counters.count(command, outcome))
            .isEqualTo(command * 10 + outcome.ordinal() + 1);
      }
    }
  }

  @Test
  void durationsAreSummedAndPutIntoTheirBuckets() {
    counters.record(1, Outcome.OK, 16_384);
    counters.record(1, Outcome.ERROR, 16_385);
    counters.record(1, Outcome.OK, Long.MAX_VALUE / 2);

    assertThat(counters.bucket(1, 0)).isEqualTo(1);
    assertThat(counters.bucket(1, 1)).isEqualTo(1);
    assertThat(counters.bucket(1, DurationBuckets.BOUNDED)).isEqualTo(1);
    assertThat(counters.totalNanos(1)).isEqualTo(32_769 + Long.MAX_VALUE / 2);
    assertThat(counters.bucket(0, DurationBuckets.BOUNDED)).isZero();
    assertThat(counters.bucket(2, 0)).isZero();
    assertThat(counters.totalNanos(2)).isZero();
  }

  @Test
  void redirectsAreCountedByKind() {
    counters.countRetryableError(RetryablePrefix.MOVED);
    counters.countRetryableError(RetryablePrefix.MOVED);
    counters.countRetryableError(RetryablePrefix.LOADING);

    assertThat(counters.redirects(RetryablePrefix.MOVED)).isEqualTo(2);
    assertThat(counters.redirects(RetryablePrefix.ASK)).isZero();
    assertThat(counters.redirects(RetryablePrefix.LOADING)).isEqualTo(1);
  }

  @Test
  void growingKeepsTheCounts() {
    LoopCounters small = new LoopCounters(2);
    small.record(1, Outcome.OK, 3);
    small.grow(5);
    small.grow(3);
    small.record(4, Outcome.ERROR, 1);

    assertThat(small.count(1, Outcome.OK)).isOne();
    assertThat(small.totalNanos(1)).isEqualTo(3);
    assertThat(small.count(4, Outcome.ERROR)).isOne();
  }
}
