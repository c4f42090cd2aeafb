package io.penstock.server.fault;

import io.penstock.core.topology.ClusterUpstreamSettings;
import io.penstock.core.transport.Transport;
import io.penstock.core.upstream.Endpoint;
import io.penstock.server.it.Keys;
import io.penstock.server.it.ProxyFixture;
import io.penstock.server.it.SharedCluster;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.network.Relay;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;

/**
 * Three masters with a replica each, a relay in front of each node, Penstock, which only knows the
 * relays, and a relay in front of Penstock. Faults of the relays do not affect connections between
 * nodes.
 */
final class FaultTestbed implements AutoCloseable {

  /**
   * The address that nodes connect from. Their connections to other nodes are exempt from faults.
   */
  private static final String NODES = "127.0.0.2";

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final EmbeddedCluster cluster;
  private final Map<Member, Relay> relays = new LinkedHashMap<>();
  private final ProxyFixture proxy;
  private final Relay clientRelay;
  private final List<Integer> slots;
  private volatile List<Member> lastMasters;
  private volatile long failedOverAt = System.nanoTime();

  private FaultTestbed(UnaryOperator<ProxyFixture.Builder> settings) {
    cluster =
        SharedCluster.builder()
            .option("cluster-require-full-coverage", "no")
            .option("replica-serve-stale-data", "no")
            .option("bind-source-addr", NODES)
            .option("enable-debug-command", "yes")
            .option("loading-process-events-interval-bytes", "1024")
            .start();
    try {
      announceRelays();
      List<Endpoint> seeds = new ArrayList<>();
      relays.values().forEach(relay -> seeds.add(new Endpoint("127.0.0.1", relay.port())));
      proxy =
          settings.apply(ProxyFixture.of(new ClusterUpstreamSettings(seeds, null))).startReady();
    } catch (RuntimeException e) {
      closeNodes();
      throw e;
    }
    clientRelay = Relay.to(proxy.host(), proxy.port());
    slots = Keys.slotsOfMasters(cluster);
    lastMasters = cluster.masters();
  }

  static FaultTestbed start(Transport transport, Duration commandTimeout) {
    return start(proxy -> proxy.transport(transport).commandTimeout(commandTimeout));
  }

  /** Starts it with other settings of the proxy. */
  static FaultTestbed start(UnaryOperator<ProxyFixture.Builder> settings) {
    return new FaultTestbed(settings);
  }

  private void announceRelays() {
    for (Member member : cluster.members()) {
      Relay relay = Relay.to(member.host(), member.port(), FaultTestbed::isNode);
      relays.put(member, relay);
      member.text("CONFIG", "SET", "cluster-announce-port", Integer.toString(relay.port()));
      member.text("CONFIG", "REWRITE"); // survives a restart
    }
    Awaitility.await("all nodes know the relays").atMost(PATIENCE).until(this::relaysAreKnown);
    cluster.awaitHealthy();
  }

  private static boolean isNode(InetAddress peer) {
    return peer.getHostAddress().equals(NODES);
  }

  private boolean relaysAreKnown() {
    for (Member member : cluster.members()) {
      String nodes = member.text("CLUSTER", "NODES");
      if (!relays.values().stream().allMatch(r -> nodes.contains("127.0.0.1:" + r.port() + "@"))) {
        return false;
      }
    }
    return true;
  }

  EmbeddedCluster cluster() {
    return cluster;
  }

  ProxyFixture proxy() {
    return proxy;
  }

  /** Returns the relay between clients and Penstock. */
  Relay clientRelay() {
    return clientRelay;
  }

  /** Returns the relay between Penstock and a node. */
  Relay relayOf(Member member) {
    Relay relay = relays.get(member);
    if (relay == null) {
      throw new IllegalArgumentException(member + " has no relay");
    }
    return relay;
  }

  /** Returns the relays between Penstock and all nodes. */
  List<Relay> relays() {
    return List.copyOf(relays.values());
  }

  Member anyMaster(Random random) {
    List<Member> masters = cluster.masters();
    lastMasters = masters;
    return masters.get(random.nextInt(masters.size()));
  }

  /** Returns the relay of a random master, or of a node that was a master before a fault. */
  Relay anyMasterRelay(Random random) {
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

  /** Returns the hash tags that clients use, one of each shard at the start. */
  List<String> tags() {
    return slots.stream().map(Keys::tag).toList();
  }

  /** Returns the slots of these tags. */
  List<Integer> usedSlots() {
    return slots;
  }

  private void closeNodes() {
    cluster.close();
    relays.values().forEach(Relay::close);
  }

  @Override
  public void close() {
    clientRelay.close();
    proxy.close();
    closeNodes();
  }
}
