package io.penstock.core.replication;

import java.util.ArrayList;
import java.util.List;

/**
 * A node's replication stream, as {@code INFO replication} describes it.
 *
 * @param replicationId of its stream ({@code master_replid})
 * @param offset of the stream's end
 * @param secondaryId of the stream that it replicated before it became a master ({@code
 *     master_replid2})
 * @param secondaryOffset from which on the two streams differ
 * @param replicaOffsets acknowledged by each online replica
 */
record ReplicationInfo(
    boolean isMaster,
    String replicationId,
    long offset,
    String secondaryId,
    long secondaryOffset,
    List<Long> replicaOffsets) {

  /** Parses the section. */
  static ReplicationInfo of(String info) {
    List<Long> replicas = new ArrayList<>();
    for (String line : info.split("\r\n", -1)) {
      if (line.startsWith("slave") && line.contains("state=online")) {
        replicas.add(Long.parseLong(between(line, "offset=", ",")));
      }
    }
    return new ReplicationInfo(
        value(info, "role").equals("master"),
        value(info, "master_replid"),
        number(info, "master_repl_offset"),
        value(info, "master_replid2"),
        number(info, "second_repl_offset"),
        replicas);
  }

  private static long number(String info, String name) {
    String value = value(info, name);
    return value.isEmpty() ? -1 : Long.parseLong(value);
  }

  private static String value(String info, String name) {
    return between("\r\n" + info, "\r\n" + name + ":", "\r\n");
  }

  private static String between(String text, String before, String behind) {
    int from = text.indexOf(before);
    if (from < 0) {
      return "";
    }
    int end = text.indexOf(behind, from + before.length());
    return text.substring(from + before.length(), end < 0 ? text.length() : end);
  }

  /**
   * Returns whether this master has everything up to the offset of {@code start}: it is the same
   * master, or a replica that was promoted.
   */
  boolean continuesFrom(ReplicationInfo start) {
    return replicationId.equals(start.replicationId)
        || (secondaryId.equals(start.replicationId) && secondaryOffset > start.offset);
  }

  /** Returns how many replicas have everything up to an offset. */
  long replicasWithOffset(long wanted) {
    return replicaOffsets.stream().filter(acknowledged -> acknowledged >= wanted).count();
  }
}
