package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.core.assembly.ProxyUpstream;
import io.penstock.core.command.CommandRules;
import io.penstock.core.discovery.ClusterUpstreamSettings;
import io.penstock.core.limit.ClientLimits;
import io.penstock.core.listener.AcceptSettings;
import io.penstock.core.topology.SingleUpstreamSettings;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ReadFrom;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.WeakReference;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Hundreds of random changes of the settings, valid and invalid, while clients are busy. No request
 * fails, none is lost, and nothing is left of what the changes made. {@code -Dpenstock.seed} and
 * {@code -Dpenstock.changes} search further.
 */
@ExtendWith(SharedCluster.class)
class RandomChangesIT {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final long SEED = Long.getLong("penstock.seed", 31);
  private static final int CHANGES = Integer.getInteger("penstock.changes", 200);
  private static final String KEY = "random-changes";

  /** Kinds of changes; a change consists of up to three. */
  private static final int KINDS = 9;

  private final Random random = new Random(SEED);
  private final ServerProcess one = ServerProcess.start();
  private final ServerProcess two = ServerProcess.start();
  private final UpstreamSettings cluster;
  private final ChangingProxy proxy = new ChangingProxy();
  private final ChangingProxy.UpstreamSpec moving;
  private final ChangingProxy.ListenerSpec concerned;
  private final List<WeakReference<ProxyUpstream>> replaced = new ArrayList<>();
  private final List<RespClient> subscribers = new ArrayList<>();
  private int passwords;

  RandomChangesIT(EmbeddedCluster servers) {
    cluster =
        new ClusterUpstreamSettings(
            servers.members().stream().map(ProxyFixture::node).toList(),
            ProxyFixture.credentials(servers.user(), servers.password()));
    proxy.upstream("steady", one).commandTimeout = Duration.ofSeconds(20);
    moving = proxy.upstream("moving", two);
    proxy.listener("steady", "steady");
    concerned = proxy.listener("concerned", "moving");
    proxy.drainTimeout = Duration.ofSeconds(1);
  }

  @AfterEach
  void stop() {
    proxy.close();
    one.close();
    two.close();
  }

  private void changeSomething() {
    switch (random.nextInt(KINDS)) {
      case 0 -> moving.kind = anyServers();
      case 1 -> {
        moving.commandTimeout = Duration.ofMillis(5_000 + random.nextInt(1_000));
        moving.hold = Duration.ofMillis(6_000 + random.nextInt(1_000));
      }
      case 2 -> moving.connectionsPerLoop = 1 + random.nextInt(3);
      case 3 ->
          moving.reads =
              random.nextBoolean()
                  ? ReadSettings.MASTER_ONLY
                  : ReadSettings.of(ReadFrom.REPLICA_PREFERRED);
      case 4 ->
          proxy.commands =
              CommandRules.of(List.of(), random.nextBoolean() ? List.of() : List.of("@scripting"));
      case 5 -> {
        concerned.password = random.nextBoolean() ? null : "password-" + passwords++;
        concerned.passwordOverlap = Duration.ofMillis(random.nextInt(1_000));
      }
      case 6 -> {
        concerned.limits = limits();
        concerned.maxClients = 50 + random.nextInt(50);
        concerned.maxBulkLength = 1_000_000 + random.nextInt(1_000_000);
        concerned.arrivals =
            new AcceptSettings(
                random.nextInt(2) * 10_000, Duration.ofMinutes(1 + random.nextInt(9)));
      }
      case 7 -> {
        String name = "extra-" + random.nextInt(3);
        if (proxy.listeners.remove(name) == null) {
          proxy.listener(name, random.nextBoolean() ? "steady" : "moving");
        }
      }
      case 8 -> {
        if (proxy.upstreams.remove("another") == null) {
          proxy.upstream("another", anyServers());
          proxy.listener("another", "another");
        } else {
          proxy.listeners.remove("another");
        }
      }
      default -> throw new AssertionError();
    }
  }

  private UpstreamSettings anyServers() {
    return switch (random.nextInt(3)) {
      case 0 -> ChangingProxy.single(one, null);
      case 1 -> ChangingProxy.single(two, null);
      default -> cluster;
    };
  }

  private ClientLimits limits() {
    ClientLimits usual = ClientLimits.DEFAULTS;
    return new ClientLimits(
        usual.normal(),
        usual.subscribers(),
        usual.memory() - random.nextInt(1_000),
        usual.timeouts(),
        10 + random.nextInt(4_000),
        usual.totalInFlight(),
        usual.patterns());
  }

  private void apply(int number) {
    List<ProxyUpstream> before = proxy.proxy().upstreams();
    int parts = 1 + random.nextInt(3);
    for (int i = 0; i < parts; i++) {
      changeSomething();
    }
    try {
      proxy.apply();
    } catch (RuntimeException e) {
      throw new AssertionError("change " + number + " of seed " + SEED + " failed", e);
    }
    before.stream()
        .filter(each -> !proxy.proxy().upstreams().contains(each))
        .forEach(each -> replaced.add(new WeakReference<>(each)));
  }

  /** Applies a change that must be rejected as a whole. */
  private void applyInvalid() throws IOException {
    String address = "invalid-" + random.nextInt();
    int maxClients = concerned.maxClients;
    concerned.maxClients = 1;
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      proxy.listener(address, "steady").port = taken.getLocalPort();
      if (random.nextInt(20) == 0) {
        UpstreamSettings right = moving.kind;
        moving.kind = new SingleUpstreamSettings(new Endpoint("127.0.0.1", 1), null, 0);
        assertThatThrownBy(proxy::apply).as("seed %d", SEED).hasMessageContaining("127.0.0.1:1");
        moving.kind = right;
      } else {
        assertThatThrownBy(proxy::apply).as("seed %d", SEED).hasMessageContaining("cannot listen");
      }
    }
    proxy.listeners.remove(address);
    concerned.maxClients = maxClients;
    assertThat(proxy.proxy().plan(proxy.settings()).isEmpty()).isTrue();
  }

  private long counted() {
    long sum = Long.parseLong(one.text("GET", KEY)) + Long.parseLong(two.text("GET", KEY));
    try (ProxyFixture direct = ProxyFixture.of(cluster).startReady();
        RespClient client = direct.connect()) {
      return sum + Long.parseLong(Wire.content(client.call("GET", KEY)));
    }
  }

  @Test
  void noRequestFailsAndNothingIsLeftBehind() throws IOException {
    System.out.println("random changes: " + CHANGES + ", -Dpenstock.seed=" + SEED);
    proxy.start();
    for (UpstreamSettings each : List.of(cluster, ChangingProxy.single(one, null))) {
      moving.kind = each; // all paths have been used when threads are counted
      proxy.apply();
    }
    resetCounters();
    connectEachLoop();
    int threads = Thread.activeCount();
    long sockets = openSockets();
    try (var steady = new BusyClient(proxy.connect("steady"), "steady", 10);
        var pipelining = new BusyClient(proxy.connect("concerned"), KEY, 50);
        var waiting = new BusyClient(proxy.connect("concerned"), KEY, 1)) {
      for (int i = 0; i < CHANGES; i++) {
        if (random.nextInt(5) == 0) {
          applyInvalid();
        } else {
          apply(i);
        }
        if (i % 10 == 0) {
          subscribe();
        }
        if (i % 20 == 0) {
          List.of(steady, pipelining, waiting).forEach(BusyClient::awaitProgress);
        }
      }
      assertThat(steady.stop()).isPositive();
      assertThat(pipelining.stop() + waiting.stop()).as("seed %d", SEED).isEqualTo(counted());
    }
    subscribers.forEach(RespClient::close);
    assertNothingIsLeft(threads, sockets);
  }

  /** Adds a subscriber, which stays until its servers are replaced. */
  private void subscribe() {
    RespClient subscriber = proxy.connect("concerned");
    subscribers.add(subscriber);
    if (concerned.password != null) {
      assertThat(subscriber.call("AUTH", concerned.password)).isEqualTo("+OK\r\n");
    }
    assertThat(subscriber.call("SUBSCRIBE", KEY)).contains("subscribe");
  }

  /** Has each event loop connect to the nodes of the upstream that never changes. */
  private void connectEachLoop() {
    List<RespClient> clients = new ArrayList<>();
    for (int i = 0; i < proxy.eventLoops; i++) {
      RespClient client = proxy.connect("steady");
      client.call("GET", KEY);
      clients.add(client);
    }
    clients.forEach(RespClient::close);
  }

  private void resetCounters() {
    one.text("SET", KEY, "0");
    two.text("SET", KEY, "0");
    try (ProxyFixture direct = ProxyFixture.of(cluster).startReady();
        RespClient client = direct.connect()) {
      client.call("SET", KEY, "0");
    }
  }

  private void assertNothingIsLeft(int threads, long sockets) {
    proxy.listeners.keySet().removeIf(name -> !name.equals("steady"));
    proxy.upstreams.keySet().removeIf(name -> !name.equals("steady"));
    List<WeakReference<ProxyUpstream>> gone = new ArrayList<>(replaced);
    proxy.proxy().upstreams().stream()
        .filter(each -> !each.name().equals("steady"))
        .forEach(each -> gone.add(new WeakReference<>(each)));
    proxy.apply();
    assertThat(gone).hasSizeGreaterThan(CHANGES / 10);
    Awaitility.await()
        .atMost(PATIENCE)
        .untilAsserted(() -> {
          System.gc();
          assertThat(gone).allMatch(each -> each.get() == null);
          assertThat(Thread.activeCount()).isLessThanOrEqualTo(threads);
          assertThat(openSockets()).isLessThanOrEqualTo(sockets);
          assertThat(two.text("CLIENT", "LIST").lines()).hasSize(1); // this one
        });
  }

  /** Returns 0 where there is no {@code /proc}. */
  private static long openSockets() {
    Path files = Path.of("/proc/self/fd");
    if (!Files.isDirectory(files)) {
      return 0;
    }
    try (Stream<Path> all = Files.list(files)) {
      return all.filter(RandomChangesIT::isSocket).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isSocket(Path file) {
    try {
      return Files.readSymbolicLink(file).toString().startsWith("socket:");
    } catch (IOException e) {
      return false; // closed meanwhile
    }
  }
}
