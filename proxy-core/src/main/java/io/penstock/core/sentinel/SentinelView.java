package io.penstock.core.sentinel;

import io.penstock.core.upstream.Endpoint;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What one sentinel says about the master. Immutable.
 *
 * @param source the sentinel, by the address that was queried
 * @param id the sentinel's id; its address if it does not report one (before Redis 6.2)
 * @param master the current master, during a failover the promoted replica
 * @param epoch the configuration epoch of that: each failover has a higher one
 * @param members the monitored nodes, the master first
 * @param others the other sentinels that it knows, by id
 */
record SentinelView(
    Endpoint source,
    String id,
    Endpoint master,
    long epoch,
    List<Member> members,
    Map<String, Endpoint> others) {

  SentinelView {
    members = List.copyOf(members);
    others = Map.copyOf(others);
  }

  /**
   * One monitored node.
   *
   * @param runId the id of its process; empty if the sentinel never reached it
   * @param flags as the sentinel reports them: {@code master}, {@code slave}, {@code s_down}, …
   */
  record Member(String runId, Endpoint node, Set<String> flags) {

    Member {
      flags = Set.copyOf(flags);
    }

    /** Returns whether the sentinel considers it down. */
    boolean isDown() {
      return flags.contains("s_down") || flags.contains("o_down");
    }
  }
}
