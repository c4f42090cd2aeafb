package io.penstock.server.fault;

import io.penstock.server.fault.Fault.Place;
import io.penstock.server.fault.FaultTimeline.Spell;
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

/** All that is done, and what clients may notice of each. */
final class Faults {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** Nobody may notice. */
  private static final Set<String> NOTHING = Set.of();

  /**
   * A connection to a node is lost: what may have run there is not repeated. CLOSED is for who had
   * got a part of a large reply.
   */
  private static final Set<String> LOST = Set.of("CONNLOST", "CLOSED");

  /** What was sent to a node is not answered for longer than a command waits. */
  private static final Set<String> SILENT = with(LOST, Set.of("TIMEOUT"));

  /** The client's own connection is lost. */
  private static final Set<String> CLIENT = Set.of("CLOSED", "REFUSED");

  /** What is held for a client that sends no more is given up, with the reason it was held for. */
  private static final Set<String> GIVEN_UP =
      with(
          CLIENT,
          Set.of("UNAVAILABLE", "TRYAGAIN", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "LOADING"));

  private Faults() {}

  static List<Fault> all() {
    List<Fault> all = new ArrayList<>();
    all.addAll(wires());
    all.addAll(clientWires());
    all.addAll(nodes());
    all.addAll(refusals());
    return all;
  }

  static Fault named(String name) {
    return all().stream().filter(fault -> fault.name().equals(name)).findFirst().orElseThrow();
  }

  /** Between Penstock and the nodes. */
  private static List<Fault> wires() {
    return List.of(
        network("connections end", LOST, (s, r, _) -> aWire(s, r).cut(End.FIN)),
        network("connections are reset", LOST, (s, r, _) -> aWire(s, r).cut(End.RST)),
        network(
            "all connections are reset",
            LOST,
            (s, _, _) -> s.relays().forEach(relay -> relay.cut(End.RST))),
        network("requests are truncated", LOST, (s, r, _) -> truncate(s, r, Direction.THERE)),
        network("replies are truncated", LOST, (s, r, _) -> truncate(s, r, Direction.BACK)),
        network("the network is slow", NOTHING, Faults::slow),
        network("a node's sending ends", LOST, (s, r, _) -> halfClose(s, r, Direction.BACK)),
        network("Penstock's sending ends", LOST, (s, r, _) -> halfClose(s, r, Direction.THERE)),
        network("connections are half-open", SILENT, Faults::halfOpen),
        network("a node is cut off for a moment", NOTHING, (s, r, _) -> split(s, r, false, 500)),
        network("a node is cut off", SILENT, (s, r, _) -> split(s, r, false, 4_500)),
        network("all nodes are cut off", SILENT, (s, r, _) -> split(s, r, true, 4_500)),
        network("a node refuses connections", LOST, Faults::refuse));
  }

  /** Between clients and Penstock. */
  private static List<Fault> clientWires() {
    return List.of(
        network("clients end", CLIENT, (s, _, _) -> s.front().cut(End.FIN)),
        network("clients are reset", CLIENT, (s, _, _) -> s.front().cut(End.RST)),
        network(
            "clients' requests are truncated",
            CLIENT,
            (s, r, _) -> truncate(s.front(), r, Direction.THERE)),
        network(
            "clients' replies are truncated",
            CLIENT,
            (s, r, _) -> truncate(s.front(), r, Direction.BACK)),
        network("clients' sending ends", GIVEN_UP, (s, _, _) -> clientsHalfClose(s.front())),
        network(
            "clients' network is gone for a while",
            NOTHING,
            (s, _, _) -> during(1_000, s.front()::hold, s.front()::release)));
  }

  private static List<Fault> nodes() {
    return List.of(
        node("a master is killed", LOST, Faults::killMaster),
        node("a replica is killed", NOTHING, Faults::killReplica),
        node("a master is replaced at its address", LOST, Faults::replaceMaster),
        node("a master is frozen for a moment", NOTHING, Faults::freezeShortly),
        node("a master is frozen", SILENT, Faults::freeze),
        node("a planned failover", NOTHING, Faults::failover),
        node("a demoted master copies everything", NOTHING, Faults::demote),
        node("slots move", NOTHING, Faults::moveSlots));
  }

  /** Nodes that answer, but not what they are asked. */
  private static List<Fault> refusals() {
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

  private static Set<String> with(Set<String> words, Set<String> more) {
    Set<String> all = new HashSet<>(words);
    all.addAll(more);
    return all;
  }

  private static Fault network(String name, Set<String> words, Fault.Deed deed) {
    return new Fault(name, Place.NETWORK, words, deed);
  }

  private static Fault node(String name, Set<String> words, Fault.Deed deed) {
    return new Fault(name, Place.CLUSTER, words, deed);
  }

  /** A bounded time of a state, not a wait for one. */
  private static void during(long millis, Runnable begin, Runnable end) {
    begin.run();
    try {
      LockSupport.parkNanos(millis * 1_000_000);
    } finally {
      end.run();
    }
  }

  private static Relay aWire(FaultTestbed scene, Random random) {
    return scene.anyWire(random);
  }

  private static End anyEnd(Random random) {
    return random.nextBoolean() ? End.FIN : End.RST;
  }

  private static void truncate(FaultTestbed scene, Random random, Direction direction) {
    for (int i = 0; i < 5; i++) {
      truncate(aWire(scene, random), random, direction);
    }
  }

  private static void truncate(Relay relay, Random random, Direction direction) {
    // As often amid a small request or its reply as amid a large one.
    int bytes = random.nextInt(random.nextBoolean() ? 200 : 100_000);
    relay.cutAfter(direction, bytes, anyEnd(random));
    try {
      Awaitility.await("a cut after " + bytes + " bytes")
          .atMost(Duration.ofSeconds(5))
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(2))
          .until(() -> !relay.isCutPending());
    } catch (ConditionTimeoutException e) {
      relay.spare(); // so little passes there: its node is no master any more
    }
  }

  private static void slow(FaultTestbed scene, Random random, Spell spell) {
    int millis = 5 + random.nextInt(45);
    during(
        1_500,
        () -> scene.relays().forEach(relay -> relay.delay(Duration.ofMillis(millis))),
        () -> scene.relays().forEach(relay -> relay.delay(Duration.ZERO)));
  }

  private static void halfClose(FaultTestbed scene, Random random, Direction direction) {
    Relay relay = aWire(scene, random);
    relay.halfClose(direction);
    during(500, () -> {}, () -> relay.cut(End.FIN));
  }

  private static void clientsHalfClose(Relay front) {
    front.halfClose(Direction.THERE);
    during(500, () -> {}, () -> front.cut(End.FIN));
  }

  /**
   * The node knows nothing of it, and Penstock has to find out, also where no client asks for
   * anything.
   */
  private static void halfOpen(FaultTestbed scene, Random random, Spell spell) {
    Relay relay = aWire(scene, random);
    relay.forget();
    Awaitility.await("Penstock gives the half-open connections up")
        .atMost(PATIENCE)
        .until(relay::isForgottenByNear);
    relay.mend();
  }

  private static void split(FaultTestbed scene, Random random, boolean all, long millis) {
    List<Relay> relays = all ? scene.relays() : List.of(aWire(scene, random));
    during(millis, () -> relays.forEach(Relay::hold), () -> relays.forEach(Relay::release));
  }

  private static void refuse(FaultTestbed scene, Random random, Spell spell) {
    Relay relay = aWire(scene, random);
    during(
        3_000,
        () -> {
          relay.refuse();
          relay.cut(End.RST);
        },
        relay::admit);
  }

  private static void killMaster(FaultTestbed scene, Random random, Spell spell) {
    Member master = scene.anyMaster(random);
    Member replica = scene.cluster().replicasOf(master).getFirst();
    spell.losesWrites();
    master.kill();
    scene.cluster().awaitMaster(replica);
    spell.keepsWrites();
    scene.failedOver();
    master.restart();
    scene.cluster().awaitHealthy();
  }

  private static void killReplica(FaultTestbed scene, Random random, Spell spell) {
    Member replica = scene.cluster().replicasOf(scene.anyMaster(random)).getFirst();
    replica.kill();
    replica.restart();
    scene.cluster().awaitHealthy();
  }

  /** As when a container comes back without its volume: a node of that address, and no other. */
  private static void replaceMaster(FaultTestbed scene, Random random, Spell spell) {
    Member master = scene.anyMaster(random);
    Member replica = scene.cluster().replicasOf(master).getFirst();
    spell.losesWrites();
    master.kill();
    scene.cluster().awaitMaster(replica);
    spell.keepsWrites();
    scene.failedOver();
    String gone = master.id();
    try {
      Files.delete(master.server().folder().resolve("nodes.conf"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    master.restart();
    for (Member other : scene.cluster().members()) {
      if (other != master) {
        other.text("CLUSTER", "FORGET", gone);
      }
    }
    master.text("CLUSTER", "MEET", replica.host(), Integer.toString(replica.port()));
    Awaitility.await("the new node knows its master")
        .atMost(PATIENCE)
        .ignoreException(RespClient.ErrorReply.class)
        .until(() -> master.text("CLUSTER", "REPLICATE", replica.id()).equals("OK"));
    scene.cluster().awaitHealthy();
  }

  private static void freezeShortly(FaultTestbed scene, Random random, Spell spell) {
    Member master = scene.anyMaster(random);
    during(100 + random.nextInt(400), master::pause, master::resume);
  }

  private static void freeze(FaultTestbed scene, Random random, Spell spell) {
    Member master = scene.anyMaster(random);
    Member replica = scene.cluster().replicasOf(master).getFirst();
    spell.losesWrites();
    master.pause();
    try {
      Awaitility.await("the replica takes over")
          .atMost(PATIENCE)
          .until(() -> replica.text("INFO", "replication").contains("role:master"));
    } finally {
      master.resume();
    }
    Awaitility.await("the master hears of it")
        .atMost(PATIENCE)
        .until(() -> master.text("INFO", "replication").contains("role:slave"));
    spell.keepsWrites();
    scene.cluster().awaitHealthy(); // while it loads it does not say what it is
    scene.failedOver();
  }

  private static void failover(FaultTestbed scene, Random random, Spell spell) {
    failover(scene, scene.cluster().replicasOf(scene.anyMaster(random)).getFirst());
  }

  private static void failover(FaultTestbed scene, Member replica) {
    scene.awaitVotes();
    scene.cluster().failover(replica);
    scene.failedOver();
  }

  /**
   * It takes no writes any more, and gives no answers before it has the copy, for seconds: READONLY
   * and MASTERDOWN to who has not heard of it and asks about no key.
   */
  private static void demote(FaultTestbed scene, Random random, Spell spell) {
    Member replica = scene.cluster().replicasOf(scene.anyMaster(random)).getFirst();
    replica.text("DEBUG", "CHANGE-REPL-ID"); // so that parts are not enough
    replica.text("CONFIG", "SET", "repl-diskless-sync-delay", "2");
    failover(scene, replica);
    replica.text("CONFIG", "SET", "repl-diskless-sync-delay", "0");
  }

  /** All that clients use and some that nobody does, each once. */
  private static void moveSlots(FaultTestbed scene, Random random, Spell spell) {
    List<Member> masters = scene.cluster().masters();
    Set<Integer> slots = new LinkedHashSet<>(scene.usedSlots());
    while (slots.size() < 30) {
      slots.add(random.nextInt(16_384));
    }
    try (SlotMover mover = new SlotMover(scene.cluster())) {
      for (int slot : slots) {
        Member from = scene.cluster().masterOf(slot);
        Member to = masters.get((masters.indexOf(from) + 1 + random.nextInt(2)) % 3);
        mover.move(slot, from, to, 1 + random.nextInt(10));
      }
    }
  }

  private static void maxClients(FaultTestbed scene, Random random, Spell spell) {
    Member master = scene.anyMaster(random);
    configure(master, "maxclients", "1", "10000", () -> scene.before(master).cut(End.RST));
  }

  /** Connections that there are go on; new ones are not let in. */
  private static void password(FaultTestbed scene, Random random, Spell spell) {
    Member master = scene.anyMaster(random);
    configure(master, "requirepass", "another", "", () -> scene.before(master).cut(End.RST));
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

  /** For less than the others wait before they take it for dead. */
  private static void load(FaultTestbed scene, Random random, Spell spell) {
    Member master = scene.anyMaster(random);
    long keys = Math.max(1, Long.parseLong(master.text("DBSIZE")));
    master.text("CONFIG", "SET", "key-load-delay", Long.toString(500_000 / keys));
    master.text("DEBUG", "RELOAD");
    master.text("CONFIG", "SET", "key-load-delay", "0");
  }
}
