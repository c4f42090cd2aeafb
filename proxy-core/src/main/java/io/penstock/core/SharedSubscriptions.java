package io.penstock.core;

import io.penstock.core.backend.BackendSettings;
import io.penstock.core.pubsub.Hub;
import io.penstock.core.pubsub.SubscriberCounts;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.upstream.Upstream;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions of an upstream's clients: one hub for each event loop and lane. The upstreams
 * that replace each other while the servers stay the same share them, so that a change of the
 * settings ends no subscription and loses no message. One of these upstreams leads: the hubs follow
 * its topology, and it ticks and closes them. Safe from any thread.
 */
final class SharedSubscriptions {

  private final SubscriberCounts counts;
  private final LoopParts<Hub> hubs;
  private volatile @Nullable ProxyUpstream leader;

  SharedSubscriptions(LoopGroup group, int lanes) {
    this.counts = lanes == 1 ? new SubscriberCounts() : SubscriberCounts.ofEqualNodes();
    this.hubs = new LoopParts<>(group, lanes);
  }

  SubscriberCounts counts() {
    return counts;
  }

  /** Returns the hub of a loop and lane; makes it if there is none. On that loop. */
  Hub hub(Loop loop, int lane, Function<SubscriberCounts, Hub> create) {
    return hubs.of(loop, lane, (_, _) -> create.apply(counts));
  }

  /** Returns a value of each hub, read on its loop. Completes on one of the loops. */
  <T> CompletableFuture<List<T>> collect(Function<Hub, T> read) {
    return hubs.collect(read);
  }

  boolean isLed() {
    return leader != null;
  }

  boolean isLedBy(ProxyUpstream upstream) {
    return leader == upstream;
  }

  /** Makes an upstream the leader; {@code nodes} and {@code settings} are its own. */
  void lead(ProxyUpstream upstream, Upstream nodes, BackendSettings settings) {
    if (leader != upstream) {
      leader = upstream;
      hubs.visit((hub, _, lane) -> hub.adopt(nodes.lane(lane), settings));
    }
  }

  /** Closes the hubs if {@code upstream} leads. Completes when each loop has. */
  CompletableFuture<Void> close(ProxyUpstream upstream) {
    return isLedBy(upstream) ? hubs.run(Hub::close) : CompletableFuture.completedFuture(null);
  }
}
