package io.penstock.core.discovery;

import io.penstock.core.cluster.SlotMap;
import io.penstock.core.control.Outage;
import io.penstock.core.observe.LogPrefix;
import io.penstock.core.topology.TopologyChange;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.RefreshTrigger;
import java.util.Collection;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs refreshes: the first failure and then at most one a minute, the end of an outage, and each
 * change. Confined to the topology thread.
 */
final class RefreshLog {

  private static final Logger LOG = LoggerFactory.getLogger(ClusterTopology.class);

  private final Collection<Endpoint> seeds;
  private final LogPrefix prefix;
  private final Outage outage;
  private SlotMap last = SlotMap.EMPTY;

  RefreshLog(Collection<Endpoint> seeds, LogPrefix prefix, LongSupplier nanoTime) {
    this.seeds = seeds;
    this.prefix = prefix;
    this.outage = new Outage(nanoTime);
  }

  void failed(Throwable failure) {
    if (!outage.recordFailure()) {
      LOG.debug("Topology refresh failed again: {}", failure.getMessage());
    } else if (last.equals(SlotMap.EMPTY)) {
      LOG.warn(
          "{}Waiting for the cluster behind {} ({} so far): {}{}",
          prefix,
          seeds,
          Outage.failedRefreshes(outage.failures()),
          failure.getMessage(),
          hint(String.valueOf(failure.getMessage())));
    } else {
      LOG.warn(
          "{}Cannot refresh the topology ({} so far), keeping the last one: {}",
          prefix,
          Outage.failedRefreshes(outage.failures()),
          failure.getMessage());
    }
  }

  /** Returns the fix to log if the URL of a cluster names a single server. */
  private String hint(String reason) {
    Endpoint seed = seeds.iterator().next();
    if (reason.contains("cluster support disabled")) {
      return ". The server has cluster support disabled, but the URL begins with redis-cluster://:"
          + " for a single server write redis://"
          + seed;
    }
    return "";
  }

  void succeeded(RefreshTrigger trigger, ClusterView view, SlotMap now) {
    int failures = outage.recordSuccess();
    if (failures > 0) {
      LOG.info("{}The cluster answers again after {}", prefix, Outage.failedRefreshes(failures));
    }
    if (!now.equals(last)) {
      LOG.info(
          "{}Topology refreshed from {} (trigger: {}): {}{}",
          prefix,
          view.source(),
          trigger.description(),
          TopologyChange.text(last, now),
          view.isOfMajority() ? "" : "; that node reaches only a minority of the masters");
      last = now;
    }
  }

  void staleView(ClusterView view) {
    LOG.debug("The view of {} is older than what is known", view.source());
  }

  void staleViewAccepted(ClusterView view, int refreshes) {
    LOG.warn(
        "{}Using the view of {} although its configuration epochs are lower than the known ones:"
            + " {} refreshes in a row agree with it. Was the cluster restored from a backup?",
        prefix,
        view.source(),
        refreshes);
  }

  void clusterReplaced(ClusterView view) {
    LOG.warn(
        "{}No node of the known cluster answers; seed {} belongs to another cluster, which is used"
            + " from now on",
        prefix,
        view.source());
  }
}
