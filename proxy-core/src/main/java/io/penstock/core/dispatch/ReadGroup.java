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

  private final int number;
  private final Loop loop;
  private final Balance balance;
  private BackendNode master;
  private List<ReadTarget> targets = List.of();
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

  /** Sets the nodes that may be read from now on. */
  void setTargets(List<ReadTarget> mayBeRead) {
    targets = mayBeRead;
  }

  /** Returns whether the target is the shard's master. */
  public boolean isMaster(ReadTarget target) {
    return target.node() == master;
  }

  /** Returns whether the target may be read now. */
  public boolean mayRead(ReadTarget target) {
    return target.mayBeReadFor(this, loop.now());
  }

  /** Returns the target for a client that has none yet; null if no node may be read now. */
  public @Nullable ReadTarget choose() {
    long now = loop.now();
    return switch (balance) {
      case ROUND_ROBIN -> nextOf(now);
      case LEAST_IN_FLIGHT -> leastInFlight(now);
    };
  }

  private @Nullable ReadTarget nextOf(long now) {
    for (int i = 0; i < targets.size(); i++) {
      ReadTarget target = targets.get(Math.floorMod(next++, targets.size()));
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
  private @Nullable ReadTarget leastInFlight(long now) {
    ReadTarget least = null;
    int fewest = Integer.MAX_VALUE;
    int first = next;
    for (int i = 0; i < targets.size(); i++) {
      ReadTarget target = targets.get(Math.floorMod(first + i, targets.size()));
      if (target.mayBeReadFor(this, now)) {
        int unanswered = target.node().unanswered();
        if (unanswered < fewest) {
          fewest = unanswered;
          least = target;
          next = first + i + 1;
        }
      }
    }
    return least;
  }
}
