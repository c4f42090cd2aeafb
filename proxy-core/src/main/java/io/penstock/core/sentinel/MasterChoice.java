package io.penstock.core.sentinel;

import io.penstock.core.topology.RefreshRound;
import io.penstock.core.upstream.Endpoint;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides, from the views of one refresh, which node may be the master. Sentinels that name the
 * same node make one {@link Claim}; of two claims the one with the higher configuration epoch is
 * newer, because each failover has a higher epoch. A claim may be believed if one of these is true:
 *
 * <ol>
 *   <li>no master is known yet (then that of a majority is preferred);
 *   <li>it names the known master;
 *   <li>it is of a majority of the sentinels, and its epoch is not lower than the known one;
 *   <li>it is of a minority, its epoch is higher, and it names a known node: the sentinel that
 *       leads a failover knows the new master before the others do.
 * </ol>
 *
 * <p>So a sentinel that is alone, outdated or wrong cannot lead the proxy to another node: the node
 * must also say itself that it is a master ({@link MasterCheck}). Epochs can decrease for good when
 * sentinels are reset or restored; therefore a majority's claim is believed whatever its epoch
 * after {@link SentinelTopology#STALE_REFRESHES_TO_ACCEPT} refreshes.
 */
final class MasterChoice {

  private final SentinelDirectory directory;
  private final @Nullable KnownMaster known;
  private final Map<String, SentinelView> views = new LinkedHashMap<>(); // by the sentinel's id

  MasterChoice(SentinelDirectory directory, @Nullable KnownMaster known) {
    this.directory = directory;
    this.known = known;
  }

  /**
   * The master as last believed.
   *
   * @param members all nodes that the sentinels monitor
   */
  record KnownMaster(Endpoint master, long epoch, Set<Endpoint> members) {}

  /** Adds a view. Returns how good the views so far are for the round. */
  RefreshRound.Rating rate(SentinelView view) {
    views.putIfAbsent(view.id(), view);
    for (Claim claim : claims()) {
      if (claim.ofMajority() || (known != null && isPromotion(claim, known))) {
        return RefreshRound.Rating.SUFFICIENT;
      }
    }
    return RefreshRound.Rating.INSUFFICIENT;
  }

  Collection<SentinelView> views() {
    return views.values();
  }

  /** Returns how many sentinels there are, as far as the given claim tells. */
  int voters(Claim claim) {
    return directory.count(views.values(), claim.views());
  }

  /** Returns the claims, one for each node that is named. */
  List<Claim> claims() {
    Map<Endpoint, List<SentinelView>> byMaster = new LinkedHashMap<>();
    for (SentinelView view : views.values()) {
      byMaster.computeIfAbsent(view.master(), _ -> new ArrayList<>()).add(view);
    }
    return byMaster.values().stream()
        .map(agreeing -> Claim.of(agreeing, directory.count(views.values(), agreeing)))
        .toList();
  }

  /**
   * Returns whether a majority's claim is older than what is known, and no sentinel confirms that.
   */
  boolean isStale() {
    if (known == null) {
      return false;
    }
    boolean stale = false;
    for (Claim claim : claims()) {
      boolean older = claim.epoch() < known.epoch();
      if (!older && claim.master().equals(known.master())) {
        return false;
      }
      stale |= older && claim.ofMajority();
    }
    return stale;
  }

  /**
   * Returns the claims that may be believed, the best first.
   *
   * @param acceptStale whether a majority's claim may be older than what is known
   */
  List<Claim> candidates(boolean acceptStale) {
    Comparator<Claim> majority = Comparator.comparing(Claim::ofMajority);
    Comparator<Claim> epoch = Comparator.comparingLong(Claim::epoch);
    Comparator<Claim> order =
        known == null || acceptStale
            ? majority.thenComparing(epoch)
            : epoch.thenComparing(majority);
    return claims().stream()
        .filter(claim -> isCandidate(claim, acceptStale))
        .sorted(order.thenComparingInt(claim -> claim.views().size()).reversed())
        .toList();
  }

  private boolean isCandidate(Claim claim, boolean acceptStale) {
    if (known == null || claim.master().equals(known.master())) {
      return true;
    }
    return claim.ofMajority()
        ? acceptStale || claim.epoch() >= known.epoch()
        : isPromotion(claim, known);
  }

  private static boolean isPromotion(Claim claim, KnownMaster known) {
    return claim.epoch() > known.epoch()
        && !claim.master().equals(known.master())
        && known.members().contains(claim.master());
  }
}
