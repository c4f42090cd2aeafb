package io.penstock.core.answer;

import io.penstock.core.cluster.ClusterFacade;
import io.penstock.core.cluster.ShownSlots;
import io.penstock.core.info.ProxyFacts;
import io.penstock.core.observe.ProxyStats;
import io.penstock.core.upstream.Placement;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What a session may ask about the proxy it belongs to. Safe from any thread; never blocks. */
public interface ProxyView {

  /** For sessions without a proxy around them: nothing is known. */
  ProxyView UNKNOWN =
      new ProxyView() {
        @Override
        public ProxyFacts facts() {
          return ProxyFacts.UNKNOWN;
        }

        @Override
        public CompletionStage<ProxyStats> stats() {
          return CompletableFuture.completedStage(ProxyStats.NONE);
        }

        @Override
        public @Nullable Instant topologyAsOf() {
          return null;
        }

        @Override
        public @Nullable ClusterFacade facade() {
          return null;
        }

        @Override
        public Map<String, String> config() {
          return Map.of();
        }
      };

  /** What does not change while the proxy runs. */
  ProxyFacts facts();

  /** The figures of all loops; completes on one of them. */
  CompletionStage<ProxyStats> stats();

  /** When the topology was last confirmed; null before the first time, and for a single server. */
  @Nullable Instant topologyAsOf();

  /**
   * How many slots can be served right now, 0 to 16384; those that have an owner where nobody looks
   * at the nodes' health.
   *
   * @param known the topology
   */
  default int coveredSlots(Placement known) {
    return ShownSlots.covered(known);
  }

  /** Why no node has told the topology, or has let Penstock in, since the start; else null. */
  default @Nullable String topologyFailure() {
    return null;
  }

  /** The cluster that clients are shown; null when they see a server that is no cluster's. */
  @Nullable ClusterFacade facade();

  /** The parameters of {@code CONFIG GET} that are the proxy's own. */
  Map<String, String> config();
}
