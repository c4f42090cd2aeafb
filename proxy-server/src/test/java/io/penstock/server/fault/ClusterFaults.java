package io.penstock.server.fault;

import static io.penstock.server.fault.Faults.LOST;
import static io.penstock.server.fault.Faults.NONE;
import static io.penstock.server.fault.Faults.PATIENCE;
import static io.penstock.server.fault.Faults.SILENT;

import io.penstock.server.fault.FaultTimeline.Entry;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.wire.RespClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.awaitility.Awaitility;

/** The faults of a {@link ClusterTestbed}. */
final class ClusterFaults {

  private ClusterFaults() {}

  /** Returns the faults of the network, and failovers. */
  static List<Fault> core() {
    return all().stream()
        .filter(fault -> fault.place() == Fault.Place.NETWORK || fault.name().contains("failover"))
        .toList();
  }

  /** Returns all faults: those of any upstream, and those that change roles and slots. */
  static List<Fault> all() {
    List<Fault> all = new ArrayList<>(Faults.all());
    all.addAll(
        List.of(
            node("a master is killed", LOST, ClusterFaults::killMaster),
            node("a replica is killed", NONE, ClusterFaults::killReplica),
            node("a master is replaced at its address", LOST, ClusterFaults::replaceMaster),
            node("a master is frozen", SILENT, ClusterFaults::freeze),
            node("a planned failover", NONE, ClusterFaults::failover),
            node("a demoted master copies everything", NONE, ClusterFaults::demote),
            node("slots move", NONE, ClusterFaults::moveSlots)));
    return all;
  }

  static Fault named(String name) {
    return all().stream().filter(fault -> fault.name().equals(name)).findFirst().orElseThrow();
  }

  private interface Action {
    void inject(ClusterTestbed testbed, Random random, Entry entry);
  }

  private static Fault node(String name, Set<String> errors, Action action) {
    return Faults.node(name, errors, (s, r, e) -> action.inject((ClusterTestbed) s, r, e));
  }

  private static void killMaster(ClusterTestbed testbed, Random random, Entry entry) {
    Member master = testbed.anyMasterMember(random);
    killAndAwait(testbed, master, testbed.cluster().replicasOf(master).getFirst(), entry);
    master.restart();
    testbed.cluster().awaitHealthy();
  }

  /** Kills a master and waits until its replica has taken over. */
  private static void killAndAwait(
      ClusterTestbed testbed, Member master, Member replica, Entry entry) {
    entry.beginWriteLoss();
    master.kill();
    testbed.cluster().awaitMaster(replica);
    entry.endWriteLoss();
    testbed.recordFailover();
  }

  private static void killReplica(ClusterTestbed testbed, Random random, Entry entry) {
    Member replica = testbed.cluster().replicasOf(testbed.anyMasterMember(random)).getFirst();
    replica.kill();
    replica.restart();
    testbed.cluster().awaitHealthy();
  }

  /** As when a container restarts without its volume: a new node with the same address. */
  private static void replaceMaster(ClusterTestbed testbed, Random random, Entry entry) {
    Member master = testbed.anyMasterMember(random);
    Member replica = testbed.cluster().replicasOf(master).getFirst();
    killAndAwait(testbed, master, replica, entry);
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

  private static void freeze(ClusterTestbed testbed, Random random, Entry entry) {
    Member master = testbed.anyMasterMember(random);
    Member replica = testbed.cluster().replicasOf(master).getFirst();
    replica.takesOver(true);
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
    replica.takesOver(false);
    testbed.recordFailover();
  }

  private static void failover(ClusterTestbed testbed, Random random, Entry entry) {
    failover(testbed, testbed.cluster().replicasOf(testbed.anyMasterMember(random)).getFirst());
  }

  private static void failover(ClusterTestbed testbed, Member replica) {
    testbed.awaitVotes();
    testbed.cluster().failover(replica);
    testbed.recordFailover();
  }

  /**
   * The demoted master rejects writes, and for seconds also reads until it has copied the new
   * master: READONLY and MASTERDOWN for commands without keys from clients that do not know of the
   * failover.
   */
  private static void demote(ClusterTestbed testbed, Random random, Entry entry) {
    Member replica = testbed.cluster().replicasOf(testbed.anyMasterMember(random)).getFirst();
    replica.text("DEBUG", "CHANGE-REPL-ID"); // prevents a partial resynchronization
    replica.text("CONFIG", "SET", "repl-diskless-sync-delay", "2");
    failover(testbed, replica);
    replica.text("CONFIG", "SET", "repl-diskless-sync-delay", "0");
  }

  /** Moves each slot that clients use, and some others, once. */
  private static void moveSlots(ClusterTestbed testbed, Random random, Entry entry) {
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
}
