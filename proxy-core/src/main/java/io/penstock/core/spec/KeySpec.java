package io.penstock.core.spec;

import io.penstock.core.resp.RequestFrame;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * One rule by which a command's keys are found, in two halves as Redis has them.
 *
 * @param flags what is done to the keys, in Redis's order
 */
public record KeySpec(Set<KeyFlag> flags, BeginSearch begin, FindKeys find) {

  public KeySpec {
    EnumSet<KeyFlag> ordered = EnumSet.noneOf(KeyFlag.class);
    ordered.addAll(flags);
    flags = Collections.unmodifiableSet(ordered);
  }

  /** Whether its positions hold keys, and not shard channels that are only hashed like keys. */
  public boolean hasKeys() {
    return !flags.contains(KeyFlag.NOT_KEY);
  }

  /** Whether it says where to look, if only for some of the keys. */
  public boolean isLocatable() {
    return !(begin instanceof BeginSearch.Unknown || find instanceof FindKeys.Unknown);
  }

  /** This spec as if the keys that it finds were all that there are. */
  public KeySpec withoutIncomplete() {
    EnumSet<KeyFlag> others = EnumSet.noneOf(KeyFlag.class);
    others.addAll(flags);
    return others.remove(KeyFlag.INCOMPLETE) ? new KeySpec(others, begin, find) : this;
  }

  /**
   * The argument index of the one key that this spec finds in every request; 0 when it is not so
   * simple.
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
   * @param mayBeNone whether the request may say that it has none of these keys
   * @return false when the request's arguments do not fit the spec
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
