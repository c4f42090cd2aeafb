package io.penstock.server.lifecycle;

import io.penstock.core.cluster.Node;
import io.penstock.core.observe.ProxyEvents;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says when requests begin to be held for a node and when that ends: once for all event loops, on
 * which it is told.
 */
final class HoldLog implements ProxyEvents {

  private static final Logger LOG = LoggerFactory.getLogger(HoldLog.class);

  /** By node's name. Who writes an entry waits for nobody but another loop that does so. */
  private final ConcurrentMap<String, Outage> outages = new ConcurrentHashMap<>();

  /** What is held for one node, and how many loops hold some of it; of none it is over. */
  private record Outage(int loops, Duration longest, long requests) {

    private static final Outage NONE = new Outage(0, Duration.ZERO, 0);

    Outage heldByOneMore() {
      return loops == 0
          ? new Outage(1, Duration.ZERO, 0)
          : new Outage(loops + 1, longest, requests);
    }

    Outage heldByOneLess(Duration lasted, long more) {
      Duration most = longest.compareTo(lasted) < 0 ? lasted : longest;
      return new Outage(Math.max(0, loops - 1), most, requests + more);
    }
  }

  @Override
  public void holdBegan(@Nullable Node node) {
    String name = name(node);
    if (outages.merge(name, Outage.NONE.heldByOneMore(), (now, _) -> now.heldByOneMore()).loops()
        == 1) {
      LOG.warn("Holding requests for {}", name);
    }
  }

  @Override
  public void holdEnded(@Nullable Node node, Duration lasted, long requests) {
    String name = name(node);
    Outage last =
        outages.compute(
            name, (_, now) -> (now == null ? Outage.NONE : now).heldByOneLess(lasted, requests));
    if (last.loops() == 0) {
      outages.remove(name, last); // unless a loop holds some again
      LOG.info(
          "No more requests are held for {}: {} were, for up to {} ms",
          name,
          last.requests(),
          last.longest().toMillis());
    }
  }

  private static String name(@Nullable Node node) {
    return node == null ? "slots that nobody serves" : node.toString();
  }
}
