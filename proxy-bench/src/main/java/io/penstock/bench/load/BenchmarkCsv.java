package io.penstock.bench.load;

import io.penstock.bench.measure.LoadFailure;
import io.penstock.bench.measure.Measure;
import io.penstock.bench.measure.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The output of {@code redis-benchmark --csv}, Redis 6.2 and newer. */
final class BenchmarkCsv {

  /** A test's name may hold commas and quotes; its figures hold neither. */
  private static final Pattern FIELD = Pattern.compile("\"([^\"]*)\"(?:,|$)");

  private static final Map<String, Measure> COLUMNS =
      Map.of(
          "rps", Measure.THROUGHPUT,
          "avg_latency_ms", Measure.MEAN,
          "p50_latency_ms", Measure.P50,
          "p99_latency_ms", Measure.P99);

  private BenchmarkCsv() {}

  /**
   * The figures of the last test.
   *
   * @throws LoadFailure when there is none; the message is what was printed instead
   */
  static Sample last(String printed) {
    List<String> header = List.of();
    List<String> last = List.of();
    for (String line : printed.lines().toList()) {
      if (line.startsWith("\"test\",")) {
        header = fields(line);
      } else if (line.startsWith("\"") && !header.isEmpty()) {
        last = fields(line);
      }
    }
    if (last.isEmpty()) {
      throw new LoadFailure("redis-benchmark printed no figures: " + tail(printed));
    }
    Sample sample = Sample.EMPTY;
    for (int fromEnd = 1; fromEnd < Math.min(header.size(), last.size()); fromEnd++) {
      Measure measure = COLUMNS.get(header.get(header.size() - fromEnd));
      if (measure != null) {
        double value = Double.parseDouble(last.get(last.size() - fromEnd));
        sample = sample.with(measure, value);
      }
    }
    return sample;
  }

  private static List<String> fields(String line) {
    List<String> fields = new ArrayList<>();
    Matcher matcher = FIELD.matcher(line);
    while (matcher.find()) {
      fields.add(matcher.group(1));
    }
    return fields;
  }

  private static String tail(String printed) {
    String text = printed.strip().replaceAll("\\s+", " ");
    return text.substring(Math.max(0, text.length() - 300));
  }
}
