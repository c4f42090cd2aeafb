package io.penstock.server.it;

import io.penstock.core.Proxy;
import io.penstock.core.assembly.ProxyListener;
import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.assembly.ProxySettings.Dispatch;
import io.penstock.core.backend.QueueLimits;
import io.penstock.core.cluster.ClusterFacade;
import io.penstock.core.command.CommandRules;
import io.penstock.core.copies.MirrorSettings;
import io.penstock.core.copies.ReplyPolicy;
import io.penstock.core.crossslot.CrossSlotSettings;
import io.penstock.core.discovery.ClusterUpstreamSettings;
import io.penstock.core.limit.ClientLimits;
import io.penstock.core.limit.OutputLimit;
import io.penstock.core.listener.AcceptSettings;
import io.penstock.core.listener.ListenAddress;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.observe.ProxyStats;
import io.penstock.core.route.CrossSlot;
import io.penstock.core.sentinel.SentinelUpstreamSettings;
import io.penstock.core.tls.ListenerTls;
import io.penstock.core.tls.NodeTls;
import io.penstock.core.topology.ProxiesUpstreamSettings;
import io.penstock.core.topology.SingleUpstreamSettings;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.transport.Transport;
import io.penstock.core.upstream.Credentials;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.NodeTransport;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.core.users.UsersSettings;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.cluster.SentinelGroup;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** A proxy on a free port or a Unix socket, without Spring, until it is closed. */
public final class ProxyFixture implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final Proxy proxy;

  private ProxyFixture(Proxy proxy) {
    this.proxy = proxy;
  }

  /** Builds a proxy in front of a cluster; all its members are seeds. */
  public static Builder of(EmbeddedCluster cluster) {
    List<Endpoint> seeds = cluster.members().stream().map(ProxyFixture::node).toList();
    return new Builder(
        new ClusterUpstreamSettings(seeds, credentials(cluster.user(), cluster.password())));
  }

  /** Builds a proxy in front of a group that Sentinel manages. */
  public static Builder of(SentinelGroup group) {
    List<Endpoint> sentinels =
        group.sentinels().stream().map(s -> new Endpoint(s.host(), s.port())).toList();
    return new Builder(
        new SentinelUpstreamSettings(
            sentinels,
            group.masterName(),
            credentials(group.user(), group.password()),
            0,
            credentials(group.sentinelUser(), group.sentinelPassword())));
  }

  static @Nullable Credentials credentials(@Nullable String user, @Nullable String password) {
    return password == null ? null : new Credentials(user, password);
  }

  /** Builds a proxy in front of equal ones. */
  static Builder ofProxies(List<ProxyFixture> proxies) {
    List<Endpoint> addresses =
        proxies.stream().map(proxy -> new Endpoint(proxy.host(), proxy.port())).toList();
    return new Builder(new ProxiesUpstreamSettings(addresses, null, 0));
  }

  public static Builder of(UpstreamSettings upstream) {
    return new Builder(upstream);
  }

  /** Builds a proxy in front of a cluster with TLS; all its members are seeds. */
  public static Builder of(EmbeddedCluster cluster, NodeTls tls) {
    List<Endpoint> seeds =
        cluster.members().stream().map(m -> new Endpoint(m.host(), m.tlsPort())).toList();
    var access = credentials(cluster.user(), cluster.password());
    return new Builder(new ClusterUpstreamSettings(seeds, access, NodeTransport.of(tls)));
  }

  /** Builds a proxy in front of one server without cluster support. */
  public static Builder of(ServerProcess server) {
    return new Builder(
        new SingleUpstreamSettings(new Endpoint(server.host(), server.port()), null, 0));
  }

  /** Builds a proxy in front of the Unix socket of a server. */
  static Builder ofUnixSocket(ServerProcess server) {
    var node = Endpoint.ofUnixSocket(server.unixSocket().toString());
    return new Builder(new SingleUpstreamSettings(node, null, 0));
  }

  public static Endpoint node(Member member) {
    return new Endpoint(member.host(), member.port());
  }

  public Proxy proxy() {
    return proxy;
  }

  /** Returns the IP address, or the name of the Unix socket. */
  public String host() {
    InetSocketAddress address = listener().address();
    return address == null
        ? listener().listenAddress().toString()
        : address.getAddress().getHostAddress();
  }

  /** Returns the port; 0 for a Unix socket. */
  public int port() {
    InetSocketAddress address = listener().address();
    return address == null ? 0 : address.getPort();
  }

  private ProxyListener listener() {
    return proxy.listeners().getFirst();
  }

  /** Opens a raw connection. */
  public RespClient connect() {
    return port() == 0 ? RespClient.open(Path.of(host())) : RespClient.open(host(), port());
  }

  /** Opens a raw connection with TLS. */
  RespClient connect(SSLContext tls) {
    return RespClient.open(host(), port(), tls);
  }

  public ProxyStats stats() {
    return await(proxy.stats());
  }

  /** Waits until the proxy is ready. */
  public ProxyFixture ready() {
    Awaitility.await("proxy is ready")
        .atMost(PATIENCE)
        .until(() -> proxy.isReady() && proxy.upstreamStatus().isComplete());
    return this;
  }

  /**
   * Waits until no node has a connection, after all were killed. A request sent before the proxy
   * notices that is lost with its connection and is not held.
   */
  public void awaitLoss() {
    Awaitility.await("the loss of all connections")
        .until(() -> stats().nodes().stream().allMatch(node -> node.connections() == 0));
  }

  public static <T> T await(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Closes everything. Returns when the event loops have ended. */
  @Override
  public void close() {
    proxy.shutdown().toCompletableFuture().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
  }

  /** Settings: two event loops by default, otherwise the defaults of the application. */
  public static final class Builder {

    private final UpstreamSettings upstream;
    private CrossSlotSettings crossSlot = CrossSlotSettings.REJECT;
    private ListenAddress address = new ListenAddress.Tcp("127.0.0.1", 0);
    private int maxClients = 10_000;
    private @Nullable String password;
    private @Nullable UsersSettings users;
    private Duration commandTimeout = Duration.ofSeconds(2);
    private Duration connectTimeout = Duration.ofSeconds(1);
    private Duration failoverHold = Duration.ofSeconds(10);
    private Duration refreshPeriod = Duration.ofSeconds(5);
    private CommandRules commands = CommandRules.NONE;
    private Transport transport = Transport.AUTO;
    private int eventLoops = 2;
    private int connectionsPerLoop = 1;
    private ClientLimits clientLimits = ClientLimits.DEFAULTS;
    private AcceptSettings arrivals = AcceptSettings.DEFAULTS;
    private QueueLimits bounds = QueueLimits.DEFAULTS;
    private int exclusiveConnections = 2_048;
    private @Nullable ClusterFacade facade;
    private ReadSettings reads = ReadSettings.MASTER_ONLY;
    private Map<String, UpstreamSettings> copies = Map.of();
    private MirrorSettings mirrored = new MirrorSettings(ReplyPolicy.PRIMARY, 100_000, 1 << 26);
    private Duration copyTimeout = Duration.ofSeconds(2);
    private Dispatch dispatch = DispatchMode.dispatch();

    private Builder(UpstreamSettings upstream) {
      this.upstream = upstream;
    }

    public Builder bind(String host) {
      return listen(new ListenAddress.Tcp(host, 0));
    }

    /** Sets the port; by default a free one. */
    public Builder port(int wanted) {
      return listen(new ListenAddress.Tcp("127.0.0.1", wanted));
    }

    /** Sets where it listens; by default on a free port of 127.0.0.1. */
    Builder listen(ListenAddress wanted) {
      address = wanted;
      return this;
    }

    public Builder maxClients(int most) {
      maxClients = most;
      return this;
    }

    /** Sets the password of clients. */
    public Builder password(String wanted) {
      password = wanted;
      return this;
    }

    /** Sets the users of clients, instead of a password. */
    public Builder users(UsersSettings wanted) {
      users = wanted;
      return this;
    }

    public Builder commandTimeout(Duration timeout) {
      commandTimeout = timeout;
      return this;
    }

    public Builder connectTimeout(Duration timeout) {
      connectTimeout = timeout;
      return this;
    }

    public Builder failoverHold(Duration longest) {
      failoverHold = longest;
      return this;
    }

    public Builder refreshPeriod(Duration period) {
      refreshPeriod = period;
      return this;
    }

    /** Sets which commands are allowed and denied. */
    public Builder commands(CommandRules rules) {
      commands = rules;
      return this;
    }

    public Builder transport(Transport wanted) {
      transport = wanted;
      return this;
    }

    public Builder eventLoops(int count) {
      eventLoops = count;
      return this;
    }

    public Builder connectionsPerLoop(int count) {
      connectionsPerLoop = count;
      return this;
    }

    Builder clientLimits(ClientLimits limits) {
      clientLimits = limits;
      return this;
    }

    Builder bounds(QueueLimits wanted) {
      bounds = wanted;
      return this;
    }

    Builder arrivals(AcceptSettings how) {
      arrivals = how;
      return this;
    }

    /** Sets the TLS of clients; by default they have none. */
    public Builder tls(ListenerTls wanted) {
      return arrivals(arrivals.with(wanted));
    }

    public Builder subscriberLimit(OutputLimit limit) {
      ClientLimits all = clientLimits;
      return clientLimits(
          new ClientLimits(
              all.normal(),
              limit,
              all.memory(),
              all.timeouts(),
              all.inFlight(),
              all.totalInFlight(),
              all.patterns()));
    }

    public Builder exclusiveConnections(int mostPerLoop) {
      exclusiveConnections = mostPerLoop;
      return this;
    }

    /** Sets the dispatch mode; by default the mode of this run of the tests. */
    public Builder dispatch(Dispatch wanted) {
      dispatch = wanted;
      return this;
    }

    /** Sets which nodes reads go to; by default masters. */
    public Builder reads(ReadSettings wanted) {
      reads = wanted;
      return this;
    }

    /**
     * Has writes copied.
     *
     * @param of the upstreams of the copies by their names
     * @param timeout of commands at copies
     */
    public Builder copies(Map<String, UpstreamSettings> of, MirrorSettings how, Duration timeout) {
      copies = new LinkedHashMap<>(of);
      mirrored = how;
      copyTimeout = timeout;
      return this;
    }

    /** Carries out commands over several slots. */
    public Builder emulatesCrossSlot() {
      crossSlot = CrossSlotSettings.REJECT.with(CrossSlot.EMULATE);
      return this;
    }

    /** Carries out scripts over several slots that only read, too. */
    Builder emulatesCrossSlotScripts() {
      crossSlot = CrossSlotSettings.REJECT.with(CrossSlot.EMULATE).withScripts();
      return this;
    }

    /** Presents the proxy to clients as a cluster. */
    public Builder facade(ClusterFacade shown) {
      facade = shown;
      return this;
    }

    /** Starts the proxy. Returns when it listens; nodes may be unreachable. */
    public ProxyFixture start() {
      var settings =
          new ProxySettings(
              List.of(ProxySettings.Listener.ofDefault(listen(), facade)),
              upstreams(),
              List.of(),
              mirrors(),
              dispatch,
              commands,
              transport,
              eventLoops,
              Duration.ofMillis(5),
              Duration.ofSeconds(30));
      Proxy proxy = Proxy.create(settings, ProxyEvents.NONE);
      try {
        await(proxy.start());
        return new ProxyFixture(proxy);
      } catch (RuntimeException e) {
        await(proxy.shutdown());
        throw e;
      }
    }

    private List<ProxySettings.Upstream> upstreams() {
      List<ProxySettings.Upstream> all = new ArrayList<>();
      all.add(upstream(ProxySettings.DEFAULT_NAME, upstream, commandTimeout));
      copies.forEach((name, copy) -> all.add(upstream(name, copy, copyTimeout)));
      return all;
    }

    private ProxySettings.Upstream upstream(String name, UpstreamSettings kind, Duration timeout) {
      return new ProxySettings.Upstream.Resp(
          name,
          kind,
          backend(timeout),
          new ProxySettings.Refresh(refreshPeriod, Duration.ofMillis(250)),
          reads);
    }

    private List<ProxySettings.Mirror> mirrors() {
      String name = ProxySettings.DEFAULT_NAME;
      return copies.isEmpty()
          ? List.of()
          : List.of(new ProxySettings.Mirror(name, name, List.copyOf(copies.keySet()), mirrored));
    }

    private ProxySettings.Listen listen() {
      return new ProxySettings.Listen(
          address,
          maxClients,
          password,
          Duration.ZERO,
          512 * 1024 * 1024,
          arrivals,
          clientLimits,
          crossSlot,
          users);
    }

    private ProxySettings.Backend backend(Duration timeout) {
      return new ProxySettings.Backend(
          connectTimeout,
          timeout,
          connectionsPerLoop,
          exclusiveConnections,
          new ProxySettings.FailoverHold(failoverHold, 10_000),
          bounds);
    }

    /** Starts the proxy and waits until every slot is covered. */
    public ProxyFixture startReady() {
      ProxyFixture started = start();
      try {
        return started.ready();
      } catch (RuntimeException e) {
        started.close();
        throw e;
      }
    }
  }
}
