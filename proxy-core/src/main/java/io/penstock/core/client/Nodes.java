package io.penstock.core.client;

import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.HandshakeError;
import io.penstock.core.backend.HeldRequests;
import io.penstock.core.backend.Lease;
import io.penstock.core.dispatch.Dispatcher;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.resp.Protocol;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.Topology;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The nodes, as handlers of requests see them from one event loop: which serves what, how an
 * exchange gets there, and how long it may take. Confined to that loop.
 */
public final class Nodes {

  /**
   * How long requests may take.
   *
   * @param commandTimeoutNanos for a node's answer, from when the command was sent
   * @param retryWindowNanos so long after its arrival a command that did not run is sent, or sent
   *     again; not less than that
   */
  public record Times(long commandTimeoutNanos, long retryWindowNanos) {}

  private final Dispatcher dispatcher;
  private final Topology topology;
  private final Times times;
  private final Supplier<@Nullable String> unreached;

  /**
   * @param unreached tells why no node has told of the topology; null when one has
   */
  public Nodes(
      Dispatcher dispatcher, Topology topology, Times times, Supplier<@Nullable String> unreached) {
    this.dispatcher = dispatcher;
    this.topology = topology;
    this.times = times;
    this.unreached = unreached;
  }

  /** The placement by which exchanges are dispatched. */
  public Placement placement() {
    return dispatcher.placement();
  }

  /** The masters of all shards. */
  public List<Endpoint> masters() {
    return dispatcher.placement().masters();
  }

  /** As {@link Dispatcher#dispatch}. */
  public boolean dispatch(Exchange exchange) {
    return dispatcher.dispatch(exchange);
  }

  /** As {@link Dispatcher#dispatchTo}. */
  public void dispatchTo(Endpoint node, Exchange exchange, boolean asking) {
    dispatcher.dispatchTo(node, exchange, asking);
  }

  /** As {@link Dispatcher#lease}. */
  public @Nullable Lease lease(Endpoint node, Exchange first) {
    return dispatcher.lease(node, first);
  }

  /** As {@link Dispatcher#isWritable}. */
  public boolean keepsUp(@Nullable Endpoint node, int client) {
    return dispatcher.isWritable(node, client);
  }

  /** As {@link Dispatcher#hasRoomForLargeReply}. */
  public boolean hasRoom(int partition, Protocol protocol, int client) {
    return dispatcher.hasRoomForLargeReply(partition, protocol, client);
  }

  /** As {@link Dispatcher#whenWritable}. */
  void whenWritable(int client, Runnable action) {
    dispatcher.whenWritable(client, action);
  }

  /** By what a node does not let Penstock in; null for any node, and when none does that. */
  public @Nullable HandshakeError refusal(@Nullable Endpoint node) {
    return dispatcher.handshakeError(node);
  }

  /** The requests that wait until they can be sent. */
  public HeldRequests hold() {
    return dispatcher.heldRequests();
  }

  /** Asks for a refresh of the topology. */
  public void requestRefresh(RefreshTrigger trigger) {
    topology.requestRefresh(trigger);
  }

  /** A node says that a partition has another master, which is believed at once. */
  public void moved(int partition, Endpoint master) {
    topology.moved(partition, master);
    dispatcher.adoptPlacement();
  }

  /** The error for a partition that nobody serves, and why if no node has told of any. */
  public byte[] notServed() {
    return placement().shards().isEmpty()
        ? ErrorReplies.notServed(unreached.get())
        : ErrorReplies.NOT_SERVED;
  }

  public long commandTimeoutNanos() {
    return times.commandTimeoutNanos();
  }

  public long retryWindowNanos() {
    return times.retryWindowNanos();
  }
}
