package io.penstock.server.lifecycle;

import io.penstock.core.cluster.Node;
import io.penstock.core.observe.ProxyEvents;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says when requests begin to be held for a node and when that ends: once for all event loops, on
 * which it is told.
 */
final class HoldLog implements ProxyEvents {

  private static final Logger LOG = LoggerFactory.getLogger(HoldLog.class);

  private final Map<String, Outage> outages = new HashMap<>();

  private static final class Outage {
    private int loops;
    private Duration longest = Duration.ZERO;
    private long requests;
  }

  @Override
  public void holdBegan(@Nullable Node node) {
    String name = name(node);
    synchronized (outages) {
      Outage outage = outages.computeIfAbsent(name, _ -> new Outage());
      if (outage.loops++ == 0) {
        LOG.warn("Holding requests for {}", name);
      }
    }
  }

  @Override
  public void holdEnded(@Nullable Node node, Duration lasted, long requests) {
    String name = name(node);
    synchronized (outages) {
      Outage outage = outages.computeIfAbsent(name, _ -> new Outage());
      outage.requests += requests;
      outage.longest = outage.longest.compareTo(lasted) < 0 ? lasted : outage.longest;
      if (--outage.loops <= 0) {
        outages.remove(name);
        LOG.info(
            "No more requests are held for {}: {} were, for up to {} ms",
            name,
            outage.requests,
            outage.longest.toMillis());
      }
    }
  }

  private static String name(@Nullable Node node) {
    return node == null ? "slots that nobody serves" : node.toString();
  }
}
