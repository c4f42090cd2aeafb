package io.penstock.core.dispatch;

import io.penstock.core.node.BackendNode;
import io.penstock.core.transport.Loop;
import io.penstock.core.upstream.Balance;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of one shard that one loop may read from. The object stays the same while the shard
 * exists, also through a failover, so that clients keep their replica. Confined to that loop.
 */
public final class ReadGroup {

  /** The ranks of targets that are all alike. */
  static final int[] ALIKE = {};

  private final int number;
  private final Loop loop;
  private final Balance balance;
  private BackendNode master;
  private List<ReadTarget> targets = List.of();
  private int[] ranks = ALIKE; // of the targets, ascending; empty if all are alike
  private int next; // of the targets, for the next client

  ReadGroup(int number, Loop loop, Balance balance, BackendNode master) {
    this.number = number;
    this.loop = loop;
    this.balance = balance;
    this.master = master;
    // A client reads from several shards, and a loop may have few clients.
    this.next = number + loop.index();
  }

  /** A small number, which no other group of the loop has at the same time. */
  public int number() {
    return number;
  }

  void setMaster(BackendNode node) {
    master = node;
  }

  /**
   * Sets the nodes that may be read from now on.
   *
   * @param ofTargets their ranks, ascending; empty if all are alike
   */
  void setTargets(List<ReadTarget> mayBeRead, int[] ofTargets) {
    targets = mayBeRead;
    ranks = ofTargets;
  }

  /** Returns whether the target is the shard's master. */
  public boolean isMaster(ReadTarget target) {
    return target.node() == master;
  }

  /** Returns whether the target may be read now, and none with a lower rank may. */
  public boolean mayRead(ReadTarget target) {
    long now = loop.now();
    return target.mayBeReadFor(this, now) && (ranks.length == 0 || hasBestRank(target, now));
  }

  /** Returns whether the target may be read now, whatever its rank. */
  boolean isReadable(ReadTarget target) {
    return target.mayBeReadFor(this, loop.now());
  }

  private boolean hasBestRank(ReadTarget target, long now) {
    int first = firstReadable(now);
    return first >= 0 && ranks[first] == ranks[targets.indexOf(target)];
  }

  private int firstReadable(long now) {
    for (int i = 0; i < targets.size(); i++) {
      if (targets.get(i).mayBeReadFor(this, now)) {
        return i;
      }
    }
    return -1;
  }

  /** Returns the target for a client that has none yet; null if no node may be read now. */
  public @Nullable ReadTarget choose() {
    long now = loop.now();
    int first = ranks.length == 0 ? 0 : firstReadable(now);
    if (first < 0) {
      return null;
    }
    int end = endOfRank(first);
    return switch (balance) {
      case ROUND_ROBIN -> nextOf(first, end - first, now);
      case LEAST_IN_FLIGHT -> leastInFlight(first, end - first, now);
    };
  }

  /** Returns the first target after those with the rank of this one. */
  private int endOfRank(int first) {
    if (ranks.length == 0) {
      return targets.size();
    }
    int end = first;
    while (end < ranks.length && ranks[end] == ranks[first]) {
      end++;
    }
    return end;
  }

  /** Those of the rank before {@code first} may not be read. */
  private @Nullable ReadTarget nextOf(int first, int count, long now) {
    for (int i = 0; i < count; i++) {
      ReadTarget target = targets.get(first + Math.floorMod(next++, count));
      if (target.mayBeReadFor(this, now)) {
        return target;
      }
    }
    return null;
  }

  /**
   * Of several with equally few requests in flight, the next one in turn. Requests that wait for a
   * connection count too: else all clients that come meanwhile would get that node.
   */
  private @Nullable ReadTarget leastInFlight(int first, int count, long now) {
    ReadTarget least = null;
    int fewest = Integer.MAX_VALUE;
    int turn = next;
    for (int i = 0; i < count; i++) {
      ReadTarget target = targets.get(first + Math.floorMod(turn + i, count));
      if (target.mayBeReadFor(this, now)) {
        int unanswered = target.node().unanswered();
        if (unanswered < fewest) {
          fewest = unanswered;
          least = target;
          next = turn + i + 1;
        }
      }
    }
    return least;
  }
}
