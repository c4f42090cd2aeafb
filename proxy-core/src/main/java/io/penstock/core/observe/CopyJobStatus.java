package io.penstock.core.observe;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A job on one copy of an upstream with mirrored writes: a resync or a comparison.
 *
 * @param kind which of the two
 * @param reason why it is paused, waits, failed, or why the copy is not level after it; null if all
 *     is well
 * @param since when it began, or began anew
 * @param endedAt null if it has not ended
 * @param phase which keys it walks: those of the {@code primary} or of the {@code copy}; {@code
 *     none} before and after
 * @param round from 1; a resync walks all keys again if something was lost for the copy meanwhile
 * @param keysPerSecond most keys that it walks in a second
 * @param keys that it is done with
 * @param estimate of all keys that it has to walk
 * @param rate keys per second at present
 * @param etaSeconds estimate of the time until its end; -1 if it is not known
 * @param results counts of keys by what became of them
 * @param listed the first keys that failed or differ
 * @param level whether the copy was level after a resync; null if that is not known
 */
public record CopyJobStatus(
    Kind kind,
    State state,
    @Nullable String reason,
    Instant since,
    @Nullable Instant endedAt,
    String phase,
    int round,
    int keysPerSecond,
    long keys,
    long estimate,
    double rate,
    long etaSeconds,
    Map<String, Long> results,
    List<ListedKey> listed,
    @Nullable Boolean level) {

  public CopyJobStatus {
    results = Map.copyOf(new TreeMap<>(results));
    listed = List.copyOf(listed);
  }

  /** What a job does. */
  public enum Kind {
    RESYNC,
    COMPARE
  }

  /** Where a job stands. */
  public enum State {
    RUNNING,
    /** Waits for a node or for the copy, and goes on by itself. */
    PAUSED,
    /** Was stopped; goes on when it is asked to. */
    STOPPED,
    /** All keys were walked. */
    ENDED,
    /** It cannot go on. */
    FAILED;

    /** Returns whether it goes on by itself. */
    public boolean isActive() {
      return this == RUNNING || this == PAUSED;
    }
  }

  /**
   * A key that failed or differs.
   *
   * @param database -1 for the upstream's own
   * @param name cut, and escaped
   * @param what is wrong with it
   */
  public record ListedKey(int database, String name, String what) {}

  /** Returns how many keys have a result. */
  public long count(String result) {
    return results.getOrDefault(result, 0L);
  }
}
