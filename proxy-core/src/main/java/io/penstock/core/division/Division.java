package io.penstock.core.division;

import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.upstream.Partitioner;
import java.util.List;

/**
 * A rule that selects one of several upstreams, its parts, for each key. Immutable. Two are equal
 * if they select the same for all keys.
 */
public sealed interface Division permits PrefixDivision, WeightedDivision {

  /** Returns the number of upstreams that are selected from, at least 1. */
  int parts();

  /** Returns a partitioner whose partitions are the parts. */
  Partitioner partitioner();

  /**
   * Checks that there are as many upstreams as the rule has parts.
   *
   * @throws IllegalArgumentException if there are not
   */
  default void check(List<UpstreamSettings> upstreams) {
    if (parts() != upstreams.size()) {
      throw new IllegalArgumentException(
          "the rule has " + parts() + " parts, not " + upstreams.size());
    }
  }

  /** Returns which keys a part has, for people: such as {@code weight 95}. */
  String textOf(int part);

  /** Returns what the rule is, for logs: such as {@code by prefix}. */
  String text();
}
