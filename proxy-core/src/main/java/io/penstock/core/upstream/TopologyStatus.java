package io.penstock.core.upstream;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an operator wants to know about the topology. Immutable.
 *
 * @param lastRefresh the refresh that ended last, or null before the first
 * @param lastSuccess when a refresh last worked, or null
 * @param failuresInARow refreshes that failed since; 0 when all is well
 * @param nodes the cluster's members as last believed, in the view's order
 */
public record TopologyStatus(
    @Nullable Refreshed lastRefresh,
    @Nullable Instant lastSuccess,
    int failuresInARow,
    List<Member> nodes) {

  /** Nothing has been asked yet. */
  public static final TopologyStatus UNKNOWN = new TopologyStatus(null, null, 0, List.of());

  public TopologyStatus {
    nodes = List.copyOf(nodes);
  }

  /** Whether nodes let Penstock in. */
  public Reachability reachability() {
    return new Reachability(
        lastSuccess != null, lastRefresh == null ? null : lastRefresh.failure());
  }

  /**
   * One refresh that ended.
   *
   * @param at when it ended
   * @param took from its first question to its end
   * @param answeredBy whose view was taken, or null when it failed
   * @param failure why it failed, with the reason of each node that was asked; null when it worked
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
   * One member.
   *
   * @param node null when the cluster does not know where it is
   * @param flags as {@code CLUSTER NODES} words them; {@code myself} marks who gave the view
   * @param masterId the master it follows, or null
   * @param linked whether the node that gave the view has a link to it
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
