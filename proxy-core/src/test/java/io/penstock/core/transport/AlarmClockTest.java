package io.penstock.core.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AlarmClockTest {

  private static final long LATER = TimeUnit.HOURS.toNanos(1);
  private static final long SOON = TimeUnit.MILLISECONDS.toNanos(20);

  private final AlarmClock clock = new AlarmClock();
  private final AtomicInteger rung = new AtomicInteger();
  private final AtomicLong rungAt = new AtomicLong();
  private final AlarmClock.Alarm alarm =
      clock.alarm(
          () -> {
            rungAt.compareAndSet(0, System.nanoTime());
            rung.incrementAndGet();
          });

  @AfterEach
  void giveBack() {
    alarm.giveBack();
  }

  @Test
  void ringsWhenItIsTimeAndNotBefore() {
    long at = System.nanoTime() + SOON;
    alarm.set(at);
    await().untilAsserted(() -> assertThat(rung).hasPositiveValue());
    assertThat(rungAt.get() - at).isNotNegative();
  }

  @Test
  void ringsEarlierWhenItIsSetAnew() {
    alarm.set(System.nanoTime() + LATER);
    alarm.set(System.nanoTime() + SOON);
    await().untilAsserted(() -> assertThat(rung).hasPositiveValue());
  }

  @Test
  void ringsAgainUntilItIsSetAnew() {
    alarm.set(System.nanoTime() - SOON);
    await().untilAsserted(() -> assertThat(rung).hasValueGreaterThan(2));
    alarm.clear();
  }

  @Test
  void doesNotRingWhenItIsCleared() {
    var other = new AtomicInteger();
    AlarmClock.Alarm behind = clock.alarm(other::incrementAndGet);
    alarm.set(System.nanoTime() + SOON);
    alarm.clear();
    behind.set(System.nanoTime() + 2 * SOON);
    await().untilAsserted(() -> assertThat(other).hasPositiveValue());
    assertThat(rung).hasValue(0);
    behind.giveBack();
  }

  @Test
  void itsThreadEndsWhenAllAlarmsAreGivenBack() {
    long before = clocks();
    alarm.set(System.nanoTime() + LATER);
    await().untilAsserted(() -> assertThat(clocks()).isEqualTo(before + 1));
    alarm.giveBack();
    await().untilAsserted(() -> assertThat(clocks()).isEqualTo(before));
  }

  private static long clocks() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("penstock-alarm-clock"))
        .count();
  }
}
