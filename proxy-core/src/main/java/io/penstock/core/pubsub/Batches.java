package io.penstock.core.pubsub;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Groups topics by what one command may name: topics of one kind, and shard channels of one
 * partition.
 */
final class Batches {

  private static final int MAX_NAMES = 512;

  private record Group(Kind kind, int partition, int number) {}

  private Batches() {}

  static Iterable<List<Topic>> of(List<Topic> topics) {
    Map<Group, List<Topic>> batches = new LinkedHashMap<>();
    Map<Kind, Integer> seen = new LinkedHashMap<>();
    for (Topic topic : topics) {
      int partition = topic.kind() == Kind.SHARD ? topic.partition() : 0;
      int number = (seen.merge(topic.kind(), 1, Integer::sum) - 1) / most(topic.kind());
      var group = new Group(topic.kind(), partition, number);
      batches.computeIfAbsent(group, _ -> new ArrayList<>()).add(topic);
    }
    return batches.values();
  }

  private static int most(Kind kind) {
    return kind == Kind.PATTERN ? Feed.PATTERNS_PER_COMMAND : MAX_NAMES;
  }
}
