package io.penstock.core.command;

/**
 * How the replies to the parts of a split or broadcast command become one. Unless it is said
 * otherwise, the first error in the order of the parts is the reply when there is one.
 */
public enum Merge {
  /** Each part's array holds one element a key; the merged array has them in the caller's order. */
  ARRAY_BY_KEY,
  /** {@code +OK} when every part says so. */
  ALL_OK,
  /** The first reply: all are the same, as the digest that {@code SCRIPT LOAD} answers. */
  ALL_SUCCEEDED,
  /** The first reply that is no error; else the first error that says more than that none ran. */
  ONE_SUCCEEDED,
  /** The sum of integers. */
  SUM,
  /** The least of integers. */
  MIN,
  /**
   * Arrays (or maps) of one length: integers are added by place, everything else is the same in all
   * of them, as the names that {@code PUBSUB NUMSUB} repeats.
   */
  SUM_BY_ELEMENT,
  /** As {@link #SUM_BY_ELEMENT}, then clients are counted in place of this proxy's connections. */
  SUBSCRIBERS,
  /** The same for shard channels. */
  SHARD_SUBSCRIBERS,
  /** As {@link #SUM}, then patterns of clients are counted in place of this proxy's. */
  PATTERNS,
  /** As {@link #SUM_BY_ELEMENT}, with the least integer: of 0 and 1, whether all are 1. */
  MIN_BY_ELEMENT,
  /** All elements of arrays, or of RESP3 sets. */
  CONCAT,
  /** The same, each element once. */
  UNION,
  /** One reply by chance among those that are not null; null when all are. */
  RANDOM,
  /**
   * {@code FUNCTION STATS}: the first reply that tells of a running function, else the first reply.
   */
  RUNNING,
  /** {@code SLOWLOG GET}: the newest entries of all, as many as one server would give. */
  NEWEST,
  /** {@code LATENCY LATEST}: of each event what came last, and the worst. */
  LATEST,
  /** {@code LATENCY HISTORY}: all samples by their time. */
  HISTORY,
  /** {@code LATENCY HISTOGRAM}: calls are added, command by command and duration by duration. */
  HISTOGRAM,
  /** {@code MEMORY STATS}: bytes and numbers are added, ratios are means. */
  STATS,
  /**
   * Texts for people: the one that all say, or each with its shard's number. An error is the reply
   * only when there is no text.
   */
  TEXTS;

  /** Whether nodes count this proxy's connections where clients are meant. */
  public boolean countsClients() {
    return switch (this) {
      case SUBSCRIBERS, SHARD_SUBSCRIBERS, PATTERNS -> true;
      default -> false;
    };
  }
}
