package io.penstock.core.spec;

import io.penstock.core.resp.RequestFrame;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * One rule to find the keys of a command, in two halves as in Redis.
 *
 * @param flags what is done to the keys, in Redis's order
 */
public record KeySpec(Set<KeyFlag> flags, BeginSearch begin, FindKeys find) {

  public KeySpec {
    EnumSet<KeyFlag> ordered = EnumSet.noneOf(KeyFlag.class);
    ordered.addAll(flags);
    flags = Collections.unmodifiableSet(ordered);
  }

  /** Returns whether it finds keys, and not shard channels, which are only hashed like keys. */
  public boolean hasKeys() {
    return !flags.contains(KeyFlag.NOT_KEY);
  }

  /** Returns whether it finds keys, at least some of them. */
  public boolean isLocatable() {
    return !(begin instanceof BeginSearch.Unknown || find instanceof FindKeys.Unknown);
  }

  /** Returns this spec without {@link KeyFlag#INCOMPLETE}: as if it found all keys. */
  public KeySpec withoutIncomplete() {
    EnumSet<KeyFlag> others = EnumSet.noneOf(KeyFlag.class);
    others.addAll(flags);
    return others.remove(KeyFlag.INCOMPLETE) ? new KeySpec(others, begin, find) : this;
  }

  /**
   * Returns the argument index if this spec finds one key at the same index in every request,
   * otherwise 0.
   */
  public int fixedKeyIndex() {
    return begin instanceof BeginSearch.Index(int index)
            && find instanceof FindKeys.Range(int lastKey, int _, int _)
            && lastKey == 0
            && !flags.contains(KeyFlag.INCOMPLETE)
        ? index
        : 0;
  }

  /**
   * Adds the keys' positions.
   *
   * @param mayBeNone whether a request without such keys is valid
   * @return false if the request's arguments do not fit the spec
   */
  public boolean collect(RequestFrame frame, KeyPositions into, boolean mayBeNone) {
    int first = begin.first(frame);
    if (first == BeginSearch.ABSENT) {
      return true;
    }
    if (first == BeginSearch.UNKNOWABLE || flags.contains(KeyFlag.INCOMPLETE)) {
      return false;
    }
    int found = find.collect(frame, first, into);
    return found > 0 || (found == 0 && mayBeNone);
  }
}
