package io.penstock.core.observe;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The copies of an upstream with mirrored writes. Counters only grow.
 *
 * @param copies in the order of the settings
 * @param maxRequests most effects that may wait for one copy
 * @param maxBytes most bytes of them
 */
public record MirrorStats(List<Copy> copies, long maxRequests, long maxBytes) {

  /** No copies. */
  public static final MirrorStats NONE = new MirrorStats(List.of(), 0, 0);

  public MirrorStats {
    copies = List.copyOf(copies);
  }

  /**
   * Returns the sum with other copies. A copy of one name is the same one, in the upstream and in
   * one that it replaces.
   */
  public MirrorStats plus(MirrorStats other) {
    if (copies.isEmpty() || other.copies.isEmpty()) {
      return copies.isEmpty() ? other : this;
    }
    Map<String, Copy> sums = new LinkedHashMap<>();
    copies.forEach(each -> sums.put(each.name(), each));
    other.copies.forEach(each -> sums.merge(each.name(), each, Copy::plus));
    return new MirrorStats(
        List.copyOf(sums.values()),
        Math.max(maxRequests, other.maxRequests),
        Math.max(maxBytes, other.maxBytes));
  }

  /**
   * One copy.
   *
   * @param name of its upstream
   * @param queued effects that wait or are in flight now
   * @param queuedBytes of them
   * @param lagNanos how long the oldest of them has waited; 0 if there is none
   * @param done effects that the copy has done
   * @param dropped effects that it did not get
   * @param unknown effects that it may have done or not
   * @param differing effects with another reply than the primary's, by the name of the command;
   *     {@code other} for what is not a client's own request
   * @param keysToCopy keys that differ, or may, and wait to be copied again
   * @param copiedAgain keys that were copied again whole
   * @param behindSince since when it lacks something that only {@code resync} brings; null if it
   *     does not
   * @param behindReason why, in words; null if it is not behind
   */
  public record Copy(
      String name,
      long queued,
      long queuedBytes,
      long lagNanos,
      long done,
      long dropped,
      long unknown,
      Map<String, Long> differing,
      long keysToCopy,
      long copiedAgain,
      @Nullable Instant behindSince,
      @Nullable String behindReason) {

    public Copy {
      differing = Map.copyOf(new TreeMap<>(differing));
    }

    /** Returns whether it lacks something that only {@code resync} brings. */
    public boolean isBehind() {
      return behindSince != null;
    }

    private Copy plus(Copy other) {
      Map<String, Long> sums = new TreeMap<>(differing);
      other.differing.forEach((command, count) -> sums.merge(command, count, Long::sum));
      boolean own = behindSince != null;
      return new Copy(
          name,
          queued + other.queued,
          queuedBytes + other.queuedBytes,
          Math.max(lagNanos, other.lagNanos),
          done + other.done,
          dropped + other.dropped,
          unknown + other.unknown,
          sums,
          keysToCopy + other.keysToCopy,
          copiedAgain + other.copiedAgain,
          own ? behindSince : other.behindSince,
          own ? behindReason : other.behindReason);
    }

    /** Returns whether it has nothing to do: no effect waits for it, and no key. */
    public boolean isIdle() {
      return queued == 0 && keysToCopy == 0;
    }

    /** Returns how many replies were not the primary's, of all commands. */
    public long allDiffering() {
      return differing.values().stream().mapToLong(Long::longValue).sum();
    }
  }
}
