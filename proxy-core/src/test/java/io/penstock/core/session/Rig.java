package io.penstock.core.session;

import io.penstock.core.answer.ClientDirectory;
import io.penstock.core.answer.ProxyView;
import io.penstock.core.backend.BackendSettings;
import io.penstock.core.backend.QueueLimits;
import io.penstock.core.client.Nodes;
import io.penstock.core.cluster.ClusterErrorPolicy;
import io.penstock.core.cluster.ClusterFacade;
import io.penstock.core.cluster.SlotMap;
import io.penstock.core.command.CommandRules;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.command.CommandTable;
import io.penstock.core.command.ServerFacts;
import io.penstock.core.dispatch.AsyncDispatcher;
import io.penstock.core.dispatch.Dispatcher;
import io.penstock.core.dispatch.SyncDispatcher;
import io.penstock.core.info.ProxyFacts;
import io.penstock.core.limit.Allowance;
import io.penstock.core.limit.ClientLimits;
import io.penstock.core.limit.OutputLimit;
import io.penstock.core.listener.AcceptSettings;
import io.penstock.core.listener.Admission;
import io.penstock.core.listener.Listener;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.observe.ProxyStats;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.pubsub.Hub;
import io.penstock.core.pubsub.SubscriberCounts;
import io.penstock.core.resp.RespLimits;
import io.penstock.core.route.Router;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.transport.Transport;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ErrorPolicy;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.Shard;
import io.penstock.core.upstream.SinglePlacement;
import io.penstock.core.upstream.Topology;
import io.penstock.testkit.network.Peer;
import io.penstock.testkit.network.ScriptedNode;
import io.penstock.testkit.wire.Wire;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The whole data path on one loop, between clients and two nodes whose every byte the test sends
 * and expects itself. Node 0 has the lower half of the slots ({@code b} 3300, {@code c} 7365), node
 * 1 the upper half ({@code a} 15495, {@code foo} 12182).
 */
final class Rig implements AutoCloseable {

  static final int SLOT_A = 15_495;
  static final int SLOT_B = 3_300;

  /** What a test may choose before it starts the rig. */
  static final class Choice {
    private @Nullable String password;
    private boolean sharded = true;
    private Duration commandTimeout = Duration.ofSeconds(100);
    private Duration hold = Duration.ZERO;
    private int maxHeld = 65_536;
    private QueueLimits bounds = QueueLimits.DEFAULTS;
    private ClientLimits clientLimits = ClientLimits.DEFAULTS;
    private int exclusiveConnections = 8;
    private int turnConnections; // of the synchronous dispatcher, if it is to be that
    private RespLimits limits = RespLimits.ofMaxBulkLength(512 * 1024 * 1024);
    private @Nullable ClusterFacade facade;
    private Supplier<java.util.Map<String, String>> config =
        () -> java.util.Map.of("maxmemory", "0", "save", "", "requirepass", "");
    private Supplier<CompletionStage<ProxyStats>> stats = ProxyView.UNKNOWN::stats;
    private CommandTable commands = CommandTable.load();

    Choice password(String given) {
      password = given;
      return this;
    }

    Choice single() {
      sharded = false;
      return this;
    }

    Choice commandTimeout(Duration timeout) {
      commandTimeout = timeout;
      return this;
    }

    /** So long requests that did not run are held, if longer than the command timeout. */
    Choice hold(Duration longest) {
      hold = longest;
      return this;
    }

    Choice maxHeld(int most) {
      maxHeld = most;
      return this;
    }

    Choice bounds(QueueLimits wanted) {
      bounds = wanted;
      return this;
    }

    Choice clientLimits(ClientLimits limits) {
      clientLimits = limits;
      return this;
    }

    Choice subscriberLimit(OutputLimit limit) {
      return clientLimits(Limits.with(OutputLimit.NONE, limit));
    }

    /** One thread a client, and so many connections for their turns. */
    Choice sync(int mostConnections) {
      turnConnections = mostConnections;
      return this;
    }

    Choice exclusiveConnections(int most) {
      exclusiveConnections = most;
      return this;
    }

    Choice limits(RespLimits wanted) {
      limits = wanted;
      return this;
    }

    Choice facade(ClusterFacade shown) {
      facade = shown;
      return this;
    }

    /** What {@code CONFIG GET} finds to be the proxy's own. */
    Choice config(Supplier<java.util.Map<String, String>> own) {
      config = own;
      return this;
    }

    /** What {@code INFO} tells of the loops. */
    Choice stats(Supplier<CompletionStage<ProxyStats>> figures) {
      stats = figures;
      return this;
    }

    /** Commands that are denied by default. */
    Choice allow(String... names) {
      commands = CommandTable.load(CommandRules.of(List.of(names), List.of()));
      return this;
    }

    Rig start() {
      return new Rig(this);
    }
  }

  /** Nothing is known of a proxy but its facade and its parameters. */
  private record Face(
      @Nullable ClusterFacade facade,
      Supplier<java.util.Map<String, String>> own,
      Supplier<CompletionStage<ProxyStats>> figures)
      implements ProxyView {

    @Override
    public ProxyFacts facts() {
      return UNKNOWN.facts();
    }

    @Override
    public CompletionStage<ProxyStats> stats() {
      return figures.get();
    }

    @Override
    public @Nullable Instant topologyAsOf() {
      return null;
    }

    @Override
    public java.util.Map<String, String> config() {
      return own.get();
    }
  }

  /** A snapshot that the test publishes; redirects patch it as in the real one. */
  static final class Map implements Topology {

    private volatile SlotMap current;
    private final List<String> calls = new CopyOnWriteArrayList<>();

    Map(SlotMap first) {
      current = first;
    }

    @Override
    public SlotMap current() {
      return current;
    }

    @Override
    public ErrorPolicy errorPolicy() {
      return new ClusterErrorPolicy();
    }

    @Override
    public void moved(int slot, Endpoint owner) {
      calls.add("moved " + slot + " to " + owner.port());
      current = current.withSlotOn(slot, owner);
    }

    @Override
    public void requestRefresh(RefreshTrigger trigger) {
      calls.add("refresh " + trigger);
    }

    /** What the data path asked for. */
    List<String> calls() {
      return calls;
    }
  }

  /** A single server, whatever the test publishes; {@code asked} notes what the data path asks. */
  private record OneServer(Map asked, Placement current) implements Topology {

    OneServer(Map asked, Endpoint server) {
      this(asked, new SinglePlacement(server));
    }

    @Override
    public ErrorPolicy errorPolicy() {
      return ErrorPolicy.SINGLE;
    }

    @Override
    public void moved(int partition, Endpoint owner) {
      asked.moved(partition, owner);
    }

    @Override
    public void requestRefresh(RefreshTrigger trigger) {
      asked.requestRefresh(trigger);
    }
  }

  private long ahead; // of the machine's clock, in nanoseconds; used on the loop alone
  private final LoopGroup group = new LoopGroup(Transport.NIO, 1, () -> System.nanoTime() + ahead);
  private final Loop loop = group.loops().getFirst();
  private final List<ScriptedNode> nodes = List.of(new ScriptedNode(), new ScriptedNode());
  private final List<Peer> clients = new ArrayList<>();
  private final Set<Integer> accepted = new HashSet<>(); // nodes whose first connection was
  private final java.util.Map<Integer, Peer> started = new HashMap<>(); // and not used yet
  private final boolean isSync;
  private final Map topology;
  private final Dispatcher dispatcher;
  private final SessionSettings settings;
  private final SessionLoop.Routing routing;
  private final ClientDirectory directory = new ClientDirectory();
  private final SessionLoop sessions;
  private final Listener listener;
  private final int port;

  private Rig(Choice choice) {
    isSync = choice.turnConnections > 0;
    topology = new Map(halves());
    Topology known = choice.sharded ? topology : new OneServer(topology, address(0));
    var backend =
        new BackendSettings(
            Duration.ofSeconds(10),
            choice.commandTimeout,
            1,
            choice.exclusiveConnections,
            choice.turnConnections,
            choice.maxHeld,
            choice.bounds);
    dispatcher =
        choice.turnConnections == 0
            ? new AsyncDispatcher(group, loop, backend, known, ProxyEvents.NONE)
            : new SyncDispatcher(group, loop, backend, known, ProxyEvents.NONE);
    settings =
        new SessionSettings(
            choice.password,
            choice.limits,
            new Nodes.Times(
                choice.commandTimeout.toNanos(),
                Math.max(choice.commandTimeout.toNanos(), choice.hold.toNanos())),
            0,
            choice.clientLimits,
            new Face(choice.facade, choice.config, choice.stats));
    var hub = new Hub(group, loop, backend, known, ProxyEvents.NONE, new SubscriberCounts());
    routing =
        new SessionLoop.Routing(new Router(known.current().partitioner()), dispatcher, hub, known);
    sessions =
        new SessionLoop(loop, settings, ServerFacts.initial(choice.commands), routing, directory);
    listener =
        new Listener(
            group,
            _ -> sessions,
            new Admission(Integer.MAX_VALUE, ProxyEvents.NONE),
            AcceptSettings.DEFAULTS);
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    onLoop(() -> {
      dispatcher.connect();
      return true;
    });
    port =
        listener.bind(any).toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join().getPort();
  }

  /** Clients and two nodes of a cluster. */
  static Rig cluster() {
    return new Choice().start();
  }

  private SlotMap halves() {
    return new SlotMap.Builder()
        .shard(new Shard(address(0), List.of(), 1))
        .range(0, 8_191)
        .shard(new Shard(address(1), List.of(), 2))
        .range(8_192, 16_383)
        .build();
  }

  Endpoint address(int node) {
    return new Endpoint("127.0.0.1", nodes.get(node).port());
  }

  ScriptedNode server(int node) {
    return nodes.get(node);
  }

  /** The proxy's next connection to a node. */
  Peer accept(int node) {
    Peer known = started.remove(node);
    accepted.add(node);
    return known == null ? nodes.get(node).accept() : known;
  }

  /** The proxy's next connection to a node, which is one for subscriptions. */
  Peer acceptFeed(int node) {
    if (!isSync && accepted.add(node)) { // the one for requests came first
      started.put(node, nodes.get(node).accept());
    }
    return nodes
        .get(node)
        .acceptUnanswered()
        .expect(Wire.request("HELLO", "3") + ScriptedNode.NAMING)
        .send("%0\r\n+OK\r\n");
  }

  /** As {@link #accept}, with the handshake left to the test. */
  Peer acceptUnanswered(int node) {
    accepted.add(node);
    return nodes.get(node).acceptUnanswered();
  }

  /** Answers the connection that the proxy makes to each node at its start. */
  Peer connected(int node) {
    return accept(node);
  }

  Peer client() {
    Peer client = Peer.connect(port);
    clients.add(client);
    return client;
  }

  /** A client whose replies have been small: it may ask for many at once. */
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

  Map topology() {
    return topology;
  }

  /** Publishes a map that the loop is not told of. */
  void publishUntold(SlotMap map) {
    topology.current = map;
  }

  /** Publishes a snapshot, as the topology thread does. */
  void publish(SlotMap map) {
    publishUntold(map);
    onLoop(() -> {
      dispatcher.adoptPlacement();
      sessions.hub().adoptTopology();
      return true;
    });
  }

  /** The same when the loop has run so many tasks more. */
  void publishAfter(int tasks, SlotMap map) {
    loop.executor()
        .execute(() -> {
          if (tasks > 0) {
            publishAfter(tasks - 1, map);
          } else {
            topology.current = map;
            dispatcher.adoptPlacement();
            sessions.hub().adoptTopology();
          }
        });
  }

  /** Has the loop go by the newest snapshot, as with the topology thread's push. */
  void adopt() {
    onLoop(() -> {
      dispatcher.adoptPlacement();
      return true;
    });
  }

  /** It is so much later from here on. Timers do not go by this clock. */
  void advance(Duration time) {
    onLoop(() -> ahead += time.toNanos());
  }

  /** Serves deadlines as if it were so much later, for this once. */
  void tick(Duration later) {
    onLoop(() -> {
      long then = loop.tick() + later.toNanos();
      dispatcher.tick(then);
      sessions.hub().tick(then);
      sessions.tick(then);
      return true;
    });
  }

  /** What the proxy has counted at a node, on connections that are closed, too. */
  NodeStats countedAt(int node) {
    return onLoop(() ->
        Stream.of(
                dispatcher.stats(),
                dispatcher.closedStats(),
                sessions.hub().stats(),
                sessions.hub().closedStats())
            .flatMap(List::stream)
            .filter(stats -> stats.node().equals(address(node)))
            .reduce(NodeStats::plus)
            .orElseThrow());
  }

  /** Bytes that the proxy has read from a node. */
  long bytesReceivedFrom(int node) {
    return onLoop(() ->
        Stream.concat(dispatcher.stats().stream(), sessions.hub().stats().stream())
            .filter(stats -> stats.node().equals(address(node)))
            .mapToLong(NodeStats::bytesReceived)
            .sum());
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

  /** The session of the client that connected last. */
  Session newestSession() {
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
    clients.forEach(Peer::close);
    onLoop(() -> {
      List.copyOf(sessions.sessions()).forEach(session -> session.closeNow("the test ends"));
      dispatcher.close();
      sessions.hub().close();
      return true;
    });
    nodes.forEach(ScriptedNode::close);
    group.shutdown().toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
  }
}
