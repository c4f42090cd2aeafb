package io.penstock.core.users;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.users.UserSettings.RateLimit;
import io.penstock.core.users.UserUsage.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class UserLimitsTest {

  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final UserUsage usage = new UserUsage("app");
  private final long start = System.nanoTime() + SECOND;

  private UserLimits rate(int requests, Duration period, int burst, boolean waits) {
    var limit = new RateLimit(requests, period, burst, waits);
    return Objects.requireNonNull(
        UserLimits.of(new UserSettings(limit, 0, 0, null, null, false), usage));
  }

  private UserLimits bytes(long most) {
    return Objects.requireNonNull(
        UserLimits.of(new UserSettings(null, 0, most, null, null, false), usage));
  }

  private int admitted(UserLimits limits, int tries, long now) {
    int admitted = 0;
    for (int i = 0; i < tries; i++) {
      admitted += limits.begin(10, now) == null ? 1 : 0;
    }
    return admitted;
  }

  @Test
  void withoutLimitsThereIsNothingToAsk() {
    assertThat(UserLimits.of(UserSettings.NONE, usage)).isNull();
    assertThat(UserLimits.of(new UserSettings(null, 5, 0, "other", null, false), usage)).isNull();
  }

  @Test
  void afterAPauseABurstIsAdmittedAndThenTheRate() {
    UserLimits limits = rate(100, Duration.ofSeconds(1), 30, false);

    assertThat(admitted(limits, 50, start)).isEqualTo(30);
    assertThat(limits.begin(10, start)).isEqualTo(ErrorReplies.USER_RATE);
    assertThat(admitted(limits, 50, start + SECOND / 10)).isEqualTo(10);
    assertThat(admitted(limits, 500, start + 60 * SECOND)).isEqualTo(30);
    assertThat(usage.rejections(Limit.RATE)).isEqualTo(20 + 1 + 40 + 470);
  }

  @Test
  void aRateMayBeLessThanOneInASecond() {
    UserLimits limits = rate(6, Duration.ofMinutes(1), 1, false);

    assertThat(admitted(limits, 5, start)).isOne();
    assertThat(admitted(limits, 5, start + 9 * SECOND)).isZero();
    assertThat(admitted(limits, 5, start + 10 * SECOND)).isOne();
  }

  @Test
  void excessThatWaitsIsToldWhenToAskAgain() {
    UserLimits limits = rate(10, Duration.ofSeconds(1), 2, true);

    assertThat(limits.waitNanos(false, start)).isZero();
    assertThat(limits.waitNanos(false, start)).isZero();
    assertThat(limits.waitNanos(false, start)).isEqualTo(SECOND / 10);
    assertThat(limits.waitNanos(true, start + SECOND / 20)).isEqualTo(SECOND / 20);
    assertThat(limits.waitNanos(true, start + SECOND / 10)).isZero();
    assertThat(limits.begin(10, start + SECOND / 10)).isNull();
    assertThat(usage.delays()).isOne();
    assertThat(usage.rejections(Limit.RATE)).isZero();
  }

  @Test
  void aChangedRateKeepsWhatWasTaken() {
    admitted(rate(10, Duration.ofSeconds(1), 10, false), 10, start);

    assertThat(admitted(rate(10, Duration.ofSeconds(1), 5, false), 5, start)).isZero();
    assertThat(admitted(rate(1_000, Duration.ofSeconds(1), 10, false), 5, start + SECOND))
        .isEqualTo(5);
  }

  @Test
  void bytesAreFreeAgainWhenTheirReplyIsThere() {
    UserLimits limits = bytes(100);

    assertThat(limits.begin(60, start)).isNull();
    assertThat(limits.begin(60, start)).isEqualTo(ErrorReplies.USER_BYTES);
    assertThat(limits.begin(40, start)).isNull();
    limits.end(60);
    assertThat(limits.begin(60, start)).isNull();
    assertThat(usage.bytesInFlight()).isEqualTo(100);
    assertThat(usage.rejections(Limit.BYTES_IN_FLIGHT)).isOne();
  }

  @Test
  void aRequestAboveTheLimitOfBytesIsExecutedAlone() {
    UserLimits limits = bytes(100);

    assertThat(limits.begin(500, start)).isNull();
    assertThat(limits.begin(1, start)).isEqualTo(ErrorReplies.USER_BYTES);
    limits.end(500);
    assertThat(limits.begin(1, start)).isNull();
  }

  @Test
  void connectionsAreCountedUpToTheLimit() {
    assertThat(usage.connect(2)).isTrue();
    assertThat(usage.connect(2)).isTrue();
    assertThat(usage.connect(2)).isFalse();
    assertThat(usage.connect(0)).isTrue();
    usage.disconnect();
    usage.disconnect();
    assertThat(usage.connect(2)).isTrue();
    assertThat(usage.clients()).isEqualTo(2);
  }

  @Test
  void severalThreadsTogetherGetNoMoreThanTheBurst() throws Exception {
    UserLimits limits = rate(1, Duration.ofHours(1), 1_000, false);
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      List<Callable<Integer>> tasks = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        tasks.add(() -> admitted(limits, 1_000, start));
      }
      int sum = 0;
      for (Future<Integer> admitted : threads.invokeAll(tasks)) {
        sum += admitted.get();
      }
      assertThat(sum).isEqualTo(1_000);
    }
  }
}
