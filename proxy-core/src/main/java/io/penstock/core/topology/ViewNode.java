package io.penstock.core.topology;

import io.penstock.core.upstream.Endpoint;
import java.util.BitSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One line of {@code CLUSTER NODES}: a member of the cluster as one of its nodes sees it.
 *
 * @param id 40 hexadecimal characters in Redis; unique for ever
 * @param node where it is, or null when the cluster does not know ({@code noaddr})
 * @param flags Redis's words: {@code myself}, {@code master}, {@code slave}, {@code fail?}, …
 * @param masterId the master it follows, or null
 * @param configEpoch its configuration epoch; for a replica, Redis prints its master's
 * @param linked whether the asked node has a link to it on the cluster bus
 * @param slots the slots it serves, without those it is importing; never changed
 */
record ViewNode(
    String id,
    @Nullable Endpoint node,
    Set<String> flags,
    @Nullable String masterId,
    long configEpoch,
    boolean linked,
    BitSet slots) {

  ViewNode {
    flags = Set.copyOf(flags);
  }

  boolean isMyself() {
    return flags.contains("myself");
  }

  boolean isMaster() {
    return flags.contains("master");
  }

  /** Redis counts a cluster's size, and its majority, in masters that serve slots. */
  boolean isVotingMaster() {
    return isMaster() && !slots.isEmpty();
  }

  /**
   * Whether nothing speaks against using it: not failed or suspected, not still being introduced.
   */
  boolean isHealthy() {
    return node != null
        && !flags.contains("fail")
        && !flags.contains("fail?")
        && !flags.contains("handshake")
        && !flags.contains("noaddr");
  }

  /** Whether the asked node could talk to it just now. */
  boolean isReachable() {
    return isHealthy() && (linked || isMyself());
  }

  /**
   * This node with what an older description knew better: its address, when it has been lost, and a
   * configuration epoch that the asked node has not heard of yet.
   */
  ViewNode completedBy(ViewNode older) {
    boolean masters = isVotingMaster() && older.isVotingMaster();
    return new ViewNode(
        id,
        node == null ? older.node : node,
        flags,
        masterId,
        masters ? Math.max(configEpoch, older.configEpoch) : configEpoch,
        linked,
        slots);
  }
}
