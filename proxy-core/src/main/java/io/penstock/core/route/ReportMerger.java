package io.penstock.core.route;

import io.netty.buffer.ByteBuf;
import io.penstock.core.route.ReplyTree.Aggregate;
import io.penstock.core.route.ReplyTree.Leaf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.BinaryOperator;

/** Merges reports of servers: slow logs, latencies, memory. */
final class ReportMerger {

  /** Samples that a server keeps per latency event. */
  private static final int MAX_SAMPLES = 160;

  private ReportMerger() {}

  private static List<Aggregate> read(ByteBuf[] replies) {
    return Arrays.stream(replies).map(ReplyTree::read).map(ReplyTree::aggregate).toList();
  }

  private static String encode(ReplyTree tree) {
    var out = new StringBuilder();
    tree.write(out);
    return out.toString();
  }

  private static long integer(ReplyTree entry, int element) {
    return ReplyTree.leaf(elements(entry).get(element)).integer();
  }

  private static List<ReplyTree> elements(ReplyTree entry) {
    return ReplyTree.aggregate(entry).elements();
  }

  /** {@code SLOWLOG GET}: the latest entries of all replies. */
  static String newest(ByteBuf[] replies, int most) {
    List<ReplyTree> entries = joined(replies);
    entries.sort(Comparator.comparingLong((ReplyTree entry) -> integer(entry, 1)).reversed());
    return encode(new Aggregate('*', entries.subList(0, Math.min(most, entries.size()))));
  }

  /** {@code LATENCY HISTORY}: all samples, sorted by time. */
  static String history(ByteBuf[] replies) {
    List<ReplyTree> samples = joined(replies);
    samples.sort(Comparator.comparingLong(sample -> integer(sample, 0)));
    int from = Math.max(0, samples.size() - MAX_SAMPLES);
    return encode(new Aggregate('*', samples.subList(from, samples.size())));
  }

  private static List<ReplyTree> joined(ByteBuf[] replies) {
    List<ReplyTree> all = new ArrayList<>();
    read(replies).forEach(reply -> all.addAll(reply.elements()));
    return all;
  }

  /** {@code LATENCY LATEST}: for each event the latest latency and the maximum. */
  static String latest(ByteBuf[] replies) {
    Map<String, ReplyTree> events = new LinkedHashMap<>();
    for (ReplyTree entry : joined(replies)) {
      String event = ReplyTree.leaf(elements(entry).getFirst()).bytes();
      events.merge(event, entry, ReportMerger::later);
    }
    return encode(new Aggregate('*', List.copyOf(events.values())));
  }

  /**
   * Merges two entries: name, time, latest, maximum; newer servers add a sum and a count, older
   * ones do not.
   */
  private static ReplyTree later(ReplyTree one, ReplyTree other) {
    boolean firstIsNewer = integer(one, 1) >= integer(other, 1);
    List<ReplyTree> merged = new ArrayList<>(elements(firstIsNewer ? one : other));
    merged.set(3, Leaf.integer(Math.max(integer(one, 3), integer(other, 3))));
    int both = Math.min(elements(one).size(), elements(other).size());
    for (int i = 4; i < both; i++) {
      merged.set(i, Leaf.integer(integer(one, i) + integer(other, i)));
    }
    return new Aggregate('*', merged);
  }

  /** {@code LATENCY HISTOGRAM}: calls are added, and so are the calls up to each duration. */
  static String histogram(ByteBuf[] replies) {
    return encode(mergedEntries(read(replies), ReportMerger::histograms));
  }

  private static ReplyTree histograms(ReplyTree one, ReplyTree other) {
    return mergedEntries(
        List.of(ReplyTree.aggregate(one), ReplyTree.aggregate(other)),
        (a, b) ->
            a instanceof Aggregate first && b instanceof Aggregate second
                ? cumulative(first, second)
                : Leaf.integer(ReplyTree.leaf(a).integer() + ReplyTree.leaf(b).integer()));
  }

  private static Aggregate cumulative(Aggregate one, Aggregate other) {
    NavigableMap<Long, Long> first = counts(one);
    NavigableMap<Long, Long> second = counts(other);
    var bounds = new TreeMap<Long, Long>(first);
    bounds.putAll(second);
    List<ReplyTree> merged = new ArrayList<>();
    for (long bound : bounds.keySet()) {
      merged.add(Leaf.integer(bound));
      merged.add(Leaf.integer(upTo(bound, first) + upTo(bound, second)));
    }
    return new Aggregate(one.type(), merged);
  }

  private static NavigableMap<Long, Long> counts(Aggregate histogram) {
    var counts = new TreeMap<Long, Long>();
    for (int i = 0; i + 1 < histogram.elements().size(); i += 2) {
      counts.put(
          ReplyTree.leaf(histogram.elements().get(i)).integer(),
          ReplyTree.leaf(histogram.elements().get(i + 1)).integer());
    }
    return counts;
  }

  private static long upTo(long bound, NavigableMap<Long, Long> counts) {
    Map.Entry<Long, Long> floor = counts.floorEntry(bound);
    return floor == null ? 0 : floor.getValue();
  }

  /** {@code MEMORY STATS}: bytes and numbers are added, ratios are means. */
  static String stats(ByteBuf[] replies) {
    List<Aggregate> all = read(replies);
    Map<String, List<ReplyTree>> values = new LinkedHashMap<>();
    for (Aggregate reply : all) {
      reply.entries().forEach((name, it) -> values.computeIfAbsent(name, _ -> list()).add(it));
    }
    Map<String, ReplyTree> merged = new LinkedHashMap<>();
    values.forEach((name, of) -> merged.put(name, total(name, of)));
    return encode(all.getFirst().withEntries(merged));
  }

  private static List<ReplyTree> list() {
    return new ArrayList<>();
  }

  private static ReplyTree total(String name, List<ReplyTree> values) {
    return switch (values.getFirst()) {
      case Aggregate _ ->
          mergedEntries(
              values.stream().map(ReplyTree::aggregate).toList(),
              (a, b) -> Leaf.integer(ReplyTree.leaf(a).integer() + ReplyTree.leaf(b).integer()));
      case Leaf first when first.isInteger() -> {
        long sum = values.stream().mapToLong(it -> ReplyTree.leaf(it).integer()).sum();
        yield Leaf.integer(name.contains("per-key") ? sum / values.size() : sum);
      }
      case Leaf first -> first.withText(mean(values));
    };
  }

  private static String mean(List<ReplyTree> values) {
    try {
      double sum = 0;
      for (ReplyTree value : values) {
        sum += Double.parseDouble(ReplyTree.leaf(value).text());
      }
      return String.format(Locale.ROOT, "%.17g", sum / values.size());
    } catch (NumberFormatException e) {
      return ReplyTree.leaf(values.getFirst()).text();
    }
  }

  private static Aggregate mergedEntries(List<Aggregate> maps, BinaryOperator<ReplyTree> how) {
    Map<String, ReplyTree> merged = new LinkedHashMap<>();
    for (Aggregate map : maps) {
      map.entries().forEach((name, value) -> merged.merge(name, value, how));
    }
    return maps.getFirst().withEntries(merged);
  }

  /**
   * Merges texts for people: the text itself if all are equal, else all of them, each under the
   * number of its shard.
   *
   * @param replies without errors
   */
  static String texts(List<ByteBuf> replies) {
    List<Leaf> texts = replies.stream().map(ReplyTree::read).map(ReplyTree::leaf).toList();
    if (texts.stream().distinct().count() == 1) {
      return texts.getFirst().bytes();
    }
    char type = texts.getFirst().bytes().charAt(0);
    boolean verbatim = type == '=';
    if (!verbatim && type != '$') {
      throw new UnmergeableException(); // a simple string cannot have several lines
    }
    var all = new StringBuilder(verbatim ? "txt:" : "");
    for (int i = 0; i < texts.size(); i++) {
      String text = texts.get(i).text();
      all.append("# Shard " + (i + 1) + " of " + texts.size() + "\n");
      all.append(verbatim ? text.substring("txt:".length()) : text).append('\n');
    }
    return texts.getFirst().withText(all.toString()).bytes();
  }
}
