package io.penstock.core.backend;

import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.resp.Protocol;
import io.penstock.core.upstream.Access;
import io.penstock.core.upstream.Endpoint;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One loop's connections to one node: shared ones for each protocol version that clients speak and
 * one aside of them for what must not wait behind requests, all made when first needed; and those
 * that clients have for themselves, while they block or for a turn. Confined to that loop.
 */
public final class BackendNode {

  /** A node that left has so many command timeouts to end calls that block on it. */
  private static final int LAST_CHANCES = 3;

  /** Of connections that clients had for themselves so many are kept for the next client. */
  private static final int KEPT_LEASES = 16;

  /** A node that lost its place to another has so long to answer what it owes. */
  private static final long LAST_WORDS_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** After that one of which nothing is heard at all is taken for dead. */
  private static final long UNHEARD_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** A shared connection that nobody has used for so long is looked after. */
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Endpoint node;
  private final BackendContext site;
  private final NodeCounters counters = new NodeCounters();
  private final @Nullable BackendConnection[] resp2;
  private final @Nullable BackendConnection[] resp3;
  private final @Nullable BackendConnection[] aside = new BackendConnection[2]; // by protocol
  private final LeasePool leases;
  private final LeasePool turns;
  private boolean superseded;
  private long supersededAt; // if so
  private boolean retired;
  private long retiredAt; // if so

  public BackendNode(Endpoint node, BackendContext site) {
    this.node = node;
    this.site = site;
    int connections = site.settings().connectionsPerNode();
    this.resp2 = new BackendConnection[connections];
    this.resp3 = new BackendConnection[connections];
    int exclusive = site.settings().exclusiveConnections();
    this.leases = new LeasePool(node, site, counters, new LeasePool.Limits(exclusive, KEPT_LEASES));
    int turnConnections = site.settings().turnConnections();
    this.turns =
        new LeasePool(node, site, counters, new LeasePool.Limits(turnConnections, turnConnections));
  }

  public Endpoint node() {
    return node;
  }

  /**
   * Sends the exchange now, or as soon as there is a connection.
   *
   * @param asking whether {@code ASKING} goes first
   * @return false when the node does not keep up and the sender should pause
   */
  public boolean send(Exchange exchange, boolean asking) {
    BackendConnection connection = connectionFor(exchange.protocol(), exchange.affinity());
    connection.send(exchange, asking);
    return connection.isWritable();
  }

  /**
   * As {@link #send}, over a connection that carries only such exchanges: a server does not read
   * the one that a running script came by.
   */
  public boolean sendSeparately(Exchange exchange) {
    int index = exchange.protocol().ordinal();
    BackendConnection connection = aside[index];
    if (connection == null) {
      // A node that runs a script selects no database.
      Access access = node.access().withoutDatabase();
      connection = new BackendConnection(node, access, exchange.protocol(), site, counters);
      aside[index] = connection;
    }
    connection.send(exchange, false);
    return connection.isWritable();
  }

  /** A connection for one client, connected or about to be; null when there are too many. */
  public @Nullable Lease lease(Protocol protocol) {
    return leases.lease(protocol);
  }

  /**
   * A connection for one client's turn, connected or about to be; null when there are too many.
   * Other than those of {@link #lease}: who blocks must not keep others from unblocking him.
   */
  public @Nullable Lease leaseForTurn(Protocol protocol) {
    return turns.lease(protocol);
  }

  /** Connects before the first command comes, in the protocol that most clients speak. */
  public void connect() {
    connectionFor(Protocol.RESP2, 0).connectIfIdle();
  }

  private BackendConnection connectionFor(Protocol protocol, int affinity) {
    @Nullable BackendConnection[] shared = protocol == Protocol.RESP2 ? resp2 : resp3;
    int index = shared.length == 1 ? 0 : Math.floorMod(affinity, shared.length);
    BackendConnection connection = shared[index];
    if (connection == null) {
      connection = new BackendConnection(node, protocol, site, counters);
      shared[index] = connection;
    }
    return connection;
  }

  /** True when at least one connection can send at once. */
  public boolean isReady() {
    return counters.exclusive() > 0 || connections().stream().anyMatch(BackendConnection::isReady);
  }

  /** By what the node does not let Penstock in, if that was so when it was last tried. */
  public @Nullable HandshakeError handshakeError() {
    return counters.handshakeError();
  }

  /** False while a connection does not take requests as fast as they come. */
  public boolean isWritable() {
    return connections().stream().allMatch(BackendConnection::isWritable);
  }

  /**
   * Whether one more large reply may be asked for over the connection that a client's exchanges
   * take.
   */
  public boolean hasRoomForLargeReply(Protocol protocol, int affinity) {
    return connectionFor(protocol, affinity).hasRoomForLargeReply();
  }

  /** Takes back, in order, exchanges that were never sent and that {@code which} accepts. */
  public void withdraw(Predicate<Exchange> which, ArrayDeque<Exchange> into) {
    connections().forEach(connection -> connection.withdraw(which, into));
  }

  /** Called several times per command timeout; answers true when a retired node is done with. */
  public boolean tick(long now) {
    leases.tick(now);
    turns.tick(now);
    if (retired && now - retiredAt > LAST_CHANCES * site.settings().commandTimeout().toNanos()) {
      leases.close(); // what blocks on a node that is dead would do so for ever
    }
    int owed = leases.inUse() + turns.inUse();
    for (BackendConnection connection : connections()) {
      connection.tick(now, idleNanos());
      owed += connection.pending();
    }
    if (superseded) {
      doubt(now);
    }
    return retired && owed == 0;
  }

  private long idleNanos() {
    if (superseded && leases.inUse() > 0) {
      return LAST_WORDS_NANOS; // what blocks there says nothing of whether it is alive
    }
    return retired ? Long.MAX_VALUE : IDLE_NANOS; // nobody will need a node that left
  }

  /** Gives up what the node owes if it is silent, and believes it no more before that. */
  private void doubt(long now) {
    boolean over = now - supersededAt > LAST_WORDS_NANOS;
    boolean mute = turns.markReplacedIfUnresponsive(over);
    for (BackendConnection connection : connections()) {
      mute |= connection.markReplaced(over);
    }
    if (leases.inUse() > 0) {
      BackendConnection probe = connectionFor(Protocol.RESP2, 0);
      probe.connectIfIdle();
      if (mute || (!probe.isReady() && now - supersededAt > UNHEARD_NANOS)) {
        leases.markAllReplaced(over);
      }
    }
  }

  /**
   * Another node serves what this one served. If it is silent, it has failed, may not know of the
   * other yet, and runs what it was sent when it comes back: all of that is lost.
   */
  public void markReplaced() {
    if (!superseded) {
      superseded = true;
      supersededAt = site.loop().tick();
      doubt(supersededAt);
    }
  }

  /** The node left the cluster: nothing new is sent to it, what is in flight may end. */
  public void retire() {
    if (!retired) {
      retired = true;
      retiredAt = site.loop().tick();
    }
  }

  /** The node is part of the cluster again. */
  public void reinstate() {
    superseded = false;
    retired = false;
  }

  /** Closes at once. */
  public void close() {
    leases.close();
    turns.close();
    connections().forEach(BackendConnection::close);
  }

  public NodeStats stats() {
    long inFlight = (long) leases.inFlight() + turns.inFlight();
    long sent = counters.bytesSentBefore() + leases.bytesSent() + turns.bytesSent();
    for (BackendConnection connection : connections()) {
      inFlight += connection.inFlight();
      sent += connection.bytesSent();
    }
    return new NodeStats(
        node,
        counters.connections(),
        counters.exclusive(),
        inFlight,
        sent,
        counters.bytesReceived(),
        counters.reconnects(),
        counters.errors());
  }

  private List<BackendConnection> connections() {
    List<BackendConnection> made = new ArrayList<>(2);
    collect(resp2, made);
    collect(resp3, made);
    collect(aside, made);
    return made;
  }

  private static void collect(@Nullable BackendConnection[] from, List<BackendConnection> into) {
    for (BackendConnection connection : from) {
      if (connection != null) {
        into.add(connection);
      }
    }
  }
}
