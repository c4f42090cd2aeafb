package io.penstock.core.topology;

import io.penstock.core.cluster.SlotMap;
import io.penstock.core.upstream.Endpoint;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The newest MOVED of each slot, and which of them outlive a refresh.
 *
 * <p>MOVED carries no epoch. Its order to a refresh is known all the same: each patch remembers how
 * many refreshes had begun. The rule, for a slot with patch P and a view that wants the slot on N:
 *
 * <ul>
 *   <li>The refresh began after the patch, and {@link #SPREADING_NANOS} have passed or the view has
 *       the slot on P's node too: the view was asked for later and decides, if it decides at all by
 *       {@link KnownCluster}'s rules; when its word does not count for the slot, the patch stays.
 *       So a wrong MOVED, from a node that was late itself, does no harm for long.
 *   <li>Otherwise, for the asked node may not have heard yet: the patch stays, unless N is another
 *       node than the owner that was known before this refresh, with a higher epoch than that owner
 *       <em>and</em> than every epoch known for P's node. Another and higher than the owner,
 *       because the MOVED contradicted that one, so it is at least as new as its claim, and a view
 *       that only repeats the claim proves nothing. (It may repeat it with the epoch of P's node: a
 *       master that was demoted writes its new master's epoch into what it passes on, messages of
 *       PUBLISH among them, and who gets one of those before anything else takes it for the
 *       sender's own.) Higher than those of P's node, because that one claims the slot with its own
 *       epoch, and of two claims the higher epoch wins.
 * </ul>
 *
 * <p>Patches are noted from any thread, before the published map is changed; whoever replaces the
 * map reads it first and the patches after, so that none is missed.
 */
final class SlotPatches {

  /** How long a node may take to hear of what another one knows. */
  static final long SPREADING_NANOS = TimeUnit.SECONDS.toNanos(1);

  /**
   * @param refreshes how many refreshes had begun when the redirect was read
   * @param at when that was, by the topology thread's clock
   */
  private record Patch(Endpoint owner, long refreshes, long at) {}

  private final AtomicReferenceArray<@Nullable Patch> patches =
      new AtomicReferenceArray<>(SlotMap.SLOTS);

  void note(int slot, Endpoint owner, long refreshesBegun, long now) {
    patches.set(slot, new Patch(owner, refreshesBegun, now));
  }

  /** What becomes of the patches in one refresh. Confined to the topology thread. */
  static final class Settlement {

    private final @Nullable Endpoint[] kept = new Endpoint[SlotMap.SLOTS];
    private final @Nullable Patch[] overruled = new Patch[SlotMap.SLOTS];
    private boolean contested;

    /** For each slot the node that a redirect named and that stays, or null. */
    @Nullable Endpoint[] kept() {
      return kept;
    }

    /** Whether a patch stays that a view spoke against which was asked for later. */
    boolean isContested() {
      return contested;
    }
  }

  /**
   * Applies the rule to the patches noted so far; changes none.
   *
   * @param before what was known without it
   */
  Settlement resolve(
      Refresh refresh, ClusterView view, KnownCluster before, KnownCluster.Merged merged) {
    Settlement settlement = new Settlement();
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
        settlement.contested = true;
      }
      settlement.kept[slot] = overruled ? null : patch.owner;
      settlement.overruled[slot] = overruled ? patch : null;
    }
    return settlement;
  }

  /** Forgets the overruled patches, now that the map without them is published. */
  void forget(Settlement settled) {
    for (int slot = 0; slot < SlotMap.SLOTS; slot++) {
      Patch patch = settled.overruled[slot];
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
