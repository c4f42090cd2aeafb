package io.penstock.core.discovery;

import io.penstock.core.cluster.SlotMap;
import io.penstock.core.topology.Refresh;
import io.penstock.core.upstream.Endpoint;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * The latest slot map, and the notification of its changes. Event loops patch it and the topology
 * thread replaces it, both by compare-and-set, so that neither loses the other's change.
 */
final class PublishedSlotMap {

  private final Executor topologyThread;
  private final Consumer<? super SlotMap> onChange;
  private final AtomicReference<SlotMap> current = new AtomicReference<>(SlotMap.EMPTY);
  private final SlotPatches patches = new SlotPatches();
  private final AtomicBoolean notificationQueued = new AtomicBoolean();
  private SlotMap lastNotified = SlotMap.EMPTY;

  /**
   * @param onChange called on the topology thread with the latest map; one call may cover several
   *     changes
   */
  PublishedSlotMap(Executor topologyThread, Consumer<? super SlotMap> onChange) {
    this.topologyThread = topologyThread;
    this.onChange = onChange;
  }

  /** Returns the latest slot map. Any thread. */
  SlotMap current() {
    return current.get();
  }

  /**
   * Assigns one slot to another master. Any thread.
   *
   * @param refreshesBegun see {@link SlotPatches}
   * @param now by the topology thread's clock
   */
  void patch(int slot, Endpoint owner, long refreshesBegun, long now) {
    patches.add(slot, owner, refreshesBegun, now);
    SlotMap before;
    SlotMap after;
    do {
      before = current.get();
      after = before.withSlotOn(slot, owner);
    } while (!after.equals(before) && !current.compareAndSet(before, after));
    if (!after.equals(before)) {
      queueNotification();
    }
  }

  /**
   * Publishes the result of a refresh, with the redirects that it does not overrule. Topology
   * thread.
   *
   * @return false if another refresh is needed, because the view contradicts an earlier redirect
   *     that was kept
   */
  boolean replace(
      Refresh refresh, ClusterView view, KnownCluster before, KnownCluster.Merged merged) {
    SlotMap previous;
    SlotMap next;
    SlotPatches.Resolution resolution;
    do {
      previous = current.get();
      resolution = patches.resolve(refresh, view, before, merged);
      next = SlotMapAssembly.assemble(merged.now(), resolution.kept(), previous);
    } while (!next.equals(previous) && !current.compareAndSet(previous, next));
    patches.forget(resolution);
    if (!next.equals(previous)) {
      queueNotification();
    }
    return !resolution.isContested();
  }

  private void queueNotification() {
    if (notificationQueued.compareAndSet(false, true)) {
      topologyThread.execute(this::notifyOfLatest);
    }
  }

  private void notifyOfLatest() {
    notificationQueued.set(false);
    SlotMap now = current.get();
    if (!now.equals(lastNotified)) {
      lastNotified = now;
      onChange.accept(now);
    }
  }
}
