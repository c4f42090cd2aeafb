package io.penstock.server.fault;

import io.penstock.core.copies.ReplyPolicy;
import io.penstock.server.fault.Fault.Place;
import io.penstock.testkit.cluster.FrozenNode;
import io.penstock.testkit.cluster.ServerProcess;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * The faults of a primary and its copies. Each is over when the copies follow again, and are level:
 * {@code resync} brings those level that the fault left behind, while clients write.
 */
final class CopiesFaults {

  private static final long SHORT_MILLIS = 200;

  /** Longer than the command timeout of copies. */
  private static final long MILLIS = 450;

  private static final Set<String> LOST =
      Set.of("CONNLOST", "UNAVAILABLE", "LOADING", "TIMEOUT", "EXECABORT");

  private static final Set<String> FULL = Set.of("OOM", "EXECABORT");

  private final CopiesTestbed testbed;
  private final List<ServerProcess> which;

  private CopiesFaults(FaultTestbed testbed, List<ServerProcess> which) {
    this.testbed = (CopiesTestbed) testbed;
    this.which = which;
  }

  /** A fault of some servers. */
  private interface Injection {
    void inject(CopiesFaults of);
  }

  /**
   * Returns the faults for a policy; those of both copies only where a quorum may outlive one.
   *
   * @param longer longer than the command timeout of the primary, in milliseconds
   */
  static List<Fault> all(ReplyPolicy policy, long longer) {
    Set<String> noCopies = tells(policy) ? Set.of("NOCOPIES") : Set.of();
    Set<String> ofOne = policy == ReplyPolicy.ALL ? noCopies : Set.of();
    List<Fault> all = new ArrayList<>();
    all.add(ofCopies("a copy is killed", ofOne, 1, CopiesFaults::kill));
    all.add(ofCopies("a copy is frozen", ofOne, 1, each -> each.freeze(MILLIS)));
    all.add(ofCopies("a copy is cut off", ofOne, 1, CopiesFaults::cut));
    all.add(ofCopies("a copy has no memory", ofOne, 1, CopiesFaults::fill));
    if (policy == ReplyPolicy.QUORUM || policy == ReplyPolicy.SAFE_QUORUM || FaultRun.isFull()) {
      all.add(ofCopies("both copies are frozen", noCopies, 2, each -> each.freeze(MILLIS)));
    }
    if (FaultRun.isFull()) {
      all.add(ofCopies("both copies have no memory", noCopies, 2, CopiesFaults::fill));
    }
    all.add(ofPrimary("the primary is killed", LOST, noCopies, CopiesFaults::kill));
    all.add(ofPrimary("the primary is frozen", LOST, noCopies, each -> each.freeze(longer)));
    all.add(ofPrimary("the primary is cut off", LOST, noCopies, CopiesFaults::cut));
    all.add(ofPrimary("the primary has no memory", FULL, noCopies, CopiesFaults::fill));
    return all;
  }

  /** Returns whether clients are told that too few copies have done the same. */
  static boolean tells(ReplyPolicy policy) {
    return policy == ReplyPolicy.ALL || policy == ReplyPolicy.SAFE_QUORUM;
  }

  private static Fault ofCopies(String name, Set<String> errors, int count, Injection injection) {
    return new Fault(
        name,
        Place.NODES,
        errors,
        (testbed, random, _) ->
            new CopiesFaults(testbed, copies(testbed, random, count)).run(injection));
  }

  private static List<ServerProcess> copies(FaultTestbed testbed, Random random, int count) {
    CopiesServers servers = ((CopiesTestbed) testbed).servers();
    return count == 1
        ? List.of(servers.copy(random.nextInt(CopiesServers.COPIES)))
        : List.of(servers.copy(0), servers.copy(1));
  }

  private static Fault ofPrimary(
      String name, Set<String> errors, Set<String> more, Injection injection) {
    Set<String> all = new HashSet<>(errors);
    all.addAll(more);
    return new Fault(
        name,
        Place.NODES,
        all,
        (testbed, _, _) ->
            new CopiesFaults(testbed, List.of(testbed.anyMaster(new Random()))).run(injection));
  }

  private void run(Injection injection) {
    injection.inject(this);
    testbed.awaitCopies();
  }

  private CopiesServers servers() {
    return testbed.servers();
  }

  private void begin() {
    which.forEach(servers()::beginAbsence);
  }

  private void end() {
    which.forEach(servers()::endAbsence);
  }

  private void kill() {
    which.forEach(ServerProcess::kill);
    begin();
    Faults.during(SHORT_MILLIS, () -> {}, this::end);
    which.forEach(ServerProcess::restart);
  }

  private void freeze(long millis) {
    which.forEach(FrozenNode::freeze);
    begin();
    Faults.during(millis, () -> {}, this::end);
    which.forEach(ServerProcess::resume);
  }

  private void cut() {
    which.forEach(servers()::cutOff);
    begin();
    Faults.during(MILLIS, () -> {}, this::end);
    which.forEach(each -> servers().relayOf(each).acceptConnections());
  }

  private void fill() {
    which.forEach(each -> each.text("CONFIG", "SET", "maxmemory", "1"));
    begin();
    Faults.during(MILLIS, () -> {}, this::end);
    which.forEach(each -> each.text("CONFIG", "SET", "maxmemory", "0"));
  }
}
