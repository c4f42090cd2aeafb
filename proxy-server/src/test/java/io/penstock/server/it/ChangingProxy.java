package io.penstock.server.it;

import io.penstock.core.Proxy;
import io.penstock.core.assembly.ProxyListener;
import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.assembly.ProxySettings.Listener;
import io.penstock.core.assembly.ProxySettings.Upstream;
import io.penstock.core.assembly.ProxyUpstream;
import io.penstock.core.backend.QueueLimits;
import io.penstock.core.change.ChangePlan;
import io.penstock.core.command.CommandRules;
import io.penstock.core.crossslot.CrossSlotSettings;
import io.penstock.core.limit.ClientLimits;
import io.penstock.core.listener.AcceptSettings;
import io.penstock.core.listener.ListenAddress;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.topology.SingleUpstreamSettings;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.transport.Transport;
import io.penstock.core.upstream.Credentials;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** A running proxy whose settings a test changes: it sets fields, and applies them. */
final class ChangingProxy implements AutoCloseable {

  static final Duration PATIENCE = Duration.ofSeconds(20);

  final Map<String, ListenerSpec> listeners = new LinkedHashMap<>();
  final Map<String, UpstreamSpec> upstreams = new LinkedHashMap<>();
  List<ProxySettings.Shadow> shadows = List.of();
  List<ProxySettings.Mirror> mirrors = List.of();
  CommandRules commands = CommandRules.NONE;
  Duration drainTimeout = Duration.ofSeconds(30);
  int eventLoops = 2;
  private @Nullable Proxy proxy;

  /** The settings of a listener. */
  static final class ListenerSpec {

    String upstream;
    int port;
    @Nullable String password;
    Duration passwordOverlap = Duration.ZERO;
    int maxClients = 100;
    int maxBulkLength = 1 << 20;
    AcceptSettings arrivals = AcceptSettings.DEFAULTS;
    ClientLimits limits = ClientLimits.DEFAULTS;

    ListenerSpec(String upstream) {
      this.upstream = upstream;
    }
  }

  /** The settings of an upstream. */
  static final class UpstreamSpec {

    UpstreamSettings kind;
    Duration commandTimeout = Duration.ofSeconds(2);
    Duration hold = Duration.ofSeconds(5);
    int connectionsPerLoop = 1;
    ReadSettings reads = ReadSettings.MASTER_ONLY;

    UpstreamSpec(UpstreamSettings kind) {
      this.kind = kind;
    }
  }

  /** Adds a listener on a free port. */
  ListenerSpec listener(String name, String upstream) {
    var spec = new ListenerSpec(upstream);
    listeners.put(name, spec);
    return spec;
  }

  UpstreamSpec upstream(String name, UpstreamSettings kind) {
    var spec = new UpstreamSpec(kind);
    upstreams.put(name, spec);
    return spec;
  }

  UpstreamSpec upstream(String name, ServerProcess server) {
    return upstream(name, single(server, null));
  }

  /** Returns the settings of a single server. */
  static SingleUpstreamSettings single(ServerProcess server, @Nullable String password) {
    return new SingleUpstreamSettings(
        new Endpoint(server.host(), server.port()),
        password == null ? null : new Credentials(null, password),
        0);
  }

  /** Returns the settings as the fields are now. */
  ProxySettings settings() {
    return new ProxySettings(
        listeners.entrySet().stream().map(ChangingProxy::listener).toList(),
        upstreams.entrySet().stream().map(ChangingProxy::upstream).toList(),
        shadows,
        mirrors,
        DispatchMode.dispatch(),
        commands,
        Transport.AUTO,
        eventLoops,
        Duration.ofMillis(5),
        drainTimeout);
  }

  private static Listener listener(Map.Entry<String, ListenerSpec> named) {
    ListenerSpec spec = named.getValue();
    return new Listener(
        named.getKey(),
        spec.upstream,
        new ProxySettings.Listen(
            new ListenAddress.Tcp("127.0.0.1", spec.port),
            spec.maxClients,
            spec.password,
            spec.passwordOverlap,
            spec.maxBulkLength,
            spec.arrivals,
            spec.limits,
            CrossSlotSettings.REJECT,
            null),
        null);
  }

  private static Upstream upstream(Map.Entry<String, UpstreamSpec> named) {
    UpstreamSpec spec = named.getValue();
    return new Upstream.Resp(
        named.getKey(),
        spec.kind,
        new ProxySettings.Backend(
            Duration.ofSeconds(1),
            spec.commandTimeout,
            spec.connectionsPerLoop,
            100,
            new ProxySettings.FailoverHold(spec.hold, 1_000),
            QueueLimits.DEFAULTS),
        new ProxySettings.Refresh(Duration.ofSeconds(30), Duration.ofMillis(250)),
        spec.reads);
  }

  /** Starts the proxy and waits until all listeners are ready. */
  ChangingProxy start() {
    proxy = Proxy.create(settings(), ProxyEvents.NONE);
    ProxyFixture.await(proxy().start());
    Awaitility.await().atMost(PATIENCE).until(() -> proxy().isReady());
    return this;
  }

  Proxy proxy() {
    return Objects.requireNonNull(proxy);
  }

  /** Applies the fields. Throws what the change fails with. */
  ChangePlan apply() {
    try {
      return ProxyFixture.await(proxy().apply(settings()));
    } catch (IllegalStateException e) {
      throw e.getCause() instanceof ExecutionException failed
              && failed.getCause() instanceof RuntimeException cause
          ? cause
          : e;
    }
  }

  ProxyListener listener(String name) {
    return proxy().listeners().stream()
        .filter(each -> each.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  ProxyUpstream upstream(String name) {
    return proxy().upstreams().stream()
        .filter(each -> each.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  int port(String name) {
    return Objects.requireNonNull(listener(name).address()).getPort();
  }

  RespClient connect(String name) {
    return RespClient.open("127.0.0.1", port(name));
  }

  Set<String> names() {
    return Set.copyOf(proxy().listeners().stream().map(ProxyListener::name).toList());
  }

  /**
   * Returns the lines of a server's list of clients that are Penstock's connections for requests.
   */
  static List<String> connections(RespClient server) {
    return server
        .text("CLIENT", "LIST")
        .lines()
        .filter(line -> line.contains("name=penstock:"))
        .toList();
  }

  @Override
  public void close() {
    if (proxy != null) {
      ProxyFixture.await(proxy.shutdown());
    }
  }
}
