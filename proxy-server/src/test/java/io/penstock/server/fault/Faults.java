package io.penstock.server.fault;

import io.penstock.server.fault.Fault.Place;
import io.penstock.server.fault.FaultTimeline.Entry;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.network.Relay;
import io.penstock.testkit.network.Relay.Direction;
import io.penstock.testkit.network.Relay.End;
import io.penstock.testkit.wire.RespClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/** All faults, with the errors that clients may get during each. */
final class Faults {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** No client may get an error. */
  private static final Set<String> NONE = Set.of();

  /**
   * A connection to a node is lost: a command that may have run there is not repeated. CLOSED is
   * for a client that had received a part of a large reply.
   */
  private static final Set<String> LOST = Set.of("CONNLOST", "CLOSED");

  /** A node does not answer for longer than the command timeout. */
  private static final Set<String> SILENT = with(LOST, Set.of("TIMEOUT"));

  /** The connection of the client is lost. */
  private static final Set<String> CLIENT = Set.of("CLOSED", "REFUSED");

  /**
   * Requests in a failover hold fail when their client sends no more, with the error of the hold.
   */
  private static final Set<String> HALF_CLOSED =
      with(
          CLIENT,
          Set.of("UNAVAILABLE", "TRYAGAIN", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "LOADING"));

  private Faults() {}

  static List<Fault> all() {
    List<Fault> all = new ArrayList<>();
    all.addAll(nodeConnectionFaults());
    all.addAll(clientConnectionFaults());
    all.addAll(nodeFaults());
    all.addAll(errorReplyFaults());
    return all;
  }

  static Fault named(String name) {
    return all().stream().filter(fault -> fault.name().equals(name)).findFirst().orElseThrow();
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

  private static List<Fault> nodeFaults() {
    return List.of(
        node("a master is killed", LOST, Faults::killMaster),
        node("a replica is killed", NONE, Faults::killReplica),
        node("a master is replaced at its address", LOST, Faults::replaceMaster),
        node("a master is frozen briefly", NONE, Faults::freezeShortly),
        node("a master is frozen", SILENT, Faults::freeze),
        node("a planned failover", NONE, Faults::failover),
        node("a demoted master copies everything", NONE, Faults::demote),
        node("slots move", NONE, Faults::moveSlots));
  }

  /** Nodes that answer with errors. */
  private static List<Fault> errorReplyFaults() {
    return List.of(
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
        node("a password changes", with(LOST, Set.of("NOAUTH")), Faults::password));
  }

  private static Set<String> with(Set<String> errors, Set<String> more) {
    Set<String> all = new HashSet<>(errors);
    all.addAll(more);
    return all;
  }

  private static Fault network(String name, Set<String> errors, Fault.Action action) {
    return new Fault(name, Place.NETWORK, errors, action);
  }

  private static Fault node(String name, Set<String> errors, Fault.Action action) {
    return new Fault(name, Place.CLUSTER, errors, action);
  }

  /** Keeps a state for a fixed time; this is not a wait for a condition. */
  private static void during(long millis, Runnable begin, Runnable end) {
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

  private static void killMaster(FaultTestbed testbed, Random random, Entry entry) {
    Member master = testbed.anyMaster(random);
    Member replica = testbed.cluster().replicasOf(master).getFirst();
    entry.beginWriteLoss();
    master.kill();
    testbed.cluster().awaitMaster(replica);
    entry.endWriteLoss();
    testbed.recordFailover();
    master.restart();
    testbed.cluster().awaitHealthy();
  }

  private static void killReplica(FaultTestbed testbed, Random random, Entry entry) {
    Member replica = testbed.cluster().replicasOf(testbed.anyMaster(random)).getFirst();
    replica.kill();
    replica.restart();
    testbed.cluster().awaitHealthy();
  }

  /** As when a container restarts without its volume: a new node with the same address. */
  private static void replaceMaster(FaultTestbed testbed, Random random, Entry entry) {
    Member master = testbed.anyMaster(random);
    Member replica = testbed.cluster().replicasOf(master).getFirst();
    entry.beginWriteLoss();
    master.kill();
    testbed.cluster().awaitMaster(replica);
    entry.endWriteLoss();
    testbed.recordFailover();
    String oldId = master.id();
    try {
      Files.delete(master.server().folder().resolve("nodes.conf"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    master.restart();
    for (Member other : testbed.cluster().members()) {
      if (other != master) {
        other.text("CLUSTER", "FORGET", oldId);
      }
    }
    master.text("CLUSTER", "MEET", replica.host(), Integer.toString(replica.port()));
    Awaitility.await("the new node knows its master")
        .atMost(PATIENCE)
        .ignoreException(RespClient.ErrorReply.class)
        .until(() -> master.text("CLUSTER", "REPLICATE", replica.id()).equals("OK"));
    testbed.cluster().awaitHealthy();
  }

  private static void freezeShortly(FaultTestbed testbed, Random random, Entry entry) {
    Member master = testbed.anyMaster(random);
    during(100 + random.nextInt(400), master::pause, master::resume);
  }

  private static void freeze(FaultTestbed testbed, Random random, Entry entry) {
    Member master = testbed.anyMaster(random);
    Member replica = testbed.cluster().replicasOf(master).getFirst();
    entry.beginWriteLoss();
    master.pause();
    try {
      Awaitility.await("the replica takes over")
          .atMost(PATIENCE)
          .until(() -> replica.text("INFO", "replication").contains("role:master"));
    } finally {
      master.resume();
    }
    Awaitility.await("the old master becomes a replica")
        .atMost(PATIENCE)
        .until(() -> master.text("INFO", "replication").contains("role:slave"));
    entry.endWriteLoss();
    testbed.cluster().awaitHealthy(); // it does not report its role while it is loading
    testbed.recordFailover();
  }

  private static void failover(FaultTestbed testbed, Random random, Entry entry) {
    failover(testbed, testbed.cluster().replicasOf(testbed.anyMaster(random)).getFirst());
  }

  private static void failover(FaultTestbed testbed, Member replica) {
    testbed.awaitVotes();
    testbed.cluster().failover(replica);
    testbed.recordFailover();
  }

  /**
   * The demoted master rejects writes, and for seconds also reads until it has copied the new
   * master: READONLY and MASTERDOWN for commands without keys from clients that do not know of the
   * failover.
   */
  private static void demote(FaultTestbed testbed, Random random, Entry entry) {
    Member replica = testbed.cluster().replicasOf(testbed.anyMaster(random)).getFirst();
    replica.text("DEBUG", "CHANGE-REPL-ID"); // prevents a partial resynchronization
    replica.text("CONFIG", "SET", "repl-diskless-sync-delay", "2");
    failover(testbed, replica);
    replica.text("CONFIG", "SET", "repl-diskless-sync-delay", "0");
  }

  /** Moves each slot that clients use, and some others, once. */
  private static void moveSlots(FaultTestbed testbed, Random random, Entry entry) {
    List<Member> masters = testbed.cluster().masters();
    Set<Integer> slots = new LinkedHashSet<>(testbed.usedSlots());
    while (slots.size() < 30) {
      slots.add(random.nextInt(16_384));
    }
    try (SlotMover mover = new SlotMover(testbed.cluster())) {
      for (int slot : slots) {
        Member from = testbed.cluster().masterOf(slot);
        Member to = masters.get((masters.indexOf(from) + 1 + random.nextInt(2)) % 3);
        mover.move(slot, from, to, 1 + random.nextInt(10));
      }
    }
  }

  private static void maxClients(FaultTestbed testbed, Random random, Entry entry) {
    Member master = testbed.anyMaster(random);
    configure(master, "maxclients", "1", "10000", () -> testbed.relayOf(master).cut(End.RST));
  }

  /** Existing connections continue to work; new ones fail to authenticate. */
  private static void password(FaultTestbed testbed, Random random, Entry entry) {
    Member master = testbed.anyMaster(random);
    configure(master, "requirepass", "another", "", () -> testbed.relayOf(master).cut(End.RST));
  }

  private static void configure(
      Member member, String key, String bad, String good, Runnable afterwards) {
    Consumer<RespClient> restore = admin -> admin.value("CONFIG", "SET", key, good);
    try (RespClient admin = member.server().connect()) {
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
    Member master = testbed.anyMaster(random);
    long keys = Math.max(1, Long.parseLong(master.text("DBSIZE")));
    master.text("CONFIG", "SET", "key-load-delay", Long.toString(500_000 / keys));
    master.text("DEBUG", "RELOAD");
    master.text("CONFIG", "SET", "key-load-delay", "0");
  }
}
