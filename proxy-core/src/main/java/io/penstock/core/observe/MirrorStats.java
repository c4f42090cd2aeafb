package io.penstock.core.observe;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The copies of an upstream with mirrored writes. Counters only grow.
 *
 * @param copies in the order of the settings
 */
public record MirrorStats(List<Copy> copies) {

  /** No copies. */
  public static final MirrorStats NONE = new MirrorStats(List.of());

  public MirrorStats {
    copies = List.copyOf(copies);
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
   * @param differing whose reply was not the primary's, by the name of the command; {@code other}
   *     for what is not a client's own request
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
      long copiedAgain,
      @Nullable Instant behindSince,
      @Nullable String behindReason) {

    public Copy {
      differing = Map.copyOf(new TreeMap<>(differing));
    }

    public long allDiffering() {
      return differing.values().stream().mapToLong(Long::longValue).sum();
    }
  }
}
