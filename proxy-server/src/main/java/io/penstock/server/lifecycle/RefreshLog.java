package io.penstock.server.lifecycle;

import io.penstock.core.cluster.Node;
import io.penstock.core.cluster.RefreshTrigger;
import io.penstock.core.cluster.SlotMap;
import io.penstock.core.observe.ProxyEvents;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs what changes between the proxy and the cluster, and remembers the last refresh. */
public class RefreshLog implements ProxyEvents {

  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.topology");

  private final Clock clock;
  private volatile @Nullable Refresh last;
  private volatile SlotMap known = SlotMap.EMPTY;

  RefreshLog(Clock clock) {
    this.clock = clock;
  }

  /**
   * One look at the topology.
   *
   * @param failure why it told nothing, or null when it worked
   */
  public record Refresh(
      RefreshTrigger trigger, Instant at, Duration took, @Nullable String failure) {}

  /** The newest refresh, or null before the first. */
  public @Nullable Refresh last() {
    return last;
  }

  @Override
  public void topologyRefreshed(
      RefreshTrigger trigger, Duration took, SlotMap now, @Nullable Throwable failure) {
    Refresh before = last;
    last = new Refresh(trigger, clock.instant(), took, failure == null ? null : text(failure));
    if (failure != null) {
      if (before == null || before.failure() == null) {
        LOG.warn("No node tells the topology, trying again: {}", text(failure));
      }
    } else if (!now.equals(known)) {
      known = now;
      LOG.info(
          "Topology: {} shards, {} of {} slots served",
          now.shards().size(),
          now.coveredSlots(),
          SlotMap.SLOTS);
    }
  }

  @Override
  public void backendDisconnected(Node node, @Nullable Throwable cause) {
    if (cause != null) {
      LOG.debug("Connection to {} lost: {}", node, text(cause));
    }
  }

  private static String text(Throwable failure) {
    String message = failure.getMessage();
    return message == null ? failure.getClass().getSimpleName() : message;
  }
}
