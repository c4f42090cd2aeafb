package io.penstock.core.node;

import io.penstock.core.backend.BackendContext;
import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.Failure;
import io.penstock.core.backend.Handshake;
import io.penstock.core.backend.HandshakeError;
import io.penstock.core.backend.NodeCounters;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.resp.Protocol;
import io.penstock.core.upstream.Endpoint;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One loop's connections to one node. For each protocol version there are shared connections, and a
 * separate one for exchanges that must not wait behind requests; each is made when first needed.
 * Shared connections with another database than the upstream's own, and those for reads from
 * replicas, form sets of their own, which are closed when they have been idle for long. Leased
 * connections belong to one client while it blocks or for a turn. Confined to that loop.
 */
public final class BackendNode {

  /** Blocking calls on a retired node are ended after this many command timeouts. */
  private static final int RETIRED_TIMEOUTS = 3;

  /** Idle leased connections kept for the next client. */
  private static final int MAX_IDLE_LEASES = 16;

  /** Time for a replaced node to answer what is in flight. */
  private static final long REPLACED_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** A replaced node that cannot be connected to for this long is considered dead. */
  private static final long UNREACHABLE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** A shared connection that has been idle for this long is checked with PING. */
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Endpoint node;
  private final BackendContext backend;
  private final NodeCounters counters = new NodeCounters();
  private final ConnectionSet plain;
  private final OtherSets others;
  private final @Nullable BackendConnection[] separate = new BackendConnection[2]; // by protocol
  private final LeasePool leases;
  private final LeasePool turns;
  private boolean replaced;
  private long replacedAt; // if replaced
  private boolean retired;
  private long retiredAt; // if retired

  public BackendNode(Endpoint node, BackendContext backend) {
    this.node = node;
    this.backend = backend;
    this.plain = new ConnectionSet(ConnectionKey.PLAIN, node, backend, counters);
    this.others = new OtherSets(node, backend, counters);
    int exclusive = backend.settings().exclusiveConnections();
    this.leases =
        new LeasePool(node, backend, counters, new LeasePool.Limits(exclusive, MAX_IDLE_LEASES));
    int turnConnections = backend.settings().turnConnections();
    this.turns =
        new LeasePool(
            node, backend, counters, new LeasePool.Limits(turnConnections, turnConnections));
  }

  public Endpoint node() {
    return node;
  }

  /**
   * Sends the exchange now, or as soon as a connection is ready.
   *
   * @param asking whether to send {@code ASKING} first
   * @return false if the node does not keep up and the sender should pause
   */
  public boolean send(Exchange exchange, boolean asking) {
    ConnectionKey key = exchange.connections();
    ConnectionSet set = key.isPlain() ? plain : others.get(key);
    if (set == null) {
      exchange.onFailure(Failure.OVERLOADED);
      return true;
    }
    BackendConnection connection = set.connectionFor(exchange.protocol(), exchange.affinity());
    connection.send(exchange, asking);
    return connection.isWritable();
  }

  /**
   * Like {@link #send}, over the separate connection. A server does not read the connection on
   * which it received a running script.
   */
  public boolean sendSeparately(Exchange exchange) {
    int index = exchange.protocol().ordinal();
    BackendConnection connection = separate[index];
    if (connection == null) {
      // A node does not execute SELECT while it runs a script.
      Endpoint plain = node.with(node.access().withoutDatabase());
      var handshake = new Handshake(plain, exchange.protocol(), backend.settings().chain());
      connection = new BackendConnection(node, handshake, backend, counters);
      separate[index] = connection;
    }
    connection.send(exchange, false);
    return connection.isWritable();
  }

  /**
   * Returns whether the node may be busy with a script: it has not answered since {@code time}, or
   * with an error that says so, and it can be reached.
   *
   * @param client {@linkplain Exchange#affinity() affinity} of the exchanges of a client
   */
  public boolean mayBeBusy(Protocol protocol, int client, long time) {
    if (plain.connectionFor(protocol, client).hasAnsweredSince(time)) {
      return false;
    }
    for (BackendConnection connection : connections()) {
      if (connection.hasAnsweredSince(time) || connection.isFailing()) {
        return false;
      }
    }
    return true;
  }

  /**
   * Sends the exchange, to be answered by a node that is busy with a script as well: if replies are
   * pending on the shared connection, over the separate one.
   */
  public void sendPastScripts(Exchange exchange) {
    BackendConnection shared = plain.connectionFor(exchange.protocol(), exchange.affinity());
    if (shared.pending() == 0) {
      shared.send(exchange, false);
    } else {
      sendSeparately(exchange);
    }
  }

  /**
   * Leases a connection that fits {@code first}, connected or connecting; null if the limit is
   * reached.
   */
  public @Nullable Lease lease(Exchange first) {
    return leases.lease(first.protocol(), first.connections());
  }

  /**
   * Leases a connection for one client's turn, connected or connecting; null if the limit is
   * reached. The limit is separate from that of {@link #lease}: blocked clients must not prevent
   * others from sending the command that unblocks them.
   *
   * @param connections which of the node's to use
   */
  public @Nullable Lease leaseForTurn(Protocol protocol, ConnectionKey connections) {
    return turns.lease(protocol, connections);
  }

  /** Connects before the first request, with the protocol that most clients use. */
  public void connect() {
    plain.connectionFor(Protocol.RESP2, 0).connectIfIdle();
  }

  /**
   * Authenticates again on shared connections: the password has changed. Leased ones are not leased
   * again.
   */
  public void authenticateAgain() {
    connections().forEach(BackendConnection::authenticateAgain);
    leases.markSuspect();
    turns.markSuspect();
  }

  /** Returns whether at least one connection is ready. */
  public boolean isReady() {
    return counters.exclusive() > 0 || connections().stream().anyMatch(BackendConnection::isReady);
  }

  /** The error with which the node answered the latest handshake; null if none. */
  public @Nullable HandshakeError handshakeError() {
    return counters.handshakeError();
  }

  /** Returns false while a connection does not keep up with the requests. */
  public boolean isWritable() {
    return connections().stream().allMatch(BackendConnection::isWritable);
  }

  /**
   * Returns whether one more request with a large reply may be sent on the connection for {@code
   * affinity}.
   *
   * @param connections which of the node's to use
   */
  public boolean hasRoomForLargeReply(Protocol protocol, int affinity, ConnectionKey connections) {
    ConnectionSet set = connections.isPlain() ? plain : others.get(connections);
    return set == null || set.connectionFor(protocol, affinity).hasRoomForLargeReply();
  }

  /** Removes, in order, unsent exchanges that {@code which} accepts. */
  public void withdraw(Predicate<Exchange> which, ArrayDeque<Exchange> into) {
    connections().forEach(connection -> connection.withdraw(which, into));
  }

  /**
   * Expires exchanges and idle connections. Called several times per command timeout.
   *
   * @return whether the node is retired and has nothing pending, so that it can be closed
   */
  public boolean tick(long now) {
    leases.tick(now);
    turns.tick(now);
    if (retired
        && now - retiredAt > RETIRED_TIMEOUTS * backend.settings().commandTimeout().toNanos()) {
      leases.close(); // calls that block on a dead node would block forever
    }
    others.closeIdle(now);
    int pending = leases.inUse() + turns.inUse();
    for (BackendConnection connection : connections()) {
      connection.tick(now, idleNanos());
      pending += connection.pending();
    }
    if (replaced) {
      checkReplaced(now);
    }
    return retired && pending == 0;
  }

  private long idleNanos() {
    if (replaced && leases.inUse() > 0) {
      return REPLACED_NANOS; // a blocking call does not show whether the node is alive
    }
    return retired ? Long.MAX_VALUE : IDLE_NANOS; // a retired node is not needed
  }

  /** Stops trusting a replaced node that is unresponsive, and later fails its exchanges. */
  private void checkReplaced(long now) {
    boolean timedOut = now - replacedAt > REPLACED_NANOS;
    boolean unresponsive = turns.markReplacedIfUnresponsive(timedOut);
    for (BackendConnection connection : connections()) {
      unresponsive |= connection.markReplaced(timedOut);
    }
    if (leases.inUse() > 0) {
      BackendConnection probe = plain.connectionFor(Protocol.RESP2, 0);
      probe.connectIfIdle();
      if (unresponsive || (!probe.isReady() && now - replacedAt > UNREACHABLE_NANOS)) {
        leases.markAllReplaced(timedOut);
      }
    }
  }

  /**
   * Another node took over from this one. If this node is unresponsive, it has failed and may not
   * know about the takeover. It may then still run what it was sent when it comes back, and all of
   * that is lost.
   */
  public void markReplaced() {
    if (!replaced) {
      replaced = true;
      replacedAt = backend.loop().tick();
      checkReplaced(replacedAt);
    }
  }

  /** The node left the cluster: nothing new is sent to it, exchanges in flight may finish. */
  public void retire() {
    if (!retired) {
      retired = true;
      retiredAt = backend.loop().tick();
    }
  }

  /** The node is part of the cluster again. */
  public void reinstate() {
    replaced = false;
    retired = false;
  }

  /** Closes at once. */
  public void close() {
    leases.close();
    turns.close();
    connections().forEach(BackendConnection::close);
  }

  /** Returns the number of exchanges in flight or waiting for a connection. */
  public int unanswered() {
    int sum = leases.inFlight() + turns.inFlight();
    for (BackendConnection connection : connections()) {
      sum += connection.unanswered();
    }
    return sum;
  }

  public NodeStats stats() {
    long inFlight = (long) leases.inFlight() + turns.inFlight();
    long sent = counters.bytesSentBefore() + leases.bytesSent() + turns.bytesSent();
    for (BackendConnection connection : connections()) {
      inFlight += connection.inFlight();
      sent += connection.bytesSent();
    }
    return new NodeStats(
        node.first(),
        counters.connections(),
        counters.exclusive(),
        inFlight,
        sent,
        counters.bytesReceived(),
        counters.reconnects(),
        counters.errors(),
        counters.errorReplies());
  }

  private List<BackendConnection> connections() {
    List<BackendConnection> made = new ArrayList<>(2);
    plain.collect(made);
    others.collect(made);
    ConnectionSet.collect(separate, made);
    return made;
  }
}
