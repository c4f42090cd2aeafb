package io.penstock.core.discovery;

import io.penstock.core.cluster.SlotMap;
import io.penstock.core.topology.Refresh;
import io.penstock.core.upstream.Endpoint;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The latest MOVED of each slot, and the rule for which of them a refresh overrules.
 *
 * <p>MOVED has no epoch. Whether it came before or after the start of a refresh is known, because
 * each patch has the number of refreshes begun. The rule, for a slot with patch P and a view with
 * owner N:
 *
 * <ul>
 *   <li>The refresh began after the patch, and either {@link #SPREADING_NANOS} have passed or the
 *       view has the slot on P's node too: the view decides if it decides the slot by {@link
 *       KnownCluster}'s rules; otherwise the patch stays. So a wrong MOVED, from a node that was
 *       late itself, is corrected soon.
 *   <li>Otherwise the queried node may not have learnt of the move yet. The patch stays, unless N
 *       is another node than the owner known before this refresh, with a higher epoch than that
 *       owner <em>and</em> than every epoch known for P's node. Another node with a higher epoch
 *       than the owner, because the MOVED contradicted that owner and so is at least as new as its
 *       claim: a view that only repeats the claim proves nothing. (It may repeat it with the epoch
 *       of P's node: a demoted master writes its new master's epoch into the messages that it
 *       forwards on the cluster bus, PUBLISH among them, and a node that receives one of those
 *       first takes it for the sender's own epoch.) Higher than those of P's node, because that
 *       node claims the slot with its own epoch, and of two claims the higher epoch wins.
 * </ul>
 *
 * <p>A patch is added, on any thread, before the published map is changed. Code that replaces the
 * map reads the map first and the patches after it, so that it misses none.
 */
final class SlotPatches {

  /** How long a change may take to spread from one node to another. */
  static final long SPREADING_NANOS = TimeUnit.SECONDS.toNanos(1);

  /**
   * @param refreshes how many refreshes had begun when the redirect was read
   * @param at when the redirect was read, by the topology thread's clock
   */
  private record Patch(Endpoint owner, long refreshes, long at) {}

  private final AtomicReferenceArray<@Nullable Patch> patches =
      new AtomicReferenceArray<>(SlotMap.SLOTS);

  void add(int slot, Endpoint owner, long refreshesBegun, long now) {
    patches.set(slot, new Patch(owner, refreshesBegun, now));
  }

  /** Which patches a refresh keeps and which it overrules. Confined to the topology thread. */
  static final class Resolution {

    private final @Nullable Endpoint[] kept = new Endpoint[SlotMap.SLOTS];
    private final @Nullable Patch[] overruled = new Patch[SlotMap.SLOTS];
    private boolean contested;

    /** Returns for each slot the target of a redirect that is kept, or null. */
    @Nullable Endpoint[] kept() {
      return kept;
    }

    /** Returns whether a kept patch is contradicted by a view that was queried after it. */
    boolean isContested() {
      return contested;
    }
  }

  /**
   * Applies the rule to the current patches. Changes none.
   *
   * @param before what was known before the refresh
   */
  Resolution resolve(
      Refresh refresh, ClusterView view, KnownCluster before, KnownCluster.Merged merged) {
    Resolution resolution = new Resolution();
    for (int slot = 0; slot < SlotMap.SLOTS; slot++) {
      Patch patch = patches.get(slot);
      if (patch == null) {
        continue;
      }
      ViewNode claim = view.ownerOf(slot);
      boolean later = patch.refreshes < refresh.number();
      boolean agrees = claim != null && patch.owner.equals(claim.node());
      boolean hadTime = refresh.began() - patch.at >= SPREADING_NANOS;
      boolean mayDecide = later && (agrees || hadTime);
      boolean overruled =
          mayDecide
              ? merged.decided().get(slot)
              : isNewer(claim, patch, before.ownerOf(slot), before, merged.now());
      if (later && !mayDecide && !overruled) {
        resolution.contested = true;
      }
      resolution.kept[slot] = overruled ? null : patch.owner;
      resolution.overruled[slot] = overruled ? patch : null;
    }
    return resolution;
  }

  /** Removes the overruled patches, after the map without them is published. */
  void forget(Resolution resolution) {
    for (int slot = 0; slot < SlotMap.SLOTS; slot++) {
      Patch patch = resolution.overruled[slot];
      if (patch != null) {
        patches.compareAndSet(slot, patch, null);
      }
    }
  }

  private static boolean isNewer(
      @Nullable ViewNode claim,
      Patch patch,
      @Nullable ViewNode contradicted,
      KnownCluster before,
      KnownCluster now) {
    if (claim == null || (contradicted != null && claim.id().equals(contradicted.id()))) {
      return false;
    }
    return claim.configEpoch() > (contradicted == null ? 0 : contradicted.configEpoch())
        && claim.configEpoch() > before.epochOf(patch.owner)
        && (patch.owner.equals(claim.node()) || claim.configEpoch() > now.epochOf(patch.owner));
  }
}
