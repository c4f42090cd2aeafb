package io.penstock.core.side;

import io.netty.buffer.ByteBuf;
import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.cluster.Redirect;
import io.penstock.core.dispatch.Dispatcher;
import io.penstock.core.dispatch.PlacedExchange;
import io.penstock.core.resp.Protocol;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ErrorAction;
import io.penstock.core.upstream.ErrorPolicy;
import io.penstock.core.upstream.Partitioner;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RetryablePrefix;
import io.penstock.core.upstream.Topology;

/**
 * An upstream as one event loop reaches it, for requests of Penstock itself. Confined to that loop.
 *
 * @param dispatcher of the loop
 * @param topology of the upstream
 * @param timeoutNanos the command timeout of the upstream
 */
public record Side(Dispatcher dispatcher, Topology topology, long timeoutNanos) {

  public Partitioner partitioner() {
    return topology.current().partitioner();
  }

  /** Returns whether a read may be sent now: its node keeps up with those before. */
  public boolean mayRead(int partition, Protocol protocol, int affinity) {
    Placement placement = dispatcher.nodes().placement();
    int shard = placement.ownerOf(partition);
    Endpoint master = shard < 0 ? null : placement.shards().get(shard).master();
    return dispatcher.isWritable(master, affinity)
        && dispatcher.hasRoomForLargeReply(partition, protocol, affinity, ConnectionKey.PLAIN);
  }

  public void send(PlacedExchange exchange) {
    dispatcher.dispatch(exchange);
  }

  /**
   * Follows the redirect in an error reply. Returns false if it is none.
   *
   * @param buffer borrowed
   */
  public boolean follow(PlacedExchange exchange, ByteBuf buffer, int from, int to) {
    Endpoint node = exchange.sentTo();
    Redirect redirect = Redirect.parse(buffer, from, to - from);
    if (redirect == null || node == null) {
      return false;
    }
    ErrorPolicy policy = topology.errorPolicy().of(node);
    boolean moved = redirect.kind() == Redirect.Kind.MOVED;
    RetryablePrefix prefix = moved ? RetryablePrefix.MOVED : RetryablePrefix.ASK;
    if (policy.actionFor(prefix, ErrorPolicy.Scope.KEYS) != ErrorAction.REDIRECT) {
      return false;
    }
    Endpoint target = redirect.target(node);
    if (moved) {
      topology.moved(policy.partitionOf(redirect.slot()), target);
      dispatcher.adoptPlacement();
    }
    dispatcher.dispatchTo(target, exchange, !moved);
    return true;
  }
}
