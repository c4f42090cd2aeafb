package io.penstock.server.fault;

import static io.penstock.server.fault.Faults.LOST;
import static io.penstock.server.fault.Faults.NONE;
import static io.penstock.server.fault.Faults.PATIENCE;
import static io.penstock.server.fault.Faults.SILENT;

import io.penstock.server.fault.FaultTimeline.Entry;
import io.penstock.testkit.cluster.SentinelGroup;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.awaitility.Awaitility;

/**
 * The faults of a {@link SentinelTestbed}.
 *
 * <p>Sentinels do not pause a master before they promote its replica: until they reach the old
 * master, it acknowledges writes that are lost, with or without a proxy. So a planned failover may
 * lose unreplicated writes too, and its {@code CLIENT KILL} ends connections with commands in
 * flight.
 */
final class SentinelFaults {

  private SentinelFaults() {}

  /** Returns all faults: those of any upstream, and those that change roles or hit sentinels. */
  static List<Fault> all() {
    List<Fault> all = new ArrayList<>(Faults.all());
    all.addAll(own());
    return all;
  }

  /** Returns those that a build runs: it runs those of any upstream in front of a cluster. */
  static List<Fault> ofABuild() {
    List<Fault> some = new ArrayList<>(Faults.ofEachUpstream());
    some.addAll(own());
    return some;
  }

  private static List<Fault> own() {
    return List.of(
        node("a master is killed", LOST, SentinelFaults::killMaster),
        node("a replica is killed", NONE, SentinelFaults::killReplica),
        node("a master is frozen", SILENT, SentinelFaults::freezeMaster),
        node("a planned failover", LOST, SentinelFaults::failover),
        node("a demoted master copies everything", LOST, SentinelFaults::demote),
        node("a sentinel is killed", NONE, (s, r, _) -> killSentinels(s, r, 1)),
        node("most sentinels are killed", NONE, (s, r, _) -> killSentinels(s, r, 2)),
        node("all sentinels are killed", NONE, (s, r, _) -> killSentinels(s, r, 3)),
        node("a sentinel is frozen", NONE, SentinelFaults::freezeSentinel));
  }

  private interface Action {
    void inject(SentinelTestbed testbed, Random random, Entry entry);
  }

  private static Fault node(String name, Set<String> errors, Action action) {
    return Faults.node(name, errors, (s, r, e) -> action.inject((SentinelTestbed) s, r, e));
  }

  private static void killMaster(SentinelTestbed testbed, Random random, Entry entry) {
    ServerProcess master = testbed.anyMaster(random);
    testbed.group().replaceSilentMasters();
    entry.beginWriteLoss();
    master.kill();
    awaitOtherMaster(testbed, master, entry);
    testbed.group().tolerateSilentMasters();
    testbed.group().restart(master); // as a master, for some time
    testbed.group().awaitReady();
  }

  /**
   * Waits until another node is the master and Penstock writes to it, on each event loop as far as
   * one can see. From then on acknowledged writes must survive: the old master may answer again, as
   * a master until the sentinels reach it, and nothing may be sent to it.
   */
  private static void awaitOtherMaster(SentinelTestbed testbed, ServerProcess old, Entry entry) {
    ServerProcess master = testbed.group().awaitMasterOtherThan(old);
    for (int i = 0; i < 8; i++) {
      String key = "{a}:reaches the new master " + i;
      String value = Long.toString(System.nanoTime());
      Awaitility.await("a write reaches " + master)
          .atMost(PATIENCE)
          .until(() -> {
            try (RespClient client = testbed.proxy().connect()) {
              client.call("SET", key, value);
              return master.text("GET", key).equals(value);
            }
          });
    }
    entry.endWriteLoss();
    testbed.recordFailover();
  }

  private static void killReplica(SentinelTestbed testbed, Random random, Entry entry) {
    SentinelGroup group = testbed.group();
    List<ServerProcess> replicas = group.replicas();
    ServerProcess replica = replicas.get(random.nextInt(replicas.size()));
    replica.kill();
    group.restart(replica);
    group.awaitReady();
  }

  private static void freezeMaster(SentinelTestbed testbed, Random random, Entry entry) {
    ServerProcess master = testbed.anyMaster(random);
    testbed.group().replaceSilentMasters();
    entry.beginWriteLoss();
    master.pause();
    try {
      awaitOtherMaster(testbed, master, entry);
    } finally {
      master.resume();
      testbed.group().tolerateSilentMasters();
    }
    testbed.group().awaitReady();
  }

  private static void failover(SentinelTestbed testbed, Random random, Entry entry) {
    ServerProcess master = testbed.anyMaster(random);
    entry.beginWriteLoss();
    testbed.group().beginFailover();
    awaitOtherMaster(testbed, master, entry);
    testbed.group().awaitReady();
  }

  /** The demoted master rejects reads as well until it has copied the new master. */
  private static void demote(SentinelTestbed testbed, Random random, Entry entry) {
    for (ServerProcess replica : testbed.group().replicas()) {
      replica.text("DEBUG", "CHANGE-REPL-ID"); // prevents a partial resynchronization
      replica.text("CONFIG", "SET", "repl-diskless-sync-delay", "2");
    }
    failover(testbed, random, entry);
    for (ServerProcess node : testbed.group().nodes()) {
      node.text("CONFIG", "SET", "repl-diskless-sync-delay", "0");
    }
  }

  private static void killSentinels(SentinelTestbed testbed, Random random, int count) {
    SentinelGroup group = testbed.group();
    List<ServerProcess> sentinels = new ArrayList<>(group.sentinels());
    Collections.shuffle(sentinels, random);
    List<ServerProcess> killed = sentinels.subList(0, count);
    Faults.during(
        1_000, () -> killed.forEach(ServerProcess::kill), () -> killed.forEach(group::restart));
    group.awaitReady();
  }

  private static void freezeSentinel(SentinelTestbed testbed, Random random, Entry entry) {
    ServerProcess sentinel = testbed.group().sentinels().get(random.nextInt(3));
    Faults.during(1_500, sentinel::pause, sentinel::resume);
    testbed.group().awaitReady();
  }
}
