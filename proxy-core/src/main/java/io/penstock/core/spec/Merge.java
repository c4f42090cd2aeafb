package io.penstock.core.spec;

/**
 * How the replies to the parts of a split or broadcast command are merged. Unless stated otherwise,
 * the result is the first error in the order of the parts, if there is one.
 */
public enum Merge {
  /**
   * Each part's array has one element per key. The merged array has them in the order of the
   * request.
   */
  ARRAY_BY_KEY,
  /** {@code +OK} if every part replies {@code +OK}. */
  ALL_OK,
  /** The first reply: all are the same, such as the digest of {@code SCRIPT LOAD}. */
  ALL_SUCCEEDED,
  /**
   * The first reply that is no error; otherwise the first error that does not merely mean that
   * nothing was running.
   */
  ONE_SUCCEEDED,
  /** The sum of integers. */
  SUM,
  /** The minimum of integers. */
  MIN,
  /**
   * Arrays (or maps) of the same length: integers are added by index. All other elements are the
   * same in all of them, such as the names in {@code PUBSUB NUMSUB}.
   */
  SUM_BY_ELEMENT,
  /** Like {@link #SUM_BY_ELEMENT}, but counts this proxy's clients instead of its connections. */
  SUBSCRIBERS,
  /** Like {@link #SUBSCRIBERS}, for shard channels. */
  SHARD_SUBSCRIBERS,
  /** Like {@link #SUM}, but counts the patterns of this proxy's clients instead of its own. */
  PATTERNS,
  /** Like {@link #SUM_BY_ELEMENT}, with the minimum: of 0 and 1, whether all are 1. */
  MIN_BY_ELEMENT,
  /** All elements of arrays, or of RESP3 sets. */
  CONCAT,
  /** Like {@link #CONCAT}, without replies that are null; null if all are. */
  REPORTS,
  /** Like {@link #CONCAT}, without duplicates. */
  UNION,
  /** A random one of the replies that are not null; null if all are. */
  RANDOM,
  /** {@code FUNCTION STATS}: the first reply with a running function, otherwise the first reply. */
  RUNNING,
  /**
   * {@code SLOWLOG GET}, {@code COMMANDLOG GET}: the newest entries of all replies, as many as one
   * server would return.
   */
  NEWEST,
  /** {@code LATENCY LATEST}: for each event the latest and the highest latency. */
  LATEST,
  /** {@code LATENCY HISTORY}: all samples, sorted by time. */
  HISTORY,
  /** {@code LATENCY HISTOGRAM}: calls are added per command and bucket. */
  HISTOGRAM,
  /** {@code MEMORY STATS}: bytes and counts are added; ratios are averaged. */
  STATS,
  /**
   * Texts for people: one text if all are equal, otherwise each with its shard's number. The result
   * is an error only if there is no text.
   */
  TEXTS;

  /** Returns whether nodes count this proxy's connections where the reply must count clients. */
  public boolean countsClients() {
    return switch (this) {
      case SUBSCRIBERS, SHARD_SUBSCRIBERS, PATTERNS -> true;
      default -> false;
    };
  }
}
