package io.penstock.core.replicas;

import org.jspecify.annotations.Nullable;

/**
 * One answer of a node about itself. Immutable.
 *
 * @param replica whether it is a replica
 * @param linkUp whether it is a replica whose link to its master is up and not in a synchronization
 * @param history the id of the data's history, {@code master_replid}: offsets can be compared only
 *     within one history. Empty if not known
 * @param offset how much of the history it has, in bytes; of a master, how much there is
 * @param zone the availability zone that it reports, or null
 * @param refusal the error with which it answers {@code PING}, or null
 * @param roundTripNanos from the query to the answer
 */
record ReplicationReport(
    boolean replica,
    boolean linkUp,
    String history,
    long offset,
    @Nullable String zone,
    @Nullable String refusal,
    long roundTripNanos) {

  private static final String ROLE = "role:";
  private static final String LINK = "master_link_status:";
  private static final String SYNCING = "master_sync_in_progress:";
  private static final String HISTORY = "master_replid:";
  private static final String MASTER_OFFSET = "master_repl_offset:";
  private static final String REPLICA_OFFSET = "slave_repl_offset:";

  /** Reads the reply to {@code INFO replication}. */
  static ReplicationReport parse(
      String info, @Nullable String zone, @Nullable String refusal, long roundTripNanos) {
    boolean replica = !field(info, ROLE).equals("master"); // "slave"; maybe "replica" one day
    return new ReplicationReport(
        replica,
        replica && field(info, LINK).equals("up") && !field(info, SYNCING).equals("1"),
        field(info, HISTORY),
        number(field(info, replica ? REPLICA_OFFSET : MASTER_OFFSET)),
        zone,
        refusal,
        roundTripNanos);
  }

  /**
   * Returns the value of a field of {@code INFO}; empty if it is missing.
   *
   * @param name with the colon
   */
  static String field(String info, String name) {
    int before = info.indexOf("\n" + name); // each section begins with a line of its own
    if (before < 0) {
      return "";
    }
    int start = before + 1;
    int end = info.indexOf('\n', start);
    return info.substring(start + name.length(), end < 0 ? info.length() : end).strip();
  }

  private static long number(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException _) {
      return 0;
    }
  }
}
