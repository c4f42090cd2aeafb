package io.penstock.server.fault;

import io.penstock.core.discovery.ClusterUpstreamSettings;
import io.penstock.core.transport.Transport;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.NodeTransport;
import io.penstock.server.it.BackgroundChanges;
import io.penstock.server.it.Keys;
import io.penstock.server.it.ProxyFixture;
import io.penstock.server.it.SharedCluster;
import io.penstock.server.it.TlsOfTests;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.network.Relay;
import io.penstock.testkit.tls.TestAuthority;
import io.penstock.testkit.wire.RespClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** A cluster of three masters with a replica each. */
final class ClusterTestbed implements FaultTestbed {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final EmbeddedCluster cluster;
  private final Relays relays = new Relays();
  private final ProxyFixture proxy;
  private final Relay clientRelay;
  private final List<Integer> slots;
  private final @Nullable TestAuthority authority; // null without TLS
  private @Nullable BackgroundChanges changes;
  private volatile List<Member> lastMasters;
  private volatile long failedOverAt = System.nanoTime();

  private ClusterTestbed(boolean tls, UnaryOperator<ProxyFixture.Builder> settings) {
    this.authority = tls ? TlsOfTests.AUTHORITY : null;
    cluster =
        builder(authority)
            .option("cluster-require-full-coverage", "no")
            .option("replica-serve-stale-data", "no")
            .option("bind-source-addr", Relays.NODES)
            .option("loading-process-events-interval-bytes", "1024")
            .start();
    try {
      announceRelays();
      List<Endpoint> seeds = new ArrayList<>();
      relays.all().forEach(relay -> seeds.add(new Endpoint("127.0.0.1", relay.port())));
      proxy =
          settings
              .apply(
                  ProxyFixture.of(
                      new ClusterUpstreamSettings(
                          seeds, null, NodeTransport.of(tls ? TlsOfTests.nodes() : null))))
              .emulatesCrossSlot()
              .startReady();
    } catch (RuntimeException e) {
      closeNodes();
      throw e;
    }
    clientRelay = Relay.to(proxy.host(), proxy.port());
    slots = Keys.slotsOfMasters(cluster);
    lastMasters = cluster.masters();
  }

  static ClusterTestbed start(Transport transport, Duration commandTimeout) {
    return start(proxy -> proxy.transport(transport).commandTimeout(commandTimeout));
  }

  /** Starts it with other settings of the proxy. */
  static ClusterTestbed start(UnaryOperator<ProxyFixture.Builder> settings) {
    return new ClusterTestbed(false, settings);
  }

  /** Starts it with TLS between clients and Penstock, and between Penstock and the nodes. */
  static ClusterTestbed startWithTls(Transport transport, Duration commandTimeout) {
    return new ClusterTestbed(
        true,
        proxy ->
            proxy.transport(transport).commandTimeout(commandTimeout).tls(TlsOfTests.listener()));
  }

  /** Starts it, and changes the settings of the proxy all the time. */
  static ClusterTestbed startWithChanges(Transport transport, Duration commandTimeout) {
    ClusterTestbed started = start(transport, commandTimeout);
    started.changes = BackgroundChanges.of(started.proxy.proxy());
    return started;
  }

  private static EmbeddedCluster.Builder builder(@Nullable TestAuthority authority) {
    EmbeddedCluster.Builder cluster = SharedCluster.builder();
    return authority == null ? cluster : cluster.tls(authority.files(authority.issue("node")));
  }

  @Override
  public ClientAddress clientAddress() {
    return new ClientAddress("127.0.0.1", clientRelay.port(), authority);
  }

  private void announceRelays() {
    for (Member member : cluster.members()) {
      Relay relay = relays.add(member.server());
      String announced = authority == null ? "cluster-announce-port" : "cluster-announce-tls-port";
      member.text("CONFIG", "SET", announced, Integer.toString(relay.port()));
      member.text("CONFIG", "REWRITE"); // survives a restart
    }
    Awaitility.await("all nodes know the relays").atMost(PATIENCE).until(this::relaysAreKnown);
    cluster.awaitHealthy();
  }

  private boolean relaysAreKnown() {
    for (Member member : cluster.members()) {
      String nodes = nodes(member);
      if (!relays.all().stream().allMatch(r -> nodes.contains("127.0.0.1:" + r.port() + "@"))) {
        return false;
      }
    }
    return true;
  }

  /** Returns the node's view as Penstock gets it: with ports for TLS, if that is used. */
  private String nodes(Member member) {
    if (authority == null) {
      return member.text("CLUSTER", "NODES");
    }
    try (RespClient client =
        RespClient.open(member.host(), member.tlsPort(), authority.clients())) {
      return client.text("CLUSTER", "NODES");
    }
  }

  EmbeddedCluster cluster() {
    return cluster;
  }

  @Override
  public ProxyFixture proxy() {
    return proxy;
  }

  @Override
  public Relay clientRelay() {
    return clientRelay;
  }

  /** Returns the relay between Penstock and a node. */
  Relay relayOf(Member member) {
    return relayOf(member.server());
  }

  @Override
  public Relay relayOf(ServerProcess node) {
    return relays.of(node);
  }

  @Override
  public List<Relay> relays() {
    return relays.all();
  }

  @Override
  public ServerProcess anyMaster(Random random) {
    return anyMasterMember(random).server();
  }

  Member anyMasterMember(Random random) {
    List<Member> masters = cluster.masters();
    lastMasters = masters;
    return masters.get(random.nextInt(masters.size()));
  }

  @Override
  public Relay anyMasterRelay(Random random) {
    List<Member> masters = lastMasters;
    return relayOf(masters.get(random.nextInt(masters.size())));
  }

  /** Records that a shard has a new master. */
  void recordFailover() {
    lastMasters = cluster.masters();
    failedOverAt = System.nanoTime();
  }

  /**
   * Waits until masters can vote for a replica of any shard: they vote once in two node timeouts,
   * and a master that hands over delays its clients' commands until they do.
   */
  void awaitVotes() {
    long votes = failedOverAt + 2 * SharedCluster.NODE_TIMEOUT.toNanos();
    LockSupport.parkNanos(votes - System.nanoTime());
  }

  @Override
  public List<String> tags() {
    return slots.stream().map(Keys::tag).toList();
  }

  /** Returns the slots of these tags. */
  List<Integer> usedSlots() {
    return slots;
  }

  private void closeNodes() {
    cluster.close();
    relays.close();
  }

  @Override
  public void close() {
    try {
      if (changes != null) {
        changes.close();
      }
    } finally {
      closeAll();
    }
  }

  private void closeAll() {
    clientRelay.close();
    proxy.close();
    closeNodes();
  }
}
