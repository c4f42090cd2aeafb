package io.penstock.core.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.wire.Splits;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DurationBucketsTest {

  @Test
  void boundsArePowersOfTwoFromSixteenMicrosecondsOn() {
    long[] bounds = DurationBuckets.upperBounds();

    assertThat(bounds).hasSize(DurationBuckets.BOUNDED);
    assertThat(bounds[0]).isEqualTo(16_384);
    assertThat(bounds[DurationBuckets.BOUNDED - 1]).isEqualTo(17_179_869_184L);
    for (int i = 1; i < bounds.length; i++) {
      assertThat(bounds[i]).isEqualTo(2 * bounds[i - 1]);
    }
  }

  @Test
  void anUpperBoundIsInItsOwnBucket() {
    long[] bounds = DurationBuckets.upperBounds();
    for (int i = 0; i < bounds.length; i++) {
      assertThat(DurationBuckets.indexOf(bounds[i])).isEqualTo(i);
      assertThat(DurationBuckets.indexOf(bounds[i] + 1)).isEqualTo(i + 1);
    }
  }

  @Test
  void extremesHaveABucket() {
    assertThat(DurationBuckets.indexOf(-1)).isZero();
    assertThat(DurationBuckets.indexOf(0)).isZero();
    assertThat(DurationBuckets.indexOf(1)).isZero();
    assertThat(DurationBuckets.indexOf(Long.MAX_VALUE)).isEqualTo(DurationBuckets.BOUNDED);
  }

  @Test
  void everyDurationIsInTheFirstBucketThatReachesIt() {
    long[] bounds = DurationBuckets.upperBounds();
    Random random = Splits.random();
    for (int i = 0; i < 10_000; i++) {
      long nanos = random.nextLong() >>> (20 + random.nextInt(40));
      int expected = 0;
      while (expected < bounds.length && bounds[expected] < nanos) {
        expected++;
      }
      assertThat(DurationBuckets.indexOf(nanos)).as("%d ns", nanos).isEqualTo(expected);
    }
  }
}
