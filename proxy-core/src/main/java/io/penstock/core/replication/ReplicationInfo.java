package io.penstock.core.replication;

import java.util.ArrayList;
import java.util.List;

/**
 * What a node says about its replication stream, in the section of {@code INFO} about it.
 *
 * @param replicationId the name of its stream
 * @param offset how far that is
 * @param secondaryId the name of the stream that it was a replica of before it became a master
 * @param secondaryOffset the offset from which on the two differ
 * @param replicaOffsets how far each has acknowledged
 */
record ReplicationInfo(
    boolean isMaster,
    String replicationId,
    long offset,
    String secondaryId,
    long secondaryOffset,
    List<Long> replicaOffsets) {

  /** Reads the section. */
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

  /** Whether this master has all that {@code start} told of, be it the same or one promoted. */
  boolean continuesFrom(ReplicationInfo start) {
    return replicationId.equals(start.replicationId)
        || (secondaryId.equals(start.replicationId) && secondaryOffset > start.offset);
  }

  /** How many replicas have all up to an offset. */
  long replicasWithOffset(long wanted) {
    return replicaOffsets.stream().filter(acknowledged -> acknowledged >= wanted).count();
  }
}
