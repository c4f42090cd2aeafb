package io.penstock.server.it;

import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One shard of a cluster, to be closed after the test: it then runs again, without keys.
 *
 * @param slot one of its slots
 * @param tag the hash tag of the slot, with braces
 * @param master at the start of the test
 * @param replica at the start of the test
 */
record ShardUnderTest(EmbeddedCluster cluster, int slot, String tag, Member master, Member replica)
    implements AutoCloseable {

  private static final AtomicInteger TURN = new AtomicInteger();

  /** Returns another shard each time: masters vote only once in a while about one shard. */
  static ShardUnderTest next(EmbeddedCluster cluster) {
    cluster.awaitHealthy();
    List<Integer> slots = Keys.slotsOfMasters(cluster);
    int slot = slots.get(TURN.getAndIncrement() % slots.size());
    Member master = cluster.masterOf(slot);
    Member replica = cluster.replicasOf(master).getFirst();
    return new ShardUnderTest(cluster, slot, Keys.tag(slot), master, replica);
  }

  /** Resumes or restarts its nodes, and removes its keys. */
  @Override
  public void close() {
    for (Member member : List.of(master, replica)) {
      if (member.isRunning()) {
        member.resume();
      } else {
        member.restart();
      }
    }
    cluster.awaitHealthy();
    Keys.empty(cluster, slot);
  }
}
