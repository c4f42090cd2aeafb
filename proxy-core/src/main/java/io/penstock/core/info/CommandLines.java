package io.penstock.core.info;

import io.penstock.core.observe.DurationBuckets;
import io.penstock.core.observe.MirrorStats;
import io.penstock.core.observe.Outcome;
import io.penstock.core.observe.ProxyStats.CommandStats;
import io.penstock.core.observe.ProxyStats.CrossSlotStats;
import io.penstock.core.observe.ShadowStats;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * Writes the lines by command and by error. Durations are those that clients see, nodes included.
 */
final class CommandLines {

  private static final double NANOS_PER_MICRO = 1_000;

  private final InfoText text;

  CommandLines(InfoText text) {
    this.text = text;
  }

  /** Returns the calls that were executed, as Redis counts them: without rejected ones. */
  static long processed(List<CommandStats> commands) {
    return commands.stream().mapToLong(CommandLines::calls).sum();
  }

  private static long calls(CommandStats command) {
    long calls = 0;
    for (Map.Entry<Outcome, Long> entry : command.outcomes().entrySet()) {
      calls += entry.getKey() == Outcome.REJECTED ? 0 : entry.getValue();
    }
    return calls;
  }

  private static String name(CommandStats command) {
    return name(command.name());
  }

  private static String name(String command) {
    return command.toLowerCase(Locale.ROOT).replace(' ', '|');
  }

  void calls(List<CommandStats> commands) {
    for (CommandStats command : commands) {
      long calls = calls(command);
      long micros = Math.round(command.totalNanos() / NANOS_PER_MICRO);
      long rejected = command.outcomes().getOrDefault(Outcome.REJECTED, 0L);
      long succeeded = command.outcomes().getOrDefault(Outcome.OK, 0L);
      text.line(
          "cmdstat_" + name(command),
          "calls="
              + calls
              + ",usec="
              + micros
              + ",usec_per_call="
              + InfoText.decimal(calls == 0 ? 0 : (double) micros / calls)
              + ",rejected_calls="
              + rejected
              + ",failed_calls="
              + (calls - succeeded));
    }
  }

  void crossSlot(CrossSlotStats stats) {
    Set<String> seen = new TreeSet<>(stats.commands().keySet());
    seen.addAll(stats.rejected().keySet());
    for (String command : seen) {
      text.line(
          "crossslotstat_" + name(command),
          "calls="
              + stats.commands().getOrDefault(command, 0L)
              + ",rejected_calls="
              + stats.rejected().getOrDefault(command, 0L));
    }
  }

  void shadow(ShadowStats stats) {
    stats
        .differing()
        .forEach(
            (command, count) -> text.line("shadowstat_" + name(command), "differing=" + count));
  }

  void copies(List<MirrorStats.Copy> copies) {
    for (MirrorStats.Copy copy : copies) {
      text.line(
          "copy_" + copy.name(),
          "behind=%d,queued=%d,queued_bytes=%d,lag_ms=%d,done=%d,dropped=%d,unknown=%d,differing=%d,keys_to_copy=%d,copied_again=%d"
              .formatted(
                  copy.isBehind() ? 1 : 0,
                  copy.queued(),
                  copy.queuedBytes(),
                  TimeUnit.NANOSECONDS.toMillis(copy.lagNanos()),
                  copy.done(),
                  copy.dropped(),
                  copy.unknown(),
                  copy.allDiffering(),
                  copy.keysToCopy(),
                  copy.copiedAgain()));
    }
  }

  void errors(Map<String, Long> errors) {
    new TreeMap<>(errors)
        .forEach((prefix, count) -> text.line("errorstat_" + prefix, "count=" + count));
  }

  void latencies(List<CommandStats> commands) {
    for (CommandStats command : commands) {
      text.line(
          "latency_percentiles_usec_" + name(command),
          "p50="
              + percentile(command, 0.50)
              + ",p99="
              + percentile(command, 0.99)
              + ",p99.9="
              + percentile(command, 0.999));
    }
  }

  /** Returns the upper bound of the percentile's bucket, in microseconds. */
  private static String percentile(CommandStats command, double part) {
    long total = 0;
    for (long count : command.bucketCounts()) {
      total += count;
    }
    long wanted = (long) Math.ceil(total * part);
    long seen = 0;
    int bucket = 0;
    while (bucket < DurationBuckets.BOUNDED - 1
        && (seen += command.bucketCounts()[bucket]) < wanted) {
      bucket++;
    }
    double micros = DurationBuckets.upperBounds()[bucket] / NANOS_PER_MICRO;
    return String.format(Locale.ROOT, "%.3f", micros);
  }
}
