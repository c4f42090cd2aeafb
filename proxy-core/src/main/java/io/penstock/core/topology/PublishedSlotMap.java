package io.penstock.core.topology;

import io.penstock.core.cluster.SlotMap;
import io.penstock.core.upstream.Endpoint;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The newest snapshot and those who want to hear of it. Event loops patch it and the topology
 * thread replaces it, both by compare-and-set, so that neither loses the other's change.
 */
final class PublishedSlotMap {

  private static final Logger LOG = LoggerFactory.getLogger(PublishedSlotMap.class);

  private final Executor topologyThread;
  private final AtomicReference<SlotMap> current = new AtomicReference<>(SlotMap.EMPTY);
  private final SlotPatches patches = new SlotPatches();
  private final List<Consumer<? super SlotMap>> listeners = new CopyOnWriteArrayList<>();
  private final AtomicBoolean tellingQueued = new AtomicBoolean();
  private SlotMap told = SlotMap.EMPTY;

  PublishedSlotMap(Executor topologyThread) {
    this.topologyThread = topologyThread;
  }

  /** Any thread. */
  SlotMap current() {
    return current.get();
  }

  /**
   * Listeners are called on the topology thread, with the newest map, which may be several changes
   * on.
   */
  void onChange(Consumer<? super SlotMap> listener) {
    listeners.add(listener);
  }

  /**
   * Puts one slot on another master. Any thread.
   *
   * @param refreshesBegun see {@link SlotPatches}
   * @param now by the topology thread's clock
   */
  void patch(int slot, Endpoint owner, long refreshesBegun, long now) {
    patches.note(slot, owner, refreshesBegun, now);
    SlotMap before;
    SlotMap after;
    do {
      before = current.get();
      after = before.withSlotOn(slot, owner);
    } while (!after.equals(before) && !current.compareAndSet(before, after));
    if (!after.equals(before)) {
      tellListeners();
    }
  }

  /**
   * Publishes what a refresh found, redirects that outlive it included. Topology thread.
   *
   * @return whether the refresh and all redirects agree, or will without another refresh
   */
  boolean replace(
      Refresh refresh, ClusterView view, KnownCluster before, KnownCluster.Merged merged) {
    SlotMap previous;
    SlotMap next;
    SlotPatches.Settlement settled;
    do {
      previous = current.get();
      settled = patches.resolve(refresh, view, before, merged);
      next = SlotMapAssembly.assemble(merged.now(), settled.kept(), previous);
    } while (!next.equals(previous) && !current.compareAndSet(previous, next));
    patches.forget(settled);
    if (!next.equals(previous)) {
      tellListeners();
    }
    return !settled.isContested();
  }

  private void tellListeners() {
    if (tellingQueued.compareAndSet(false, true)) {
      topologyThread.execute(this::tellNewest);
    }
  }

  private void tellNewest() {
    tellingQueued.set(false);
    SlotMap now = current.get();
    if (now.equals(told)) {
      return;
    }
    told = now;
    for (Consumer<? super SlotMap> listener : listeners) {
      try {
        listener.accept(now);
      } catch (RuntimeException e) {
        LOG.error("A listener failed on a new topology", e);
      }
    }
  }
}
