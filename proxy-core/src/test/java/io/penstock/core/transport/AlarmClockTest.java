package io.penstock.core.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AlarmClockTest {

  private static final long LATER = TimeUnit.HOURS.toNanos(1);
  private static final long SOON = TimeUnit.MILLISECONDS.toNanos(20);

  private final AlarmClock clock = new AlarmClock();
  private final AtomicInteger rung = new AtomicInteger();
  private final AtomicLong rungAt = new AtomicLong();
  private final AtomicReference<Thread> rungBy = new AtomicReference<>();
  private final AlarmClock.Alarm alarm =
      clock.alarm(
          () -> {
            rungAt.compareAndSet(0, System.nanoTime());
            rungBy.set(Thread.currentThread());
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
    var thread = new AtomicReference<Thread>();
    AlarmClock.Alarm other = clock.alarm(() -> thread.set(Thread.currentThread()));
    other.set(System.nanoTime() + SOON);
    await().untilAsserted(() -> assertThat(thread).doesNotHaveNullValue());
    other.giveBack();
    alarm.set(System.nanoTime() + SOON);
    await().untilAsserted(() -> assertThat(rung).hasPositiveValue());
    assertThat(rungBy).hasValue(thread.get());
    alarm.giveBack();
    await().untilAsserted(() -> assertThat(thread.get().isAlive()).isFalse());
  }
}
