package io.penstock.core.client;

import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.HandshakeError;
import io.penstock.core.backend.HeldRequests;
import io.penstock.core.dispatch.Capacity;
import io.penstock.core.dispatch.Dispatcher;
import io.penstock.core.dispatch.NodeView;
import io.penstock.core.dispatch.PlacedExchange;
import io.penstock.core.dispatch.ReadNodes;
import io.penstock.core.dispatch.Sender;
import io.penstock.core.node.Lease;
import io.penstock.core.observe.Label;
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
 * The nodes as request handlers on one event loop see them: the placement, dispatch of exchanges,
 * and timeouts. Confined to that loop.
 */
public final class Nodes {

  /**
   * How long requests may take.
   *
   * @param commandTimeoutNanos for a node's reply, from when the command was sent
   * @param retryWindowNanos how long after its arrival a command that did not run may be sent or
   *     retried; not less than the command timeout
   * @param answerNanos how long after an answer a node is known not to be busy with a script;
   *     {@link Long#MAX_VALUE} for ever
   */
  public record Timeouts(long commandTimeoutNanos, long retryWindowNanos, long answerNanos) {}

  private final Sender sender;
  private final Capacity capacity;
  private final NodeView nodes;
  private final Dispatcher dispatcher;
  private final Topology topology;
  private final Timeouts timeouts;
  private final Supplier<@Nullable String> topologyFailure;
  private final Label upstream;
  private long databases; // that exist: one bit each, for those below 64
  private @Nullable Placement databasesOf;

  /**
   * @param topologyFailure returns why the topology is unknown; null if it is known
   * @param upstream what log lines name
   */
  public Nodes(
      Dispatcher dispatcher,
      Topology topology,
      Timeouts timeouts,
      Supplier<@Nullable String> topologyFailure,
      Label upstream) {
    this.sender = dispatcher;
    this.capacity = dispatcher;
    this.nodes = dispatcher.nodes();
    this.dispatcher = dispatcher;
    this.topology = topology;
    this.timeouts = timeouts;
    this.topologyFailure = topologyFailure;
    this.upstream = upstream;
  }

  /** Returns the placement by which exchanges are dispatched. */
  public Placement placement() {
    return nodes.placement();
  }

  /** Returns the masters of all shards. */
  public List<Endpoint> masters() {
    return nodes.placement().masters();
  }

  /** See {@link Sender#dispatch}. */
  public boolean dispatch(PlacedExchange exchange) {
    return sender.dispatch(exchange);
  }

  /** See {@link Sender#dispatchTo}. */
  public void dispatchTo(Endpoint node, Exchange exchange, boolean asking) {
    sender.dispatchTo(node, exchange, asking);
  }

  /** See {@link Sender#lease}. */
  public @Nullable Lease lease(Endpoint node, Exchange first) {
    return sender.lease(node, first);
  }

  /** See {@link Capacity#isWritable}. */
  public boolean isWritable(@Nullable Endpoint node, int client) {
    return capacity.isWritable(node, client);
  }

  /** See {@link Capacity#hasRoomForLargeReply}. */
  public boolean hasRoomForLargeReply(
      int partition, Protocol protocol, int client, ConnectionKey connections) {
    return capacity.hasRoomForLargeReply(partition, protocol, client, connections);
  }

  /** See {@link Capacity#whenWritable}. */
  void whenWritable(int client, Runnable action) {
    capacity.whenWritable(client, action);
  }

  /**
   * Returns whether the node may be busy with a script.
   *
   * @param client whose protocol and connections are used
   * @param now {@link System#nanoTime()}
   */
  public boolean mayBeBusy(Endpoint node, Client client, long now) {
    return timeouts.answerNanos() != Long.MAX_VALUE
        && nodes.mayBeBusy(
            node, client.protocol(), client.affinity(), now - timeouts.answerNanos());
  }

  /** See {@link Sender#sendPastScripts}. */
  public void sendPastScripts(Endpoint node, Exchange exchange) {
    sender.sendPastScripts(node, exchange);
  }

  /** See {@link NodeView#handshakeError}. */
  public @Nullable HandshakeError handshakeError(@Nullable Endpoint node) {
    return nodes.handshakeError(node);
  }

  /** See {@link NodeView#readNodes}. */
  public @Nullable ReadNodes readNodes() {
    return nodes.readNodes();
  }

  /** See {@link NodeView#heldRequests}. */
  public HeldRequests heldRequests() {
    return nodes.heldRequests();
  }

  /** See {@link Topology#demoted}. */
  public void demoted(Endpoint node) {
    topology.demoted(node);
  }

  /** See {@link Topology#requestRefresh}. */
  public void requestRefresh(RefreshTrigger trigger) {
    topology.requestRefresh(trigger);
  }

  /** Applies a node's redirect: the partition has another master from now on. */
  public void moved(int partition, Endpoint master) {
    topology.moved(partition, master);
    dispatcher.adoptPlacement();
  }

  /** Returns whether nodes have accepted this database since the placement changed last. */
  public boolean isKnownDatabase(int number) {
    return databasesOf == placement() && number < Long.SIZE && (databases & 1L << number) != 0;
  }

  /** Notes that a node has accepted this database. */
  public void onDatabaseAccepted(int number) {
    Placement current = placement();
    if (databasesOf != current) { // other nodes may have fewer
      databasesOf = current;
      databases = 0;
    }
    if (number < Long.SIZE) {
      databases |= 1L << number;
    }
  }

  /**
   * Returns the error for a partition without an owner, with the reason if the topology is unknown.
   * Only a cluster has slots: elsewhere the partition without an owner is all that one master has.
   */
  public byte[] notServed() {
    Placement placement = placement();
    if (!placement.isOneCluster()) {
      return ErrorReplies.noMaster(topologyFailure.get());
    }
    return placement.shards().isEmpty()
        ? ErrorReplies.notServed(topologyFailure.get())
        : ErrorReplies.NOT_SERVED;
  }

  /** Returns what log lines about the nodes begin with. */
  public String logPrefix() {
    return upstream.prefix();
  }

  public long commandTimeoutNanos() {
    return timeouts.commandTimeoutNanos();
  }

  public long retryWindowNanos() {
    return timeouts.retryWindowNanos();
  }
}
