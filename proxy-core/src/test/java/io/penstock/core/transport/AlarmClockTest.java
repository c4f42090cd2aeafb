package io.penstock.core.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.wire.LogLines;
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
      clock.alarm(() -> {
        rungAt.compareAndSet(0, System.nanoTime());
        rungBy.set(Thread.currentThread());
        rung.incrementAndGet();
      });

  @AfterEach
  void close() {
    alarm.close();
  }

  @Test
  void ringsAtItsTimeAndNotBefore() {
    long at = System.nanoTime() + SOON;
    alarm.set(at);
    await().untilAsserted(() -> assertThat(rung).hasPositiveValue());
    assertThat(rungAt.get() - at).isNotNegative();
  }

  @Test
  void ringsEarlierWhenItIsSetAgain() {
    alarm.set(System.nanoTime() + LATER);
    alarm.set(System.nanoTime() + SOON);
    await().untilAsserted(() -> assertThat(rung).hasPositiveValue());
  }

  @Test
  void ringsAgainUntilItIsSetAgain() {
    alarm.set(System.nanoTime() - SOON);
    await().untilAsserted(() -> assertThat(rung).hasValueGreaterThan(2));
    alarm.clear();
  }

  @Test
  void doesNotRingWhenItIsCleared() {
    var other = new AtomicInteger();
    AlarmClock.Alarm next = clock.alarm(other::incrementAndGet);
    alarm.set(System.nanoTime() + SOON);
    alarm.clear();
    next.set(System.nanoTime() + 2 * SOON);
    await().untilAsserted(() -> assertThat(other).hasPositiveValue());
    int before = rung.get(); // it may have rung before it was cleared
    await().untilAsserted(() -> assertThat(other).hasValueGreaterThan(3)); // rings again and again
    assertThat(rung).hasValue(before);
    next.close();
  }

  @Test
  void itsThreadEndsWhenAllAlarmsAreClosed() {
    var thread = new AtomicReference<Thread>();
    AlarmClock.Alarm other = clock.alarm(() -> thread.set(Thread.currentThread()));
    other.set(System.nanoTime() + SOON);
    await().untilAsserted(() -> assertThat(thread).doesNotHaveNullValue());
    other.close();
    alarm.set(System.nanoTime() + SOON);
    await().untilAsserted(() -> assertThat(rung).hasPositiveValue());
    assertThat(rungBy).hasValue(thread.get());
    alarm.close();
    await().untilAsserted(() -> assertThat(thread.get().isAlive()).isFalse());
  }

  /** A defect, or a failed allocation, must not stop the timers of all idle loops. */
  @Test
  void anAlarmThatFailsRingsAgainAndOthersStillRing() {
    var tries = new AtomicInteger();
    AlarmClock.Alarm failing =
        clock.alarm(() -> {
          tries.incrementAndGet();
          throw new InternalError("of a test");
        });
    AlarmClock.Alarm next = clock.alarm(rung::incrementAndGet);
    try (LogLines lines = LogLines.of("transport.AlarmClock")) {
      failing.set(System.nanoTime() - SOON);
      await().untilAsserted(() -> assertThat(tries).hasPositiveValue());
      next.set(System.nanoTime() + SOON);
      await().untilAsserted(() -> assertThat(rung).hasPositiveValue());
      await().untilAsserted(() -> assertThat(tries).hasValueGreaterThan(2));
      assertThat(lines.get()).hasSize(1); // once a minute
    }
    next.close();
    failing.close();
  }

  /** As when the limit on threads is reached. */
  @Test
  void startingTheThreadIsRetried() {
    var tries = new AtomicInteger();
    var scarce =
        new AlarmClock(task ->
            tries.incrementAndGet() == 1
                ? new Thread(task) {
                  @Override
                  public void start() {
                    throw new InternalError("of a test");
                  }
                }
                : Thread.ofPlatform().daemon().unstarted(task));
    var other = new AtomicInteger();
    AlarmClock.Alarm late = scarce.alarm(other::incrementAndGet);
    assertThat(late.set(System.nanoTime())).isFalse();
    await().until(() -> late.set(System.nanoTime()));
    await().untilAsserted(() -> assertThat(other).hasPositiveValue());
    assertThat(tries).hasValue(2);
    late.close();
  }
}
