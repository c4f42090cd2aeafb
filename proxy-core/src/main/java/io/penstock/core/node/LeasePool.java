package io.penstock.core.node;

import io.penstock.core.backend.BackendContext;
import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.backend.NodeCounters;
import io.penstock.core.observe.ThrottledLog;
import io.penstock.core.resp.Protocol;
import io.penstock.core.upstream.Endpoint;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One loop's leased connections to one node: those in use, and a few idle ones for the next client.
 * Confined to that loop.
 */
final class LeasePool {

  /**
   * Maximum number of connections.
   *
   * @param open in use or idle
   * @param idle idle only
   */
  record Limits(int open, int idle) {}

  private static final Logger log = LoggerFactory.getLogger(LeasePool.class);

  /**
   * Idle connections are closed after this time, which is shorter than servers' {@code timeout}.
   */
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Endpoint node;
  private final BackendContext backend;
  private final NodeCounters counters;
  private final Limits limits;
  private final ThrottledLog rejectedLog = new ThrottledLog();
  private final Set<Lease> open = new LinkedHashSet<>();
  private final ArrayDeque<Lease> idle = new ArrayDeque<>(); // most recently released last
  private final Set<Lease> suspect = new HashSet<>(); // opened before the latest loss
  private boolean lost; // a ready one was lost, and none has connected since

  LeasePool(Endpoint node, BackendContext backend, NodeCounters counters, Limits limits) {
    this.node = node;
    this.backend = backend;
    this.counters = counters;
    this.limits = limits;
  }

  BackendContext backend() {
    return backend;
  }

  NodeCounters counters() {
    return counters;
  }

  /**
   * Leases a connection; returns null if the limit is reached.
   *
   * @param connections which of the node's it is one of
   */
  @Nullable Lease lease(Protocol protocol, ConnectionKey connections) {
    for (var it = idle.descendingIterator(); it.hasNext(); ) {
      Lease known = it.next();
      if (known.fits(protocol, connections)) {
        it.remove();
        return known;
      }
    }
    if (open.size() >= limits.open()) {
      Lease other = idle.pollFirst();
      if (other == null) {
        logFull();
        return null;
      }
      other.discard();
    }
    Lease made = new Lease(node, protocol, connections, this);
    open.add(made);
    made.connect();
    return made;
  }

  private void logFull() {
    rejectedLog.log(times ->
        log.warn(
            "{}All {} exclusive connections to {} are in use: {} rejected since the last such"
                + " line",
            backend.settings().upstream().prefix(),
            limits.open(),
            node,
            times));
  }

  /** Takes back a released connection: keeps it idle or closes it. */
  void takeBack(Lease lease) {
    if (idle.size() >= limits.idle() || suspect.contains(lease)) {
      lease.discard();
    } else {
      lease.idleSince(backend.loop().now());
      idle.addLast(lease);
    }
  }

  void onReady() {
    counters.connected(lost);
    lost = false;
    counters.leased(1);
  }

  void onReceived(int bytes) {
    counters.received(bytes);
  }

  /**
   * Handles the loss of a connection. If the node has died, the other connections are lost too, but
   * each is reported separately, and it is unknown whether requests sent on them meanwhile have
   * run. Therefore the existing connections are not leased again. A new one proves by its handshake
   * that the node is alive. Also called when the password has changed.
   */
  void markSuspect() {
    suspect.addAll(open);
    List.copyOf(idle).forEach(Lease::discard);
  }

  /** An attempt to connect failed. Called before the waiting exchanges fail. */
  void onConnectFailed(Throwable cause) {
    counters.onFailed(node, cause);
  }

  /** A connection was lost or could not be made; not called when Penstock closes it. */
  void onFailed(boolean wasReady, Throwable cause) {
    counters.countError();
    lost |= wasReady;
    if (!wasReady) {
      backend.listener().onDisconnected(node, 1, cause);
    }
  }

  void onClosed(Lease lease, boolean wasReady, long bytesSent) {
    open.remove(lease);
    idle.remove(lease);
    suspect.remove(lease);
    if (wasReady) {
      counters.disconnected(bytesSent);
      counters.leased(-1);
    }
  }

  /** Number of connections that clients have leased. */
  int inUse() {
    return open.size() - idle.size();
  }

  int inFlight() {
    int sum = 0;
    for (Lease lease : open) {
      sum += lease.inFlight();
    }
    return sum;
  }

  /** Bytes sent on open connections; the counters contain those of closed ones. */
  long bytesSent() {
    long sum = 0;
    for (Lease lease : open) {
      sum += lease.bytesSent();
    }
    return sum;
  }

  /** Expires exchanges past their deadline, and closes connections that are idle for too long. */
  void tick(long now) {
    List.copyOf(open).forEach(lease -> lease.tick(now));
    Lease oldest = idle.peekFirst();
    while (oldest != null && now - oldest.idleSince() > IDLE_NANOS) {
      oldest.discard();
      oldest = idle.peekFirst();
    }
  }

  /**
   * Calls {@link Lease#markReplaced} for unresponsive connections, and closes those that are not
   * ready: nothing was sent on them, and what waits for them must not reach the replaced node.
   *
   * @return whether any is unresponsive
   */
  boolean markReplacedIfUnresponsive(boolean timedOut) {
    boolean anyUnresponsive = false;
    for (Lease lease : List.copyOf(open)) {
      boolean unresponsive = lease.isUnresponsive();
      anyUnresponsive |= unresponsive;
      if (unresponsive || !lease.isReady()) {
        lease.markReplaced(timedOut || !unresponsive);
      }
    }
    return anyUnresponsive;
  }

  /** Calls {@link Lease#markReplaced} for all with pending replies: the node is unresponsive. */
  void markAllReplaced(boolean timedOut) {
    List<Lease> withPending = open.stream().filter(lease -> lease.inFlight() > 0).toList();
    withPending.forEach(lease -> lease.markReplaced(timedOut));
  }

  /** Closes all; their exchanges fail. */
  void close() {
    new ArrayList<>(open).forEach(Lease::discard);
  }
}
