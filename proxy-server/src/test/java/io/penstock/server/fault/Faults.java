package io.penstock.server.fault;

import io.penstock.server.fault.Fault.Place;
import io.penstock.server.fault.FaultTimeline.Entry;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.network.Relay;
import io.penstock.testkit.network.Relay.Direction;
import io.penstock.testkit.network.Relay.End;
import io.penstock.testkit.wire.RespClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/**
 * The faults that any upstream can have, with the errors that clients may get during each. {@link
 * ClusterFaults} and {@link SentinelFaults} have those that change roles.
 */
final class Faults {

  static final Duration PATIENCE = Duration.ofSeconds(30);

  /** No client may get an error. */
  static final Set<String> NONE = Set.of();

  /**
   * A connection to a node is lost: a command that may have run there is not repeated. CLOSED is
   * for a client that had received a part of a large reply.
   */
  static final Set<String> LOST = Set.of("CONNLOST", "CLOSED");

  /** A node does not answer for longer than the command timeout. */
  static final Set<String> SILENT = with(LOST, Set.of("TIMEOUT"));

  /** The connection of the client is lost. */
  private static final Set<String> CLIENT = Set.of("CLOSED", "REFUSED");

  /**
   * Requests in a failover hold fail when their client sends no more, with the error of the hold.
   */
  private static final Set<String> HALF_CLOSED =
      with(
          CLIENT,
          Set.of("UNAVAILABLE", "TRYAGAIN", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "LOADING"));

  /**
   * Faults of the network that a build runs for each kind of upstream; the others do not depend on
   * it.
   */
  private static final Set<String> NETWORK_OF_EACH_UPSTREAM =
      Set.of("all connections are reset", "a node is cut off", "a node refuses connections");

  private Faults() {}

  static List<Fault> all() {
    List<Fault> all = new ArrayList<>();
    all.addAll(nodeConnectionFaults());
    all.addAll(clientConnectionFaults());
    all.addAll(singleNodeFaults());
    return all;
  }

  /** Returns those that a build runs for each kind of upstream. A cluster's run has all. */
  static List<Fault> ofEachUpstream() {
    List<Fault> some = all();
    some.removeIf(fault ->
        fault.place() == Fault.Place.NETWORK && !NETWORK_OF_EACH_UPSTREAM.contains(fault.name()));
    return some;
  }

  /** Between Penstock and the nodes. */
  private static List<Fault> nodeConnectionFaults() {
    return List.of(
        network("connections end", LOST, (s, r, _) -> anyRelay(s, r).cut(End.FIN)),
        network("connections are reset", LOST, (s, r, _) -> anyRelay(s, r).cut(End.RST)),
        network(
            "all connections are reset",
            LOST,
            (s, _, _) -> s.relays().forEach(relay -> relay.cut(End.RST))),
        network("requests are truncated", LOST, (s, r, _) -> truncate(s, r, Direction.THERE)),
        network("replies are truncated", LOST, (s, r, _) -> truncate(s, r, Direction.BACK)),
        network("the network is slow", NONE, Faults::slow),
        network("a node shuts down its output", LOST, (s, r, _) -> halfClose(s, r, Direction.BACK)),
        network(
            "Penstock shuts down its output", LOST, (s, r, _) -> halfClose(s, r, Direction.THERE)),
        network("connections are half-open", SILENT, Faults::halfOpen),
        network("a node is cut off briefly", NONE, (s, r, _) -> split(s, r, false, 500)),
        network("a node is cut off", SILENT, (s, r, _) -> split(s, r, false, 4_500)),
        network("all nodes are cut off", SILENT, (s, r, _) -> split(s, r, true, 4_500)),
        network("a node refuses connections", LOST, Faults::refuse));
  }

  /** Between clients and Penstock. */
  private static List<Fault> clientConnectionFaults() {
    return List.of(
        network("clients are closed", CLIENT, (s, _, _) -> s.clientRelay().cut(End.FIN)),
        network("clients are reset", CLIENT, (s, _, _) -> s.clientRelay().cut(End.RST)),
        network(
            "clients' requests are truncated",
            CLIENT,
            (s, r, _) -> truncate(s.clientRelay(), r, Direction.THERE)),
        network(
            "clients' replies are truncated",
            CLIENT,
            (s, r, _) -> truncate(s.clientRelay(), r, Direction.BACK)),
        network(
            "clients shut down their output",
            HALF_CLOSED,
            (s, _, _) -> clientsHalfClose(s.clientRelay())),
        network(
            "clients are cut off for a while",
            NONE,
            (s, _, _) -> during(1_000, s.clientRelay()::holdBack, s.clientRelay()::release)));
  }

  /** Faults of one node, which stays what it is. */
  private static List<Fault> singleNodeFaults() {
    return List.of(
        node("a master is frozen briefly", NONE, Faults::freezeShortly),
        node("a node has too many clients", LOST, Faults::maxClients),
        node("a master is loading", Set.of("LOADING"), Faults::load),
        node(
            "a master has no memory",
            Set.of("OOM", "EXECABORT"),
            (s, r, _) -> configure(s.anyMaster(r), "maxmemory", "1", "0", () -> {})),
        node(
            "a master wants more replicas",
            Set.of("NOREPLICAS", "EXECABORT"),
            (s, r, _) -> configure(s.anyMaster(r), "min-replicas-to-write", "5", "0", () -> {})),
        node("a password changes", with(LOST, Set.of("UNAVAILABLE")), Faults::password));
  }

  private static Set<String> with(Set<String> errors, Set<String> more) {
    Set<String> all = new HashSet<>(errors);
    all.addAll(more);
    return all;
  }

  private static Fault network(String name, Set<String> errors, Fault.Action action) {
    return new Fault(name, Place.NETWORK, errors, action);
  }

  static Fault node(String name, Set<String> errors, Fault.Action action) {
    return new Fault(name, Place.NODES, errors, action);
  }

  /** Keeps a state for a fixed time; this is not a wait for a condition. */
  static void during(long millis, Runnable begin, Runnable end) {
    begin.run();
    try {
      LockSupport.parkNanos(millis * 1_000_000);
    } finally {
      end.run();
    }
  }

  private static Relay anyRelay(FaultTestbed testbed, Random random) {
    return testbed.anyMasterRelay(random);
  }

  private static End anyEnd(Random random) {
    return random.nextBoolean() ? End.FIN : End.RST;
  }

  private static void truncate(FaultTestbed testbed, Random random, Direction direction) {
    for (int i = 0; i < 5; i++) {
      truncate(anyRelay(testbed, random), random, direction);
    }
  }

  private static void truncate(Relay relay, Random random, Direction direction) {
    // Half of the cuts are inside a small request or reply, half inside a large one.
    int bytes = random.nextInt(random.nextBoolean() ? 200 : 100_000);
    relay.cutAfter(direction, bytes, anyEnd(random));
    try {
      Awaitility.await("a cut after " + bytes + " bytes")
          .atMost(Duration.ofSeconds(5))
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(2))
          .until(() -> !relay.isCutPending());
    } catch (ConditionTimeoutException e) {
      relay.cancelCut(); // too little traffic: its node is no longer a master
    }
  }

  private static void slow(FaultTestbed testbed, Random random, Entry entry) {
    int millis = 5 + random.nextInt(45);
    during(
        1_500,
        () -> testbed.relays().forEach(relay -> relay.delay(Duration.ofMillis(millis))),
        () -> testbed.relays().forEach(relay -> relay.delay(Duration.ZERO)));
  }

  private static void halfClose(FaultTestbed testbed, Random random, Direction direction) {
    Relay relay = anyRelay(testbed, random);
    relay.halfClose(direction);
    during(500, () -> {}, () -> relay.cut(End.FIN));
  }

  private static void clientsHalfClose(Relay clientRelay) {
    clientRelay.halfClose(Direction.THERE);
    during(500, () -> {}, () -> clientRelay.cut(End.FIN));
  }

  /**
   * The connections disappear without a close. The node does not notice, and Penstock has to detect
   * it, even on connections without requests.
   */
  private static void halfOpen(FaultTestbed testbed, Random random, Entry entry) {
    Relay relay = anyRelay(testbed, random);
    relay.halfOpen();
    Awaitility.await("Penstock closes the half-open connections")
        .atMost(PATIENCE)
        .until(relay::nearSidesHaveClosed);
    relay.restore();
  }

  private static void split(FaultTestbed testbed, Random random, boolean all, long millis) {
    List<Relay> relays = all ? testbed.relays() : List.of(anyRelay(testbed, random));
    during(millis, () -> relays.forEach(Relay::holdBack), () -> relays.forEach(Relay::release));
  }

  private static void refuse(FaultTestbed testbed, Random random, Entry entry) {
    Relay relay = anyRelay(testbed, random);
    during(
        3_000,
        () -> {
          relay.refuseConnections();
          relay.cut(End.RST);
        },
        relay::acceptConnections);
  }

  private static void freezeShortly(FaultTestbed testbed, Random random, Entry entry) {
    ServerProcess master = testbed.anyMaster(random);
    during(100 + random.nextInt(400), master::pause, master::resume);
  }

  private static void maxClients(FaultTestbed testbed, Random random, Entry entry) {
    ServerProcess master = testbed.anyMaster(random);
    configure(master, "maxclients", "1", "10000", () -> testbed.relayOf(master).cut(End.RST));
  }

  /** Existing connections continue to work; new ones fail to authenticate. */
  private static void password(FaultTestbed testbed, Random random, Entry entry) {
    ServerProcess master = testbed.anyMaster(random);
    configure(master, "requirepass", "another", "", () -> testbed.relayOf(master).cut(End.RST));
  }

  private static void configure(
      ServerProcess node, String key, String bad, String good, Runnable afterwards) {
    Consumer<RespClient> restore = admin -> admin.value("CONFIG", "SET", key, good);
    try (RespClient admin = node.connect()) {
      during(
          1_500,
          () -> {
            admin.value("CONFIG", "SET", key, bad);
            afterwards.run();
          },
          () -> restore.accept(admin));
    }
  }

  /** Loads for less than the node timeout, so that the others do not mark the master as failed. */
  private static void load(FaultTestbed testbed, Random random, Entry entry) {
    ServerProcess master = testbed.anyMaster(random);
    long keys = Math.max(1, Long.parseLong(master.text("DBSIZE")));
    master.text("CONFIG", "SET", "key-load-delay", Long.toString(500_000 / keys));
    master.text("DEBUG", "RELOAD");
    master.text("CONFIG", "SET", "key-load-delay", "0");
  }
}
