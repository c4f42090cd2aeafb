package io.penstock.core.session;

import static org.awaitility.Awaitility.await;

import io.penstock.core.backend.BackendSettings;
import io.penstock.core.cluster.SlotMap;
import io.penstock.core.command.CommandTable;
import io.penstock.core.directory.ClientDirectory;
import io.penstock.core.dispatch.AsyncDispatcher;
import io.penstock.core.dispatch.Dispatcher;
import io.penstock.core.dispatch.SyncDispatcher;
import io.penstock.core.limit.Allowance;
import io.penstock.core.listener.AcceptSettings;
import io.penstock.core.listener.Admission;
import io.penstock.core.listener.ListenAddress;
import io.penstock.core.listener.Listener;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.observe.ShadowStats;
import io.penstock.core.pubsub.Hub;
import io.penstock.core.pubsub.SubscriberCounts;
import io.penstock.core.route.Router;
import io.penstock.core.shadow.ShadowLink;
import io.penstock.core.shadow.ShadowSettings;
import io.penstock.core.side.Side;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.transport.Transport;
import io.penstock.testkit.network.Peer;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The complete data path on one loop, between clients and two nodes whose every byte the test sends
 * and expects itself. Node 0 has the lower half of the slots ({@code b} 3300, {@code c} 7365), node
 * 1 the upper half ({@code a} 15495, {@code foo} 12182).
 */
final class Rig extends ScriptedUpstream implements AutoCloseable {

  static final int SLOT_A = 15_495;
  static final int SLOT_B = 3_300;

  private long ahead; // offset to the machine's clock, in nanoseconds; used on the loop only
  private volatile long stoppedAt; // by the machine's clock; 0 while it runs
  private final LoopGroup group = new LoopGroup(Transport.NIO, 1, () -> machineClock() + ahead);
  private final Loop loop = group.loops().getFirst();
  private final List<Peer> clients = new ArrayList<>();
  private final Dispatcher dispatcher;
  private final RigOptions options;
  private final SessionSettings settings;
  private final SessionLoop.Routing routing;
  private final ClientDirectory directory = new ClientDirectory();
  private final SessionLoop sessions;
  private final Listener listener;
  private final int port;
  private final List<Listener> moreListeners = new ArrayList<>();

  Rig(RigOptions options) {
    super(options);
    this.options = options;
    BackendSettings backend = options.backend();
    dispatcher =
        options.isSync()
            ? new SyncDispatcher(group, loop, backend, known(), ProxyEvents.NONE)
            : new AsyncDispatcher(group, loop, backend, known(), ProxyEvents.NONE);
    settings = options.settings();
    var hub = new Hub(group, loop, backend, known(), ProxyEvents.NONE, new SubscriberCounts());
    routing =
        new SessionLoop.Routing(
            new Router(known().current().partitioner(), dispatcher.nodes().readNodes() != null),
            dispatcher,
            hub,
            known(),
            options.served());
    sessions = new SessionLoop(loop, settings, options.servers(), routing, directory);
    listener = listener(sessions);
    onLoop(() -> {
      dispatcher.connect();
      return true;
    });
    port = bound(listener);
  }

  private Listener listener(SessionLoop itsClients) {
    return new Listener(
        group,
        _ -> itsClients,
        new Admission(Integer.MAX_VALUE, ProxyEvents.NONE),
        AcceptSettings.DEFAULTS);
  }

  /** Starts a rig with two nodes of a cluster. */
  static Rig cluster() {
    return new RigOptions().start();
  }

  /** Sends all reads to another upstream too, which the caller ticks and closes. */
  Dispatcher shadow(ScriptedUpstream other, ShadowSettings how) {
    BackendSettings backend = options.backend();
    return onLoop(() -> {
      Dispatcher its =
          options.isSync()
              ? new SyncDispatcher(group, loop, backend, other.known(), ProxyEvents.NONE)
              : new AsyncDispatcher(group, loop, backend, other.known(), ProxyEvents.NONE);
      long timeout = backend.commandTimeout().toNanos();
      var ends =
          new ShadowLink.Ends(
              loop, new Side(dispatcher, known(), timeout), new Side(its, other.known(), timeout));
      routing.shadow().connect(ends, how);
      return its;
    });
  }

  /** What was counted of reads that went to a shadow. */
  ShadowStats shadowStats() {
    return onLoop(() -> routing.shadow().stats());
  }

  /** Publishes which nodes may be read, as the topology thread does. */
  void mayBeRead(Integer... which) {
    readSilentlyFrom(which);
    adopt();
  }

  Peer client() {
    return client(port);
  }

  /** Connects a client to another listener. */
  Peer client(int listenerPort) {
    Peer client = Peer.connect(listenerPort);
    clients.add(client);
    return client;
  }

  /** Opens another listener, whose clients the test closes. Returns its port. */
  int listen(SessionLoop itsClients) {
    Listener another = listener(itsClients);
    moreListeners.add(another);
    return bound(another);
  }

  private static int bound(Listener listener) {
    return listener
        .bind(new ListenAddress.Tcp("127.0.0.1", 0))
        .toCompletableFuture()
        .orTimeout(10, TimeUnit.SECONDS)
        .join()
        .getFirst()
        .getPort();
  }

  /** Returns a client whose replies have been small, so that many requests may be in flight. */
  Peer clientOfSmallReplies() {
    String ping = Wire.request("PING");
    Peer client = client().send(ping).expect("+PONG\r\n");
    Allowance allowance = newestSession().account();
    CommandSpec get = CommandTable.load().byName("get");
    onLoop(() -> {
      for (int i = 0; i < 100; i++) {
        allowance.recordReply(get, 0);
      }
      return true;
    });
    return client;
  }

  /** Publishes a snapshot, as the topology thread does. */
  void publish(SlotMap map) {
    publishSilently(map);
    adoptEverywhere();
  }

  /** Publishes the master of an upstream that is not sharded, as the topology thread does. */
  void publishMaster(int node) {
    publishMasterSilently(node);
    adoptEverywhere();
  }

  /** Has the hub follow a topology of another upstream with the same nodes. */
  void followOther(SlotMap map, Duration commandTimeout) {
    onLoop(() -> {
      sessions.hub().adopt(new RigTopology(map), options.backend(commandTimeout));
      return true;
    });
  }

  private void adoptEverywhere() {
    onLoop(() -> {
      dispatcher.adoptPlacement();
      sessions.hub().adoptTopology();
      return true;
    });
  }

  /** Publishes a map after the loop has run {@code tasks} more tasks. */
  void publishAfter(int tasks, SlotMap map) {
    loop.executor()
        .execute(() -> {
          if (tasks > 0) {
            publishAfter(tasks - 1, map);
          } else {
            publishSilently(map);
            dispatcher.adoptPlacement();
            sessions.hub().adoptTopology();
          }
        });
  }

  /** Makes the loop adopt the latest snapshot, as the topology thread does. */
  void adopt() {
    onLoop(() -> {
      dispatcher.adoptPlacement();
      return true;
    });
  }

  private long machineClock() {
    long at = stoppedAt;
    return at == 0 ? System.nanoTime() : at;
  }

  /** Stops the clock of the loop: from now on, only {@link #advance} advances it. */
  void stopClock() {
    stoppedAt = System.nanoTime();
  }

  /** Advances the clock of the loop. Timers do not use this clock. */
  void advance(Duration time) {
    onLoop(() -> ahead += time.toNanos());
  }

  /** Runs one tick as if it were so much later. */
  void tick(Duration later) {
    onLoop(() -> {
      long then = loop.tick() + later.toNanos();
      dispatcher.tick(then);
      sessions.hub().tick(then);
      sessions.tick(then);
      return true;
    });
  }

  /** The counters for a node, including those of closed connections. */
  NodeStats countedAt(int node) {
    return onLoop(() ->
        Stream.of(
                dispatcher.nodes().stats(),
                dispatcher.nodes().closedStats(),
                sessions.hub().stats(),
                sessions.hub().closedStats())
            .flatMap(List::stream)
            .filter(stats -> stats.node().equals(address(node)))
            .reduce(NodeStats::plus)
            .orElseThrow());
  }

  /** The number of bytes that the proxy has read from a node. */
  long bytesReceivedFrom(int node) {
    return onLoop(() ->
        Stream.concat(dispatcher.nodes().stats().stream(), sessions.hub().stats().stream())
            .filter(stats -> stats.node().equals(address(node)))
            .mapToLong(NodeStats::bytesReceived)
            .sum());
  }

  /** Has clients change to another upstream with the same nodes, and ends what keeps others. */
  void changeUpstream() {
    onLoop(() -> {
      var other =
          new SessionLoop.Routing(
              new Router(known().current().partitioner(), false),
              dispatcher,
              routing.hub(),
              known(),
              options.served());
      sessions.adopt(settings, other, sessions.servers());
      sessions.drainLaggards(routing);
      return true;
    });
  }

  Dispatcher dispatcher() {
    return dispatcher;
  }

  Loop loop() {
    return loop;
  }

  SessionSettings settings() {
    return settings;
  }

  SessionLoop.Routing routing() {
    return routing;
  }

  ClientDirectory directory() {
    return directory;
  }

  SessionLoop sessions() {
    return sessions;
  }

  /** The requests that Penstock owes a reply to. */
  long unanswered() {
    return this.<Long>onLoop(() -> sessions.pressure().unanswered());
  }

  void awaitUnanswered(long requests) {
    await().until(() -> unanswered() == requests);
  }

  /** Waits until Penstock has this number of clients. */
  void awaitClients(int count) {
    await().until(() -> this.<Integer>onLoop(() -> sessions.sessions().size()) == count);
  }

  /** The session of the client that connected last. */
  Session newestSession() {
    await().until(() -> onLoop(() -> !sessions.sessions().isEmpty()));
    return onLoop(() -> List.copyOf(sessions.sessions()).getLast());
  }

  <T> T onLoop(Callable<T> work) {
    try {
      return loop.executor().submit(work).get(10, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    listener.close();
    moreListeners.forEach(Listener::close);
    clients.forEach(Peer::close);
    onLoop(() -> {
      List.copyOf(sessions.sessions()).forEach(session -> session.closeNow("the test ends"));
      dispatcher.close();
      sessions.hub().close();
      return true;
    });
    closeNodes();
    group.shutdown().toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
  }
}
