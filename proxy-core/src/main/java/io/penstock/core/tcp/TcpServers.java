package io.penstock.core.tcp;

import io.penstock.core.observe.Label;
import io.penstock.core.observe.ThrottledLog;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntUnaryOperator;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The servers of a TCP upstream: chooses one for each client, and knows which are out. All event
 * loops share it, so that weights, connections and limits hold for the whole process; a choice
 * replaces the table of all servers by compare-and-set, once for each client. Safe from any thread;
 * never blocks.
 */
public final class TcpServers {

  private static final Logger log = LoggerFactory.getLogger(TcpServers.class);

  private final Label label;
  private final LongSupplier clock;
  private final IntUnaryOperator random;
  private final AtomicReference<PeerTable> table;
  private final LongAdder turnedAway = new LongAdder();
  private final ThrottledLog turnedAwayLog = new ThrottledLog();

  /**
   * @param label of the upstream, for log lines
   */
  public TcpServers(TcpSettings settings, Label label) {
    this(
        settings,
        label,
        () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()),
        bound -> ThreadLocalRandom.current().nextInt(bound));
  }

  /**
   * @param clock milliseconds
   * @param random returns a number below its argument
   */
  TcpServers(TcpSettings settings, Label label, LongSupplier clock, IntUnaryOperator random) {
    this.label = label;
    this.clock = clock;
    this.random = random;
    this.table = new AtomicReference<>(PeerTable.of(settings, null));
  }

  /**
   * One server at this moment.
   *
   * @param up whether clients may get it, apart from the number of its connections, and the latest
   *     connect to it succeeded, if there was one
   * @param trouble why it is out, without a name; null if it is up
   * @param connections open ones, and those that are being made
   * @param opened connections made since the start
   * @param failed connects that failed since the start
   * @param sent bytes from clients since the start
   * @param received bytes to clients since the start
   */
  public record Status(
      TcpServer server,
      boolean up,
      @Nullable String trouble,
      int connections,
      long opened,
      long failed,
      long sent,
      long received) {}

  /** Returns the settings in force. */
  public TcpSettings settings() {
    return table.get().layout().settings();
  }

  /**
   * Applies other settings to clients that come from now on. Servers that stay keep their
   * connections, their failures and what was counted.
   */
  public void adopt(TcpSettings next) {
    table.updateAndGet(before -> PeerTable.of(next, before));
  }

  /** Returns the state of each server, in the order of the settings. */
  public List<Status> status() {
    PeerTable now = table.get();
    long time = clock.getAsLong();
    List<Status> all = new ArrayList<>();
    for (int i = 0; i < now.layout().peers().size(); i++) {
      Peer peer = now.layout().peers().get(i);
      boolean up = now.isUp(i, time) && peer.failure() == null;
      all.add(
          new Status(
              now.layout().server(i),
              up,
              up ? null : trouble(now.layout().server(i), peer),
              now.state(i).connections,
              peer.opened().sum(),
              peer.failed().sum(),
              peer.sent().sum(),
              peer.received().sum()));
    }
    return all;
  }

  private static String trouble(TcpServer server, Peer peer) {
    String check = peer.trouble();
    if (server.down()) {
      return "it is configured as down";
    }
    return check == null ? "it cannot be connected to: " + peer.failure() : check;
  }

  /** Returns whether a client can get a server, or may try one again. */
  public boolean isReady() {
    return isEligible().anyMatch(eligible -> eligible);
  }

  /** Returns whether a server is up: none of which nothing is known is not. */
  public boolean answers() {
    return status().stream().anyMatch(Status::up);
  }

  /** Returns whether clients may get all servers, except those that are configured as down. */
  public boolean isComplete() {
    return isEligible().allMatch(eligible -> eligible);
  }

  /** Returns for each server that is not down whether clients may get it, or try it again. */
  private Stream<Boolean> isEligible() {
    PeerTable now = table.get();
    long time = clock.getAsLong();
    return IntStream.range(0, now.layout().peers().size())
        .filter(i -> !now.layout().server(i).down())
        .mapToObj(i -> now.isUp(i, time));
  }

  /** Returns how many clients were closed because no server could be had. */
  public long turnedAway() {
    return turnedAway.sum();
  }

  /** Returns the number of connections to all servers. */
  public int connections() {
    return status().stream().mapToInt(Status::connections).sum();
  }

  /** Begins the choice for a client whose address is this text; empty if it has none. */
  Attempt begin(byte[] client) {
    return new Attempt(client, table.get().layout());
  }

  /** A server that was chosen, and the attempt from now on. */
  record Choice(Peer peer, Attempt attempt) {}

  /** Returns the next server for a client, or null if none can be had. */
  @Nullable Choice next(Attempt attempt) {
    while (true) {
      PeerTable before = table.get();
      PeerTable after = before.copy();
      Attempt tried = attempt.copyFor(before.layout());
      int chosen = new Selection(after, tried, clock.getAsLong(), random).choose();
      if (chosen == Selection.NONE) {
        return null;
      }
      if (table.compareAndSet(before, after)) {
        return new Choice(after.layout().peers().get(chosen), tried);
      }
    }
  }

  /** A change of the state of one server. */
  private interface Change {
    void of(PeerTable table, int index, long now);
  }

  /** Returns the table from before; null if the settings do not have the server any more. */
  private @Nullable PeerTable change(Peer peer, Change change) {
    while (true) {
      PeerTable before = table.get();
      int index = before.indexOf(peer);
      if (index < 0) {
        return null;
      }
      PeerTable after = before.copy();
      change.of(after, index, clock.getAsLong());
      if (table.compareAndSet(before, after)) {
        return before;
      }
    }
  }

  /** A server is connected, by a client that has chosen it. */
  void connected(Peer peer) {
    peer.opened().increment();
    peer.failure(null);
    PeerTable before = change(peer, (after, index, now) -> forgive(after, index, now));
    if (before != null && !before.layout().isSingle()) {
      int index = before.indexOf(peer);
      TcpServer server = before.layout().server(index);
      PeerState state = before.state(index);
      if (isCleared(state) && server.maxFails() > 0 && state.fails >= server.maxFails()) {
        log.info("{}{} can be connected to again", label.prefix(), peer.address());
      }
    }
  }

  private static boolean isCleared(PeerState state) {
    return state.accessed < state.checked;
  }

  /** Failures are forgotten by a success after their time: see {@code checked}. */
  private static void forgive(PeerTable table, int index, long now) {
    PeerState state = table.state(index);
    if (!isCleared(state)) {
      return;
    }
    TcpServer server = table.layout().server(index);
    if (server.maxFails() > 0 && state.fails >= server.maxFails()) {
      state.recovered = now;
    }
    state.fails = 0;
  }

  /** A connection to a server has ended, after it was made. */
  void closed(Peer peer) {
    change(
        peer,
        (after, index, now) -> {
          forgive(after, index, now);
          after.state(index).connections--;
        });
  }

  /** A client that has chosen a server has gone before it was connected. */
  void abandoned(Peer peer) {
    change(peer, (after, index, _) -> after.state(index).connections--);
  }

  /** A connect has failed, or took too long. */
  void failed(Peer peer, String reason) {
    peer.failed().increment();
    peer.failure(reason);
    PeerTable before = change(peer, TcpServers::countFailure);
    if (before == null) {
      return;
    }
    int index = before.indexOf(peer);
    TcpServer server = before.layout().server(index);
    boolean single = before.layout().isSingle();
    if (!single && server.maxFails() > 0 && before.state(index).fails + 1 == server.maxFails()) {
      log.warn(
          "{}{} cannot be connected to ({}): it gets no clients for {} ms",
          label.prefix(),
          peer.address(),
          reason,
          server.failTimeout().toMillis());
    } else {
      log.debug("{}{} cannot be connected to: {}", label.prefix(), peer.address(), reason);
    }
  }

  private static void countFailure(PeerTable table, int index, long now) {
    PeerState state = table.state(index);
    state.connections--;
    if (table.layout().isSingle()) {
      return;
    }
    TcpServer server = table.layout().server(index);
    state.fails++;
    state.accessed = now;
    state.checked = now;
    if (server.maxFails() > 0) {
      state.effective = Math.max(0, state.effective - server.weight() / server.maxFails());
    }
  }

  /** A client is closed because no server can be had. */
  void turnAway(String client, @Nullable String reason) {
    turnedAway.increment();
    turnedAwayLog.log(times ->
        log.warn(
            "{}No server can be had ({}): the connection of client {} is closed ({} since the last"
                + " such line)",
            label.prefix(),
            reason == null ? "all are out, or have max-conns connections" : reason,
            client,
            times));
  }

  /** The health check has taken a server out. */
  void unhealthy(Peer peer, String reason) {
    if (peer.trouble() == null) {
      log.warn(
          "{}{} fails its health check ({}): it gets no clients",
          label.prefix(),
          peer.address(),
          reason);
    }
    peer.trouble(reason);
  }

  /** The health check has found a server healthy. */
  void healthy(Peer peer) {
    peer.failure(null);
    if (peer.trouble() == null) {
      return;
    }
    change(peer, (after, index, now) -> after.state(index).recovered = now);
    peer.trouble(null);
    log.info("{}{} passes its health check again", label.prefix(), peer.address());
  }

  /** Returns the servers that clients may get, up or not. */
  List<Peer> usable() {
    PeerTable.Layout layout = table.get().layout();
    return IntStream.range(0, layout.peers().size())
        .filter(i -> !layout.server(i).down())
        .mapToObj(layout.peers()::get)
        .toList();
  }

  /** Returns whether the settings have a server. */
  boolean has(Peer peer) {
    return table.get().indexOf(peer) >= 0;
  }
}
