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

/** The facts and statistics of the proxy that sessions read. Safe from any thread; never blocks. */
public interface ProxyView {

  /** For sessions without a proxy, as in tests: everything is unknown. */
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

  /** Returns the facts that do not change while the proxy runs. */
  ProxyFacts facts();

  /** Returns the statistics of all loops; completes on one of them. */
  CompletionStage<ProxyStats> stats();

  /**
   * Returns when the topology was last confirmed; null before the first time, and for a single
   * server.
   */
  @Nullable Instant topologyAsOf();

  /**
   * Returns how many slots can be served now, 0 to 16384; without health checks, how many have an
   * owner.
   *
   * @param known the topology
   */
  default int coveredSlots(Placement known) {
    return ShownSlots.covered(known);
  }

  /**
   * Returns why no node has reported the topology, or accepted a connection, since the start; null
   * if one has.
   */
  default @Nullable String topologyFailure() {
    return null;
  }

  /**
   * Returns the cluster that clients are shown; null if they are shown a server outside a cluster.
   */
  @Nullable ClusterFacade facade();

  /** Returns the proxy's own parameters of {@code CONFIG GET}. */
  Map<String, String> config();
}
