package io.penstock.server.reads;

import io.penstock.core.observe.ReplicaState;
import io.penstock.core.observe.ReplicaStatus;
import io.penstock.core.upstream.Balance;
import io.penstock.core.upstream.ReadFrom;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.core.upstream.Zones;
import io.penstock.server.it.ProxyFixture;
import io.penstock.server.reads.ReadChecker.Violation;
import io.penstock.server.reads.ReadWorkload.Plan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.awaitility.Awaitility;

/**
 * A proxy and a {@link ReadWorkload} for each of several policies, all in front of the same
 * servers, so that each fault is met by all of them.
 */
final class ReadsUnderFault implements AutoCloseable {

  static final Duration WINDOW = Duration.ofMillis(250);

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final List<ReadFrom> POLICIES =
      List.of(ReadFrom.REPLICA_PREFERRED, ReadFrom.ANY, ReadFrom.LOWEST_LATENCY);
  private static final long SEED = 20_261_123;

  private final List<Policy> policies = new ArrayList<>();
  private final Intervals lostWrites = new Intervals();

  /** What runs with one policy. */
  private record Policy(ReadFrom from, ProxyFixture proxy, ReadWorkload load, ReplicaWatch watch) {}

  /**
   * @param builder makes settings of a proxy, apart from reads
   * @param tags four, of which each policy makes keys of its own
   */
  ReadsUnderFault(Supplier<ProxyFixture.Builder> builder, List<String> tags) {
    try {
      for (ReadFrom from : POLICIES) {
        var settings =
            new ReadSettings(
                from, Balance.ROUND_ROBIN, Zones.NONE, ReadSettings.NO_LAG_LIMIT, WINDOW, false);
        ProxyFixture proxy = builder.get().reads(settings).startReady();
        List<String> keys = new ArrayList<>();
        for (String tag : tags) {
          keys.add(tag + from + keys.size());
        }
        var load = new ReadWorkload(proxy, SEED, new Plan(keys, 200, true));
        policies.add(new Policy(from, proxy, load, new ReplicaWatch(proxy)));
      }
      awaitReplicas(ReadsUnderFault::isReadable);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  static boolean isReadable(ReplicaStatus replica) {
    return replica.state() == ReplicaState.READABLE;
  }

  /** Waits until every policy knows replicas, and all of them are as given. */
  void awaitReplicas(Predicate<ReplicaStatus> wanted) {
    await(known -> !known.isEmpty() && known.stream().allMatch(wanted));
  }

  /** Waits until every policy knows a replica at a port and reads it. */
  void awaitReadable(int port) {
    await(known -> known.stream().anyMatch(r -> r.node().port() == port && isReadable(r)));
  }

  private void await(Predicate<List<ReplicaStatus>> wanted) {
    for (Policy policy : policies) {
      Awaitility.await("replicas, as " + policy.from() + " knows them")
          .atMost(PATIENCE)
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(10))
          .until(() -> wanted.test(policy.proxy().proxy().upstreamStatus().replicas()));
    }
  }

  /** Waits until the replica at a port is not read with any policy. */
  void awaitLeftOut(int port) {
    awaitReplicas(replica -> replica.node().port() != port || !isReadable(replica));
  }

  /** Waits for more batches of each policy. */
  void awaitBatches(int more) {
    policies.forEach(policy -> policy.load().awaitBatches(more));
  }

  /** No client gets an error, and no write is lost. Ends when all replicas are read again. */
  void during(Runnable fault) {
    policies.forEach(policy -> policy.watch().disturb(true));
    fault.run();
    awaitReplicas(ReadsUnderFault::isReadable);
    awaitBatches(100);
    policies.forEach(policy -> policy.watch().disturb(false));
  }

  /** Clients may get errors. Acknowledged writes may be lost. */
  void duringLoss(Runnable fault) {
    long begin = System.nanoTime();
    toleratingErrors(policies.size(), () -> during(fault));
    lostWrites.add(begin, System.nanoTime());
  }

  /**
   * Clients may get errors. Acknowledged writes may be lost during the first part only.
   *
   * @param loss ends when the master that lacks them has taken over
   */
  void duringLoss(Runnable loss, Runnable repair) {
    Runnable both =
        () -> {
          long begin = System.nanoTime();
          loss.run();
          lostWrites.add(begin, System.nanoTime());
          repair.run();
        };
    toleratingErrors(policies.size(), () -> during(both));
  }

  private void toleratingErrors(int count, Runnable fault) {
    if (count == 0) {
      fault.run();
    } else {
      policies.get(count - 1).load().tolerate(() -> toleratingErrors(count - 1, fault));
    }
  }

  /** Ends the workloads. Returns what broke a promise, by policy. */
  Map<ReadFrom, Map<Violation, List<String>>> stop() {
    Map<ReadFrom, Map<Violation, List<String>>> found = new HashMap<>();
    for (Policy policy : policies) {
      ReadHistory history = policy.load().stop();
      var checker = new ReadChecker(WINDOW, ReadsUnderFault::partition).lostWrites(lostWrites);
      // Which node is the fastest may change at any time.
      checker.replicaChanges(
          policy.from() == ReadFrom.LOWEST_LATENCY ? (_, _) -> true : policy.watch());
      Map<Violation, List<String>> violations = checker.check(history);
      if (!violations.isEmpty()) {
        found.put(policy.from(), violations);
      }
    }
    return found;
  }

  /**
   * Returns how many reads of a policy a node served after a time, of those that tell their node.
   */
  long readsAt(int port, ReadFrom from, long since) {
    return policies.stream()
        .filter(policy -> policy.from() == from)
        .flatMap(policy -> policy.load().stop().connections().stream())
        .flatMap(connection -> connection.operations().stream())
        .filter(operation -> operation.node().equals(Integer.toString(port)))
        .filter(operation -> operation.sentAt() - since > 0)
        .count();
  }

  /** Keys with a hash tag: another tag is another partition. Others are of a single master. */
  private static String partition(String key) {
    return key.substring(0, key.indexOf('}') + 1);
  }

  @Override
  public void close() {
    for (Policy policy : policies) {
      policy.watch().close();
      policy.load().close();
      policy.proxy().close();
    }
  }
}
