package io.penstock.core.upstream;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The state of the topology, for operators. Immutable.
 *
 * @param lastRefresh the last refresh that ended, or null before the first
 * @param lastSuccess when a refresh last succeeded, or null
 * @param failuresInARow refreshes that have failed since the last success
 * @param nodes the cluster's members as last known, in the order of the view
 * @param sentinels the sentinels of each master at its last refresh; empty without Sentinel
 */
public record TopologyStatus(
    @Nullable Refreshed lastRefresh,
    @Nullable Instant lastSuccess,
    int failuresInARow,
    List<Member> nodes,
    List<Sentinels> sentinels) {

  /** The status before the first refresh. */
  public static final TopologyStatus UNKNOWN =
      new TopologyStatus(null, null, 0, List.of(), List.of());

  public TopologyStatus {
    nodes = List.copyOf(nodes);
    sentinels = List.copyOf(sentinels);
  }

  /** Returns whether nodes accept Penstock's connections. */
  public Reachability reachability() {
    return new Reachability(
        lastSuccess != null, lastRefresh == null ? null : lastRefresh.failure());
  }

  /**
   * One refresh that ended.
   *
   * @param at when it ended
   * @param took time from its first query to its end
   * @param answeredBy the node that gave the view that was used, or null if the refresh failed
   * @param failure why it failed, with the reason for each queried node; null if it succeeded
   */
  public record Refreshed(
      Instant at,
      RefreshTrigger trigger,
      Duration took,
      @Nullable Endpoint answeredBy,
      @Nullable String failure) {

    public boolean isSuccess() {
      return failure == null;
    }
  }

  /**
   * The sentinels of one master. A failover needs more than half of those that are known.
   *
   * @param master the name of the master
   * @param known how many sentinels there are, as far as those that answer tell
   * @param answering how many of them answer
   * @param agreeing how many of these name the master that Penstock uses
   * @param failures why others do not answer, without passwords, by address
   */
  public record Sentinels(
      String master, int known, int answering, int agreeing, Map<String, String> failures) {

    public Sentinels {
      failures = Collections.unmodifiableMap(new LinkedHashMap<>(failures));
    }

    /** How many sentinels are more than half. */
    public int majority() {
      return known / 2 + 1;
    }
  }

  /**
   * One member of the cluster.
   *
   * @param node its address, or null if the cluster does not know it
   * @param flags as in {@code CLUSTER NODES}; {@code myself} marks the node that gave the view
   * @param masterId the id of the master it replicates, or null
   * @param linked whether the node that gave the view has a cluster bus link to it
   * @param slots how many slots it serves
   */
  public record Member(
      String id,
      @Nullable Endpoint node,
      Set<String> flags,
      @Nullable String masterId,
      boolean linked,
      long configEpoch,
      int slots) {}
}
