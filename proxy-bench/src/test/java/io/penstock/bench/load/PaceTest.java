package io.penstock.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import io.penstock.bench.measure.LoadFailure;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PaceTest {

  @Test
  void threadsShareTheRateAndTakeTurns() {
    Pace pace = new Pace(4, Duration.ofSeconds(1), 1_000);

    assertThat(pace.dueAfter(0, 0)).isZero();
    assertThat(pace.dueAfter(1, 0)).isEqualTo(1_000_000);
    assertThat(pace.dueAfter(3, 0)).isEqualTo(3_000_000);
    assertThat(pace.dueAfter(0, 1)).isEqualTo(4_000_000);
    assertThat(pace.dueAfter(3, 2)).isCloseTo(11_000_000, within(1L));
  }

  @Test
  void anOperationIsDueAtItsTimeHoweverLateTheCallerIs() {
    Pace pace = new Pace(1, Duration.ofMinutes(1), 1_000);
    pace.go();

    long first = pace.awaitTurn(0, 0);
    long third = pace.awaitTurn(0, 2);

    assertThat(third - first).isEqualTo(2_000_000);
    assertThat(System.nanoTime()).isGreaterThanOrEqualTo(third);
  }

  @Test
  void nothingIsDueAfterTheTimeIsOver() {
    Pace pace = new Pace(1, Duration.ofSeconds(60), 100);
    pace.go();

    assertThat(pace.awaitTurn(0, 6_000)).isEqualTo(Long.MIN_VALUE);
  }

  @Test
  void whatWasDueBeforeTheEndHasItsTurnAfterIt() {
    AtomicLong clock = new AtomicLong();
    Pace pace = new Pace(1, Duration.ofSeconds(60), 100, clock::get);
    pace.go();

    clock.set(Duration.ofSeconds(61).toNanos());

    assertThat(pace.awaitTurn(0, 5_999)).isEqualTo(59_990_000_000L);
    assertThat(pace.awaitTurn(0, 6_000)).isEqualTo(Long.MIN_VALUE);
  }

  @Test
  void aRateThatIsFarTooHighIsAFailure() {
    AtomicLong clock = new AtomicLong();
    Pace pace = new Pace(1, Duration.ofSeconds(60), 100, clock::get);
    pace.go();

    clock.set(Duration.ofSeconds(60).plus(Pace.GRACE).toNanos());

    assertThatExceptionOfType(LoadFailure.class)
        .isThrownBy(() -> pace.awaitTurn(0, 5_999))
        .withMessageContaining("the rate is too high");
  }

  @Test
  void whoWaitsForABeginningThatDoesNotComeHasNoTurn() throws InterruptedException {
    Pace pace = new Pace(2, Duration.ofMinutes(1), 1, () -> 0);
    pace.end();

    pace.awaitGo();

    assertThat(pace.awaitTurn(0, 0)).isEqualTo(Long.MIN_VALUE);
  }

  @Test
  void withoutARateTheTimeIsOverAtItsEnd() {
    AtomicLong clock = new AtomicLong();
    Pace pace = new Pace(1, Duration.ofSeconds(60), 0, clock::get);
    pace.go();

    clock.set(Duration.ofSeconds(60).toNanos());

    assertThat(pace.awaitTurn(0, 1)).isEqualTo(Long.MIN_VALUE);
  }

  @Test
  void withoutARateEveryOperationIsDueAtOnce() {
    Pace pace = new Pace(2, Duration.ofMinutes(1), 0);
    pace.go();
    long before = System.nanoTime();

    assertThat(pace.awaitTurn(1, 1_000_000)).isBetween(before, System.nanoTime());
  }
}
