package io.penstock.core.backend;

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
 * One loop's exclusive connections to one node: those that clients have, and a few that wait for
 * the next client. Confined to that loop.
 */
final class LeasePool {

  /**
   * How many there may be.
   *
   * @param open in use or not
   * @param idle of those that wait for the next client
   */
  record Limits(int open, int idle) {}

  private static final Logger log = LoggerFactory.getLogger(LeasePool.class);

  /** So long one waits for a client: shorter than servers' own {@code timeout}s. */
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Endpoint node;
  private final BackendContext site;
  private final NodeCounters counters;
  private final Limits limits;
  private final ThrottledLog refusals = new ThrottledLog();
  private final Set<Lease> open = new LinkedHashSet<>();
  private final ArrayDeque<Lease> idle = new ArrayDeque<>(); // newest last
  private final Set<Lease> distrusted = new HashSet<>(); // those older than the last loss
  private boolean lost; // one that worked, and none was made since

  LeasePool(Endpoint node, BackendContext site, NodeCounters counters, Limits limits) {
    this.node = node;
    this.site = site;
    this.counters = counters;
    this.limits = limits;
  }

  /** A connection for one client, or null when there are too many. */
  @Nullable Lease lease(Protocol protocol) {
    for (var it = idle.descendingIterator(); it.hasNext(); ) {
      Lease known = it.next();
      if (known.protocol() == protocol) {
        it.remove();
        return known;
      }
    }
    if (open.size() >= limits.open()) {
      Lease other = idle.pollFirst();
      if (other == null) {
        tellFull();
        return null;
      }
      other.discard();
    }
    Lease made = new Lease(node, protocol, site, this);
    open.add(made);
    made.connect();
    return made;
  }

  private void tellFull() {
    refusals.log(times ->
        log.warn(
            "clients have all {} connections to {} that they may have for themselves: {} refused"
                + " since the last such line",
            limits.open(),
            node,
            times));
  }

  /** A client needs the connection no more. */
  void takeBack(Lease lease) {
    if (idle.size() >= limits.idle() || distrusted.contains(lease)) {
      lease.discard();
    } else {
      lease.idleSince(site.loop().now());
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
   * A connection was lost. When the node has died the others are as good as lost, and each is heard
   * of by itself: what is sent on one meanwhile may have run, for all that is known. So no client
   * is given one of them any more. A new one proves by its handshake that somebody is there.
   */
  void markSuspect() {
    distrusted.addAll(open);
    List.copyOf(idle).forEach(Lease::discard);
  }

  /** A connection could not be made; to be told before what waits for it is. */
  void onConnectFailed(Throwable cause) {
    counters.failed(node, cause);
  }

  /** It failed, and not by Penstock's will. */
  void onFailed(boolean worked, Throwable cause) {
    counters.failed();
    lost |= worked;
    if (!worked) {
      site.listener().onDisconnected(node, 1, cause);
    }
  }

  void onClosed(Lease lease, boolean worked, long bytesSent) {
    open.remove(lease);
    idle.remove(lease);
    distrusted.remove(lease);
    if (worked) {
      counters.disconnected(bytesSent);
      counters.leased(-1);
    }
  }

  /** Connections that clients have. */
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

  /** Bytes sent on connections that are open; of the others the counters know. */
  long bytesSent() {
    long sum = 0;
    for (Lease lease : open) {
      sum += lease.bytesSent();
    }
    return sum;
  }

  /** Ends what is past its deadline, and connections that nobody has needed for long. */
  void tick(long now) {
    List.copyOf(open).forEach(lease -> lease.tick(now));
    Lease oldest = idle.peekFirst();
    while (oldest != null && now - oldest.idleSince() > IDLE_NANOS) {
      oldest.discard();
      oldest = idle.peekFirst();
    }
  }

  /**
   * As {@link BackendConnection#markReplaced}, of those that owe replies and are silent, or do not
   * stand yet.
   *
   * @return whether any owes replies and is silent
   */
  boolean markReplacedIfUnresponsive(boolean over) {
    boolean some = false;
    for (Lease lease : List.copyOf(open)) {
      boolean mute = lease.isUnresponsive();
      some |= mute;
      if (mute || !lease.isReady()) {
        lease.markReplaced(over);
      }
    }
    return some;
  }

  /** The same of all that owe replies, since the node is known to be silent. */
  void markAllReplaced(boolean over) {
    List<Lease> owing = open.stream().filter(lease -> lease.inFlight() > 0).toList();
    owing.forEach(lease -> lease.markReplaced(over));
  }

  /** Closes all; what runs on them fails. */
  void close() {
    new ArrayList<>(open).forEach(Lease::discard);
  }
}
