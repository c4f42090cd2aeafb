package io.penstock.core.observe;

import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The first word of a node's error reply. A script may return any word, so only these are counted
 * separately.
 */
public enum ErrorPrefix {
  ERR,
  WRONGTYPE,
  OOM,
  MISCONF,
  READONLY,
  NOREPLICAS,
  CLUSTERDOWN,
  MASTERDOWN,
  LOADING,
  BUSY,
  NOAUTH,
  WRONGPASS,
  NOPERM,
  MOVED,
  ASK,
  TRYAGAIN,
  CROSSSLOT,
  NOSCRIPT,
  EXECABORT,
  /** Any other word, or none. */
  OTHER;

  /** The word as servers write it; {@code other} for {@link #OTHER}. */
  public String label() {
    return this == OTHER ? "other" : name();
  }

  /** Returns the word as one of these; {@link #OTHER} for any other, or null. */
  public static ErrorPrefix of(@Nullable String word) {
    for (ErrorPrefix prefix : values()) {
      if (prefix.label().equals(word)) {
        return prefix;
      }
    }
    return OTHER;
  }

  /** Returns the sums of both maps. */
  static Map<ErrorPrefix, Long> sum(Map<ErrorPrefix, Long> one, Map<ErrorPrefix, Long> other) {
    Map<ErrorPrefix, Long> sums = new EnumMap<>(ErrorPrefix.class);
    sums.putAll(one);
    other.forEach((prefix, count) -> sums.merge(prefix, count, Long::sum));
    return sums;
  }
}
