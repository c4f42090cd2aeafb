package io.penstock.core.topology;

import static io.penstock.core.topology.RefreshSchedule.End.COMPLETE;
import static io.penstock.core.topology.RefreshSchedule.End.FAILED;
import static io.penstock.core.topology.RefreshSchedule.End.INCOMPLETE;
import static io.penstock.core.upstream.RefreshTrigger.ASK;
import static io.penstock.core.upstream.RefreshTrigger.HELD;
import static io.penstock.core.upstream.RefreshTrigger.MOVED;
import static io.penstock.core.upstream.RefreshTrigger.NO_REPLY;
import static io.penstock.core.upstream.RefreshTrigger.PERIODIC;
import static io.penstock.core.upstream.RefreshTrigger.RECONNECT;
import static io.penstock.core.upstream.RefreshTrigger.STARTUP;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.output.Backoff;
import io.penstock.core.upstream.RefreshTrigger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RefreshScheduleTest {

  private static final Duration PERIOD = Duration.ofSeconds(60);
  private static final Duration ADAPTIVE = Duration.ofSeconds(10);
  private static final Duration LONGEST = Duration.ofSeconds(5);

  private final ManualThread thread = new ManualThread();
  private final List<RefreshTrigger> begun = new ArrayList<>();
  private final RefreshSchedule schedule =
      new RefreshSchedule(
          thread,
          new RefreshTimes(
              PERIOD, ADAPTIVE, new Backoff(Duration.ofMillis(200), LONGEST, new Random(1))));
  private boolean failing;
  private @Nullable Refresh last;

  private void begin(Refresh refresh) {
    begun.add(refresh.trigger());
    last = refresh;
    if (failing) {
      throw new InternalError("no thread could be made");
    }
  }

  @Test
  void begins_at_start() {
    request(MOVED);
    assertThat(begun).isEmpty();
    schedule.start(this::begin);
    assertThat(begun).containsExactly(STARTUP);
  }

  @Test
  void a_schedule_stopped_before_its_start_begins_nothing() {
    schedule.stop();
    schedule.start(this::begin);
    request(MOVED);
    thread.advance(PERIOD);
    assertThat(begun).isEmpty();
  }

  @Test
  void refreshes_a_period_after_the_last_one() {
    settledStart();
    thread.advance(PERIOD.minusNanos(1));
    assertThat(begun).isEmpty();
    thread.advance(Duration.ofNanos(1));
    assertThat(begun).containsExactly(PERIODIC);
    thread.advance(PERIOD);
    assertThat(begun).as("one at a time").hasSize(1);
  }

  @Test
  void an_adaptive_refresh_begins_at_once() {
    settledStart();
    request(MOVED);
    assertThat(begun).containsExactly(MOVED);
  }

  @Test
  void triggers_within_the_interval_cause_one_delayed_refresh() {
    settledStart();
    request(MOVED);
    schedule.ended(COMPLETE);
    request(ASK);
    request(MOVED);
    request(RECONNECT);
    thread.advance(ADAPTIVE.minusNanos(1));
    assertThat(begun).containsExactly(MOVED);
    thread.advance(Duration.ofNanos(1));
    assertThat(begun).containsExactly(MOVED, ASK);
    schedule.ended(COMPLETE);
    thread.advance(ADAPTIVE);
    assertThat(begun).as("nothing is left over").hasSize(2);
  }

  @Test
  void a_trigger_during_a_refresh_causes_another_one() {
    settledStart();
    request(MOVED);
    request(ASK);
    thread.advance(ADAPTIVE.plusSeconds(1));
    assertThat(begun).containsExactly(MOVED);
    schedule.ended(COMPLETE);
    assertThat(begun).containsExactly(MOVED, ASK);
  }

  @Test
  void a_periodic_refresh_satisfies_a_pending_trigger() {
    settledStart();
    thread.advance(PERIOD.minusSeconds(1));
    request(MOVED);
    schedule.ended(COMPLETE);
    begun.clear();
    thread.advance(PERIOD.minusSeconds(1));
    request(MOVED);
    schedule.ended(COMPLETE);
    begun.clear();
    request(ASK);
    thread.advance(ADAPTIVE.minusSeconds(1));
    assertThat(begun).isEmpty();
    thread.advance(Duration.ofSeconds(1));
    assertThat(begun).containsExactly(ASK);
  }

  @Test
  void without_triggers_the_period_counts_from_an_adaptive_refresh() {
    settledStart();
    thread.advance(Duration.ofSeconds(40));
    request(MOVED);
    schedule.ended(COMPLETE);
    thread.advance(Duration.ofSeconds(59));
    assertThat(begun).containsExactly(MOVED);
    thread.advance(Duration.ofSeconds(1));
    assertThat(begun).containsExactly(MOVED, PERIODIC);
  }

  @Test
  void failed_refreshes_are_retried_with_growing_delays() {
    schedule.start(this::begin);
    List<Long> pauses = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      schedule.ended(FAILED);
      pauses.add(pause());
    }
    assertThat(begun).containsOnly(STARTUP);
    assertThat(pauses.getFirst()).isBetween(100L, 200L);
    assertThat(pauses.get(3)).isBetween(800L, 1600L);
    assertThat(pauses.getLast()).isBetween(2500L, 5000L);
  }

  @Test
  void triggers_wait_for_the_next_retry_after_a_failure() {
    settledStart();
    request(MOVED);
    schedule.ended(FAILED);
    request(ASK);
    assertThat(begun).containsExactly(MOVED);
    thread.advance(Duration.ofMillis(200));
    assertThat(begun).containsExactly(MOVED, MOVED);
    schedule.ended(COMPLETE);
    thread.advance(ADAPTIVE);
    assertThat(begun).hasSize(2);
  }

  @Test
  void a_refresh_that_cannot_start_is_retried_with_back_off() {
    failing = true;
    schedule.start(this::begin);
    thread.advance(Duration.ofMillis(200));
    assertThat(begun).containsExactly(STARTUP, STARTUP);
    failing = false;
    thread.advance(LONGEST);
    assertThat(begun).containsExactly(STARTUP, STARTUP, STARTUP);
    schedule.ended(COMPLETE);
    thread.advance(PERIOD);
    assertThat(begun).last().isEqualTo(PERIODIC);
  }

  @Test
  void refreshes_are_numbered_and_know_when_they_began() {
    assertThat(schedule.begun()).isZero();
    settledStart();
    thread.advance(PERIOD);

    assertThat(schedule.begun()).isEqualTo(2);
    assertThat(last).isEqualTo(new Refresh(PERIODIC, 2, thread.nanoTime()));
  }

  @Test
  void a_refresh_is_over_when_it_has_ended() {
    schedule.start(this::begin);
    Refresh first = requireNonNull(last);
    assertThat(schedule.isOver(first)).isFalse();
    schedule.ended(COMPLETE);
    assertThat(schedule.isOver(first)).isTrue();

    thread.advance(PERIOD);

    assertThat(schedule.isOver(first)).isTrue();
    assertThat(schedule.isOver(requireNonNull(last))).isFalse();
  }

  @Test
  void a_refresh_that_cannot_start_is_over() {
    failing = true;
    schedule.start(this::begin);

    assertThat(schedule.isOver(requireNonNull(last))).isTrue();
  }

  @Test
  void a_refresh_is_over_when_the_schedule_has_stopped() {
    schedule.start(this::begin);
    schedule.stop();

    assertThat(schedule.isOver(requireNonNull(last))).isTrue();
  }

  @Test
  void an_incomplete_map_is_refreshed_soon_and_on_triggers() {
    schedule.start(this::begin);
    schedule.ended(INCOMPLETE);
    thread.advance(Duration.ofMillis(200));
    assertThat(begun).containsExactly(STARTUP, PERIODIC);
    schedule.ended(INCOMPLETE);
    request(MOVED);
    assertThat(begun).containsExactly(STARTUP, PERIODIC, MOVED);
  }

  @Test
  void a_missing_reply_is_as_urgent_as_held_requests() {
    settledStart();
    thread.advance(Duration.ofSeconds(1));
    request(MOVED);
    schedule.ended(COMPLETE);
    request(ASK);
    request(NO_REPLY);
    request(HELD);
    thread.advance(Duration.ofMillis(250));
    assertThat(begun).containsExactly(MOVED, NO_REPLY);
    schedule.ended(COMPLETE);
    request(NO_REPLY);
    thread.advance(Duration.ofMillis(249));
    assertThat(begun).hasSize(2);
    thread.advance(Duration.ofMillis(1));
    assertThat(begun).containsExactly(MOVED, NO_REPLY, NO_REPLY);
  }

  @Test
  void held_requests_cause_frequent_refreshes() {
    settledStart();
    thread.advance(Duration.ofSeconds(1));
    request(MOVED);
    schedule.ended(COMPLETE);
    request(ASK);
    request(HELD);
    thread.advance(Duration.ofMillis(249));
    assertThat(begun).containsExactly(MOVED);
    thread.advance(Duration.ofMillis(1));
    assertThat(begun).containsExactly(MOVED, HELD);
    schedule.ended(COMPLETE);
    request(HELD);
    thread.advance(Duration.ofMillis(250));
    assertThat(begun).containsExactly(MOVED, HELD, HELD);
    schedule.ended(COMPLETE);
    request(ASK);
    thread.advance(ADAPTIVE);
    assertThat(begun).containsExactly(MOVED, HELD, HELD, ASK);
  }

  @Test
  void held_requests_ignore_the_back_off() {
    settledStart();
    for (int i = 0; i < 12; i++) {
      request(MOVED);
      schedule.ended(FAILED);
    }
    begun.clear();
    request(HELD);
    thread.advance(Duration.ofMillis(250));
    assertThat(begun).containsExactly(HELD);
    schedule.ended(FAILED);
    request(HELD);
    thread.advance(Duration.ofMillis(249));
    assertThat(begun).containsExactly(HELD);
    thread.advance(Duration.ofMillis(1));
    assertThat(begun).containsExactly(HELD, HELD);
  }

  @Test
  void nothing_starts_after_stop() {
    settledStart();
    request(MOVED);
    schedule.stop();
    schedule.ended(COMPLETE);
    request(ASK);
    thread.advance(PERIOD.multipliedBy(2));
    assertThat(begun).containsExactly(MOVED);
  }

  private void settledStart() {
    schedule.start(this::begin);
    schedule.ended(COMPLETE);
    begun.clear();
  }

  private void request(RefreshTrigger trigger) {
    schedule.request(trigger);
    thread.run();
  }

  /** Returns the milliseconds until the next refresh begins. */
  private long pause() {
    int before = begun.size();
    long millis = 0;
    while (begun.size() == before && millis < 10_000) {
      thread.advance(Duration.ofMillis(1));
      millis++;
    }
    return millis;
  }
}
