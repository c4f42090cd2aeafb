package io.penstock.server.fault;

import io.penstock.core.topology.ClusterUpstream;
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
 * Three masters with a replica each, a relay before every one of them, Penstock, which knows only
 * the relays, and a relay before Penstock. Nodes reach one another whatever happens to the relays.
 */
final class FaultTestbed implements AutoCloseable {

  /** Where nodes connect from: a node's own connections, to others' announced ports, are exempt. */
  private static final String NODES = "127.0.0.2";

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final EmbeddedCluster cluster;
  private final Map<Member, Relay> relays = new LinkedHashMap<>();
  private final ProxyFixture proxy;
  private final Relay front;
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
      proxy = settings.apply(ProxyFixture.of(new ClusterUpstream(seeds, null))).startReady();
    } catch (RuntimeException e) {
      closeNodes();
      throw e;
    }
    front = Relay.to(proxy.host(), proxy.port());
    slots = Keys.slotsOfMasters(cluster);
    lastMasters = cluster.masters();
  }

  static FaultTestbed start(Transport transport, Duration commandTimeout) {
    return start(proxy -> proxy.transport(transport).commandTimeout(commandTimeout));
  }

  /** With a proxy of other settings. */
  static FaultTestbed start(UnaryOperator<ProxyFixture.Builder> settings) {
    return new FaultTestbed(settings);
  }

  private void announceRelays() {
    for (Member member : cluster.members()) {
      Relay relay = Relay.to(member.host(), member.port(), FaultTestbed::isNode);
      relays.put(member, relay);
      member.text("CONFIG", "SET", "cluster-announce-port", Integer.toString(relay.port()));
      member.text("CONFIG", "REWRITE"); // for when it is started again
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

  /** Between clients and Penstock. */
  Relay front() {
    return front;
  }

  /** Between Penstock and a node. */
  Relay before(Member member) {
    Relay relay = relays.get(member);
    if (relay == null) {
      throw new IllegalArgumentException(member + " has no relay");
    }
    return relay;
  }

  /** Between Penstock and all nodes. */
  List<Relay> relays() {
    return List.copyOf(relays.values());
  }

  Member anyMaster(Random random) {
    List<Member> masters = cluster.masters();
    lastMasters = masters;
    return masters.get(random.nextInt(masters.size()));
  }

  /** Between Penstock and any master, or what was one before something was done to the nodes. */
  Relay anyWire(Random random) {
    List<Member> masters = lastMasters;
    return before(masters.get(random.nextInt(masters.size())));
  }

  /** A shard has another master since now. */
  void failedOver() {
    lastMasters = cluster.masters();
    failedOverAt = System.nanoTime();
  }

  /**
   * Until masters vote for a replica of any shard at once: they do so once in two node timeouts,
   * and a master that hands over holds its clients' commands until they do.
   */
  void awaitVotes() {
    long votes = failedOverAt + 2 * SharedCluster.NODE_TIMEOUT.toNanos();
    LockSupport.parkNanos(votes - System.nanoTime());
  }

  /** Hash tags that clients use, one of each shard as they are in the beginning. */
  List<String> tags() {
    return slots.stream().map(Keys::tag).toList();
  }

  /** The slots that these tags are of. */
  List<Integer> usedSlots() {
    return slots;
  }

  private void closeNodes() {
    cluster.close();
    relays.values().forEach(Relay::close);
  }

  @Override
  public void close() {
    front.close();
    proxy.close();
    closeNodes();
  }
}
