package io.penstock.core.discovery;

import io.penstock.core.upstream.Endpoint;
import java.util.BitSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One line of {@code CLUSTER NODES}: a member of the cluster as one of its nodes sees it.
 *
 * @param id 40 hexadecimal characters in Redis; unique for ever
 * @param node its address, or null if the cluster does not know it ({@code noaddr})
 * @param flags Redis's flags: {@code myself}, {@code master}, {@code slave}, {@code fail?}, …
 * @param masterId the id of the master it replicates, or null
 * @param configEpoch its configuration epoch; for a replica, Redis gives its master's
 * @param linked whether the queried node has a cluster bus link to it
 * @param slots the slots it serves, without those it is importing; must not be modified
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

  /** Returns whether it counts for the majority: Redis counts masters that serve slots. */
  boolean isVotingMaster() {
    return isMaster() && !slots.isEmpty();
  }

  /**
   * Returns whether it can be used: not failed, not suspected to have failed, not in the handshake,
   * with a known address.
   */
  boolean isHealthy() {
    return node != null
        && !flags.contains("fail")
        && !flags.contains("fail?")
        && !flags.contains("handshake")
        && !flags.contains("noaddr");
  }

  /** Returns whether the queried node can reach it. */
  boolean isReachable() {
    return isHealthy() && (linked || isMyself());
  }

  /**
   * Returns this node, completed from an older description: its address, if it is missing here, and
   * a higher configuration epoch, which the queried node has not learnt yet.
   */
  ViewNode completedBy(ViewNode older) {
    boolean bothMasters = isVotingMaster() && older.isVotingMaster();
    return new ViewNode(
        id,
        node == null ? older.node : node,
        flags,
        masterId,
        bothMasters ? Math.max(configEpoch, older.configEpoch) : configEpoch,
        linked,
        slots);
  }
}
