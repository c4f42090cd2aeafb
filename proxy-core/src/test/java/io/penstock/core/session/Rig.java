package io.penstock.core.session;

import static org.awaitility.Awaitility.await;

import io.penstock.core.answer.Passwords;
import io.penstock.core.answer.ProxyView;
import io.penstock.core.backend.BackendSettings;
import io.penstock.core.backend.QueueLimits;
import io.penstock.core.client.Nodes;
import io.penstock.core.cluster.ClusterErrorPolicy;
import io.penstock.core.cluster.ClusterFacade;
import io.penstock.core.cluster.SlotMap;
import io.penstock.core.command.CommandRules;
import io.penstock.core.command.CommandTable;
import io.penstock.core.command.HelloFacts;
import io.penstock.core.command.ServerFacts;
import io.penstock.core.command.ServerVersion;
import io.penstock.core.directory.ClientDirectory;
import io.penstock.core.dispatch.AsyncDispatcher;
import io.penstock.core.dispatch.Dispatcher;
import io.penstock.core.dispatch.SyncDispatcher;
import io.penstock.core.info.ProxyFacts;
import io.penstock.core.limit.Allowance;
import io.penstock.core.limit.ClientLimits;
import io.penstock.core.limit.OutputLimit;
import io.penstock.core.listener.AcceptSettings;
import io.penstock.core.listener.Admission;
import io.penstock.core.listener.ListenAddress;
import io.penstock.core.listener.Listener;
import io.penstock.core.observe.Label;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.observe.ProxyStats;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.pubsub.Hub;
import io.penstock.core.pubsub.SubscriberCounts;
import io.penstock.core.resp.RespLimits;
import io.penstock.core.route.Router;
import io.penstock.core.script.Scripts;
import io.penstock.core.sentinel.SentinelErrorPolicy;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.transport.Transport;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ErrorPolicy;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.core.upstream.ReadTargets;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.Shard;
import io.penstock.core.upstream.SinglePlacement;
import io.penstock.core.upstream.Topology;
import io.penstock.core.upstream.UnknownPlacement;
import io.penstock.testkit.network.Peer;
import io.penstock.testkit.network.ScriptedNode;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The complete data path on one loop, between clients and two nodes whose every byte the test sends
 * and expects itself. Node 0 has the lower half of the slots ({@code b} 3300, {@code c} 7365), node
 * 1 the upper half ({@code a} 15495, {@code foo} 12182).
 */
final class Rig implements AutoCloseable {

  static final int SLOT_A = 15_495;
  static final int SLOT_B = 3_300;

  /** Options of a rig. */
  static final class Options {
    private @Nullable String password;
    private boolean sharded = true;
    private Duration commandTimeout = Duration.ofSeconds(100);
    private Duration hold = Duration.ZERO;
    private long answerNanos = Long.MAX_VALUE;
    private int maxHeld = 65_536;
    private QueueLimits bounds = QueueLimits.DEFAULTS;
    private ClientLimits clientLimits = ClientLimits.DEFAULTS;
    private int exclusiveConnections = 8;
    private int turnConnections; // of the sync dispatcher; 0 for the async one
    private RespLimits limits = RespLimits.ofMaxBulkLength(512 * 1024 * 1024);
    private @Nullable ClusterFacade facade;
    private Supplier<java.util.Map<String, String>> config =
        () -> java.util.Map.of("maxmemory", "0", "save", "", "requirepass", "");
    private Supplier<CompletionStage<ProxyStats>> stats = ProxyView.UNKNOWN::stats;
    private CommandTable commands = CommandTable.load();
    private int replicas;
    private ErrorPolicy policy = ErrorPolicy.SINGLE; // of a server that is not sharded
    private boolean masterKnown = true;
    private Label upstream = Label.ONLY;
    private ReadSettings reads = ReadSettings.MASTER_ONLY;
    private @Nullable ServerVersion redis;
    private @Nullable ServerVersion valkey;
    private HelloFacts hello = HelloFacts.NONE;

    Options password(String given) {
      password = given;
      return this;
    }

    Options single() {
      sharded = false;
      return this;
    }

    /** A master that sentinels manage. */
    Options sentinel() {
      policy = new SentinelErrorPolicy();
      return single();
    }

    /** Sentinels that have not named a master. */
    Options unknownMaster() {
      masterKnown = false;
      return sentinel();
    }

    /** The proxy has other upstreams; this one has a name. */
    Options named(String name) {
      upstream = Label.ofUpstream(name, false);
      return this;
    }

    Options commandTimeout(Duration timeout) {
      commandTimeout = timeout;
      return this;
    }

    /** How long the failover hold is, if longer than the command timeout. */
    Options hold(Duration longest) {
      hold = longest;
      return this;
    }

    /** How long after an answer a node is not asked whether it is busy; if not set, never. */
    Options askAfter(Duration silence) {
      answerNanos = silence.toNanos();
      return this;
    }

    Options maxHeld(int most) {
      maxHeld = most;
      return this;
    }

    Options bounds(QueueLimits wanted) {
      bounds = wanted;
      return this;
    }

    Options clientLimits(ClientLimits limits) {
      clientLimits = limits;
      return this;
    }

    Options subscriberLimit(OutputLimit limit) {
      return clientLimits(Limits.with(OutputLimit.NONE, limit));
    }

    /** Uses the sync dispatcher: one thread per client, this number of connections per node. */
    Options sync(int mostConnections) {
      turnConnections = mostConnections;
      return this;
    }

    Options exclusiveConnections(int most) {
      exclusiveConnections = most;
      return this;
    }

    Options limits(RespLimits wanted) {
      limits = wanted;
      return this;
    }

    Options facade(ClusterFacade shown) {
      facade = shown;
      return this;
    }

    /** The proxy's own parameters of {@code CONFIG GET}. */
    Options config(Supplier<java.util.Map<String, String>> own) {
      config = own;
      return this;
    }

    /** The stats of the loops for {@code INFO}. */
    Options stats(Supplier<CompletionStage<ProxyStats>> figures) {
      stats = figures;
      return this;
    }

    /** Uses commands with these rules. */
    Options commands(CommandRules rules) {
      commands = CommandTable.load(rules);
      return this;
    }

    /** Node 0 is the master of all slots. The nodes behind it are its replicas, and are read. */
    Options replicas(int count, ReadSettings settings) {
      replicas = count;
      reads = settings;
      return this;
    }

    /** Allows commands that are denied by default. */
    Options allow(String... names) {
      commands = CommandTable.load(CommandRules.of(List.of(names), List.of()));
      return this;
    }

    /** Rejects these commands. */
    Options deny(String... names) {
      commands = CommandTable.load(CommandRules.of(List.of(), List.of(names)));
      return this;
    }

    /** All nodes are known to have this version of Valkey. */
    Options valkey(int major) {
      valkey = new ServerVersion(major, 0, 0);
      return this;
    }

    /** All nodes are known to have this version: {@code redis 8.0.6} or {@code valkey 9.1.2}. */
    Options servers(String nameAndVersion) {
      String[] words = nameAndVersion.split(" ");
      ServerVersion version = ServerVersion.parse(words[1]);
      if (words[0].equals("valkey")) {
        valkey = version;
      } else {
        redis = version;
      }
      return this;
    }

    /** All nodes are known to tell this in {@code HELLO}. */
    Options hello(HelloFacts told) {
      hello = told;
      return this;
    }

    Rig start() {
      return new Rig(this);
    }
  }

  /** A view of a proxy with a facade and parameters only. */
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

  /** A topology that the test publishes; redirects change it as they change the real one. */
  static final class Map implements Topology {

    private volatile SlotMap current;
    private volatile ReadTargets readTargets = ReadTargets.EMPTY;
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
    public ReadTargets readTargets() {
      return readTargets;
    }

    @Override
    public boolean isInCluster(Endpoint node) {
      return true;
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

    /** The calls of the data path. */
    List<String> calls() {
      return calls;
    }
  }

  /** The topology of a single server; calls are recorded in {@code asked}. */
  private static final class SingleServer implements Topology {

    private final Map asked;
    private final ErrorPolicy errorPolicy;
    private volatile Placement current;

    SingleServer(Map asked, Placement first, ErrorPolicy errorPolicy) {
      this.asked = asked;
      this.current = first;
      this.errorPolicy = errorPolicy;
    }

    @Override
    public Placement current() {
      return current;
    }

    @Override
    public ErrorPolicy errorPolicy() {
      return errorPolicy;
    }

    @Override
    public ReadTargets readTargets() {
      return asked.readTargets();
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

  private long ahead; // offset to the machine's clock, in nanoseconds; used on the loop only
  private volatile long stoppedAt; // by the machine's clock; 0 while it runs
  private final LoopGroup group = new LoopGroup(Transport.NIO, 1, () -> machineClock() + ahead);
  private final Loop loop = group.loops().getFirst();
  private final List<ScriptedNode> nodes;
  private final List<Peer> clients = new ArrayList<>();
  private final Set<Integer> accepted =
      new HashSet<>(); // nodes whose first connection was accepted
  private final java.util.Map<Integer, Peer> started = new HashMap<>(); // accepted and not used yet
  private final boolean isSync;
  private final Map topology;
  private final Topology known; // by the data path
  private final Dispatcher dispatcher;
  private final Options options;
  private final SessionSettings settings;
  private final SessionLoop.Routing routing;
  private final ClientDirectory directory = new ClientDirectory();
  private final SessionLoop sessions;
  private final Listener listener;
  private final int port;
  private final List<Listener> moreListeners = new ArrayList<>();

  private Placement only(Options options) {
    return options.masterKnown
        ? new SinglePlacement(shardOfAll(options.replicas))
        : UnknownPlacement.INSTANCE;
  }

  private Rig(Options options) {
    isSync = options.turnConnections > 0;
    nodes = Stream.generate(ScriptedNode::new).limit(Math.max(2, 1 + options.replicas)).toList();
    topology = new Map(options.replicas == 0 ? halves() : masterAndReplicas());
    readAll();
    known = options.sharded ? topology : new SingleServer(topology, only(options), options.policy);
    this.options = options;
    BackendSettings backend = backend(options.commandTimeout);
    dispatcher =
        options.turnConnections == 0
            ? new AsyncDispatcher(group, loop, backend, known, ProxyEvents.NONE)
            : new SyncDispatcher(group, loop, backend, known, ProxyEvents.NONE);
    settings =
        new SessionSettings(
            Passwords.of(options.password),
            Set.of(),
            options.limits,
            options.clientLimits,
            new Face(options.facade, options.config, options.stats));
    var hub = new Hub(group, loop, backend, known, ProxyEvents.NONE, new SubscriberCounts());
    routing =
        new SessionLoop.Routing(
            new Router(known.current().partitioner(), dispatcher.nodes().readNodes() != null),
            dispatcher,
            hub,
            known,
            new ServedUpstream(
                options.upstream,
                new Nodes.Timeouts(
                    options.commandTimeout.toNanos(),
                    Math.max(options.commandTimeout.toNanos(), options.hold.toNanos()),
                    options.answerNanos),
                0,
                new Scripts()));
    sessions = new SessionLoop(loop, settings, servers(options), routing, directory);
    listener =
        new Listener(
            group,
            _ -> sessions,
            new Admission(Integer.MAX_VALUE, ProxyEvents.NONE),
            AcceptSettings.DEFAULTS);
    onLoop(() -> {
      dispatcher.connect();
      return true;
    });
    port = bound(listener);
  }

  private BackendSettings backend(Duration commandTimeout) {
    return new BackendSettings(
        Duration.ofSeconds(10),
        commandTimeout,
        1,
        options.exclusiveConnections,
        options.turnConnections,
        options.maxHeld,
        options.bounds,
        options.reads,
        options.upstream);
  }

  /** Starts a rig with two nodes of a cluster. */
  static Rig cluster() {
    return new Options().start();
  }

  private static ServerFacts servers(Options options) {
    ServerFacts unknown = ServerFacts.initial(options.commands);
    ServerVersion version = Objects.requireNonNullElse(options.redis, unknown.version());
    return new ServerFacts(version, options.valkey, options.hello, unknown.commands());
  }

  private SlotMap halves() {
    return new SlotMap.Builder()
        .shard(new Shard(address(0), List.of(), 1))
        .range(0, 8_191)
        .shard(new Shard(address(1), List.of(), 2))
        .range(8_192, 16_383)
        .build();
  }

  private SlotMap masterAndReplicas() {
    return new SlotMap.Builder().shard(shardOfAll(nodes.size() - 1)).range(0, 16_383).build();
  }

  private Shard shardOfAll(int replicas) {
    return new Shard(address(0), addresses().subList(1, 1 + replicas), 1);
  }

  private List<Endpoint> addresses() {
    return IntStream.range(0, nodes.size()).mapToObj(this::address).toList();
  }

  private void readAll() {
    setTargets(addresses().subList(1, nodes.size()));
  }

  private void setTargets(List<Endpoint> targets) {
    topology.readTargets = new ReadTargets(java.util.Map.of(address(0), targets), false);
  }

  /** Publishes which nodes may be read, as the topology thread does. */
  void mayBeRead(Integer... which) {
    setTargets(Stream.of(which).map(this::address).toList());
    adopt();
  }

  /** Accepts the proxy's next connection for reads to a replica. */
  Peer acceptReads(int node) {
    return nodes
        .get(node)
        .acceptUnanswered()
        .expect(ScriptedNode.NAMING + Wire.request("READONLY"))
        .send("+OK\r\n+OK\r\n");
  }

  Endpoint address(int node) {
    return new Endpoint("127.0.0.1", nodes.get(node).port());
  }

  ScriptedNode server(int node) {
    return nodes.get(node);
  }

  /** Accepts the proxy's next connection to a node. */
  Peer accept(int node) {
    Peer known = started.remove(node);
    accepted.add(node);
    return known == null ? nodes.get(node).accept() : known;
  }

  /** Accepts the proxy's next connection to a node, which is a subscriber connection. */
  Peer acceptSubscriberConnection(int node) {
    if (!isSync && accepted.add(node)) { // the connection for requests comes first
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

  /** Accepts the connection that the proxy makes to each node when it starts. */
  Peer connected(int node) {
    return accept(node);
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
    var another =
        new Listener(
            group,
            _ -> itsClients,
            new Admission(Integer.MAX_VALUE, ProxyEvents.NONE),
            AcceptSettings.DEFAULTS);
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

  Map topology() {
    return topology;
  }

  /** Publishes a map without notifying the loop. */
  void publishSilently(SlotMap map) {
    topology.current = map;
  }

  /** Publishes a snapshot, as the topology thread does. */
  void publish(SlotMap map) {
    publishSilently(map);
    adoptEverywhere();
  }

  /** Publishes the master of an upstream that is not sharded, as the topology thread does. */
  void publishMaster(int node) {
    ((SingleServer) known).current = new SinglePlacement(address(node));
    adoptEverywhere();
  }

  /** Has the hub follow a topology of another upstream with the same nodes. */
  void followOther(SlotMap map, Duration commandTimeout) {
    onLoop(() -> {
      sessions.hub().adopt(new Map(map), backend(commandTimeout));
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
            topology.current = map;
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
    nodes.forEach(ScriptedNode::close);
    group.shutdown().toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
  }
}
