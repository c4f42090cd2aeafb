package io.penstock.server.copies;

import io.penstock.core.observe.CopyJobStatus;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A resync or a comparison, as the endpoint shows it.
 *
 * @param job {@code resync} or {@code compare}
 * @param state {@code running}, {@code paused}, {@code stopped}, {@code ended} or {@code failed}
 * @param reason why it is paused, failed, or why the copy is not level after it
 * @param phase which keys it walks: those of the {@code primary} or of the {@code copy}
 * @param etaSeconds estimate of the time until its end; null if it is not known
 * @param results counts of keys by what became of them
 * @param listed the first keys that failed or differ
 * @param level whether the copy was level after a resync
 */
record JobView(
    String job,
    String state,
    @Nullable String reason,
    Instant since,
    @Nullable Instant endedAt,
    String phase,
    int round,
    int keysPerSecond,
    long keys,
    long estimate,
    long perSecond,
    @Nullable Long etaSeconds,
    Map<String, Long> results,
    List<KeyView> listed,
    @Nullable Boolean level) {

  /**
   * A key.
   *
   * @param database null for the upstream's own
   * @param key cut, and escaped
   */
  record KeyView(@Nullable Integer database, String key, String what) {

    static KeyView of(CopyJobStatus.ListedKey key) {
      return new KeyView(key.database() < 0 ? null : key.database(), key.name(), key.what());
    }
  }

  static JobView of(CopyJobStatus status) {
    return new JobView(
        text(status.kind()),
        text(status.state()),
        status.reason(),
        status.since(),
        status.endedAt(),
        status.phase(),
        status.round(),
        status.keysPerSecond(),
        status.keys(),
        status.estimate(),
        Math.round(status.rate()),
        status.etaSeconds() < 0 ? null : status.etaSeconds(),
        new TreeMap<>(status.results()),
        status.listed().stream().map(KeyView::of).toList(),
        status.level());
  }

  private static String text(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
