package io.penstock.core.spec;

/**
 * What becomes of a request of a user with a key prefix. {@code handling.table} says which command
 * has which; without a line, a command with keys has {@link #KEYS} and any other {@link #REFUSED}.
 */
public enum Prefixing {
  /** The prefix is put in front of each key. */
  KEYS,
  /** As {@link #KEYS}, and in front of the patterns of {@code BY} and {@code GET}. */
  SORT,
  /** The prefix is put in front of argument 1, a glob pattern of keys. */
  PATTERN,
  /** The pattern of {@code MATCH} gets the prefix; without one, such a pattern is added. */
  SCAN,
  /** It counts all keys. If that is permitted, {@code KEYS} finds those with the prefix. */
  COUNT,
  /** {@code INFO} without the section that counts all keys. */
  INFO,
  /** It is about scripts, which can see all keys. If that is permitted, as {@link #KEYS}. */
  SCRIPT,

  /** Argument 1 is a channel. */
  CHANNEL,
  /** All arguments are channels. */
  CHANNELS,
  /** All arguments are glob patterns of channels. */
  CHANNEL_PATTERNS,
  /** Argument 2, if there is one, is a glob pattern of channels. */
  CHANNEL_LIST,
  /** All arguments from argument 2 on are channels. */
  CHANNEL_COUNTS,
  /** It is about all channels: rejected if channels have the prefix. */
  ALL_CHANNELS,

  /** It has no key, and its reply has none. */
  UNCHANGED,
  /** It would see or change what does not belong to the user, or it is not known. */
  REFUSED;

  /** Where a reply carries keys, or channels. */
  public enum Reply {
    /** Nowhere. */
    NOWHERE,
    /** Each element is one. */
    EACH,
    /** Each element of the second element is one. */
    SECOND,
    /** The first element is one. */
    FIRST,
    /** The first of each element is one, or each key of a map. */
    STREAMS,
    /** The elements are names and counts in turn. */
    COUNTS
  }
}
