package io.penstock.core.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.observe.ProxyStats.CommandStats;
import io.penstock.core.observe.ProxyStats.CrossSlotStats;
import io.penstock.core.observe.ProxyStats.HeldStats;
import io.penstock.core.observe.ProxyStats.Pressure;
import io.penstock.core.observe.ProxyStats.PubSubStats;
import io.penstock.core.observe.ProxyStats.Traffic;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StatsSinceTest {

  private static CommandStats calls(String name, long count) {
    long[] buckets = new long[DurationBuckets.BOUNDED + 1];
    buckets[2] = count;
    return new CommandStats(name, Map.of(Outcome.OK, count), buckets, 1_000 * count);
  }

  private static ProxyStats stats(long count, CommandStats... commands) {
    return new ProxyStats(
        List.of(commands),
        5,
        count,
        count,
        count,
        List.of(),
        Map.of(),
        List.of(),
        new PubSubStats(1, 2, 3, 4),
        new Traffic(count, count, 7, 8, 9, 10),
        Map.of("ERR", count, "MOVED", 3L),
        HeldStats.NONE,
        new Pressure(11, 12, 13, Map.of(CloseReason.MEMORY, count), count, count),
        ReadCounts.NONE,
        CrossSlotStats.NONE,
        ShadowStats.NONE,
        MirrorStats.NONE);
  }

  @Test
  void earlierCountsAreSubtracted() {
    ProxyStats now = stats(50, calls("GET", 30), calls("SET", 4), calls("DEL", 1));
    ProxyStats since = now.since(stats(20, calls("GET", 10), calls("SET", 4)));

    assertThat(since.clientsTotal()).isEqualTo(30);
    assertThat(since.clientsRejected()).isEqualTo(30);
    assertThat(since.traffic()).isEqualTo(new Traffic(30, 30, 7, 8, 9, 10));
    assertThat(since.errors()).isEqualTo(Map.of("ERR", 30L));
    assertThat(since.pressure())
        .isEqualTo(new Pressure(11, 12, 13, Map.of(CloseReason.MEMORY, 30L), 30, 30));
    assertThat(since.commands()).extracting(CommandStats::name).containsExactly("GET", "DEL");
    CommandStats get = since.commands().getFirst();
    assertThat(get.outcomes()).isEqualTo(Map.of(Outcome.OK, 20L));
    assertThat(get.totalNanos()).isEqualTo(20_000);
    assertThat(Arrays.stream(get.bucketCounts()).sum()).isEqualTo(20);
  }

  @Test
  void gaugesAreUnchanged() {
    ProxyStats since = stats(50).since(stats(20));

    assertThat(since.clientsNow()).isEqualTo(5);
    assertThat(since.pubSub()).isEqualTo(new PubSubStats(1, 2, 3, 4));
  }
}
