package io.penstock.server.metrics;

import io.penstock.core.observe.MirrorStats;
import io.penstock.core.observe.ProxyStats;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The metrics of copies. Nothing for upstreams without. */
final class MirrorFamilies {

  private static final String UPSTREAM = "upstream";
  private static final String COPY = "copy";

  private final Family queued = Metric.MIRROR_QUEUED.family();
  private final Family queuedBytes = Metric.MIRROR_QUEUED_BYTES.family();
  private final Family limit = Metric.MIRROR_QUEUE_LIMIT.family();
  private final Family limitBytes = Metric.MIRROR_QUEUE_LIMIT_BYTES.family();
  private final Family lag = Metric.MIRROR_LAG.family();
  private final Family behind = Metric.MIRROR_BEHIND.family();
  private final Family done = Metric.MIRROR_DONE.family();
  private final Family dropped = Metric.MIRROR_DROPPED.family();
  private final Family unknown = Metric.MIRROR_UNKNOWN.family();
  private final Family differing = Metric.MIRROR_DIFFERING.family();
  private final Family keysToCopy = Metric.MIRROR_KEYS_TO_COPY.family();
  private final Family copiedAgain = Metric.MIRROR_COPIED_AGAIN.family();

  private MirrorFamilies() {}

  /**
   * Adds the metrics to all.
   *
   * @param upstreams by name
   */
  static void add(Map<String, ProxyStats> upstreams, List<MetricSnapshot> all) {
    var families = new MirrorFamilies();
    upstreams.forEach((name, stats) -> {
      MirrorStats mirror = stats.mirror();
      if (!mirror.copies().isEmpty()) {
        families.limit.add((double) mirror.maxRequests(), UPSTREAM, name);
        families.limitBytes.add((double) mirror.maxBytes(), UPSTREAM, name);
        mirror.copies().forEach(each -> families.add(name, each));
      }
    });
    families.stream().map(Family::snapshot).forEach(all::add);
  }

  private Stream<Family> stream() {
    return Stream.of(
        queued,
        queuedBytes,
        limit,
        limitBytes,
        lag,
        behind,
        done,
        dropped,
        unknown,
        differing,
        keysToCopy,
        copiedAgain);
  }

  private void add(String upstream, MirrorStats.Copy copy) {
    String name = copy.name();
    queued.add((double) copy.queued(), UPSTREAM, upstream, COPY, name);
    queuedBytes.add((double) copy.queuedBytes(), UPSTREAM, upstream, COPY, name);
    lag.add(copy.lagNanos() / (double) TimeUnit.SECONDS.toNanos(1), UPSTREAM, upstream, COPY, name);
    behind.add(copy.isBehind() ? 1 : 0, UPSTREAM, upstream, COPY, name);
    done.add((double) copy.done(), UPSTREAM, upstream, COPY, name);
    dropped.add((double) copy.dropped(), UPSTREAM, upstream, COPY, name);
    unknown.add((double) copy.unknown(), UPSTREAM, upstream, COPY, name);
    copy.differing()
        .forEach((command, count) ->
            differing.add((double) count, UPSTREAM, upstream, COPY, name, "command", command));
    keysToCopy.add((double) copy.keysToCopy(), UPSTREAM, upstream, COPY, name);
    copiedAgain.add((double) copy.copiedAgain(), UPSTREAM, upstream, COPY, name);
  }
}
