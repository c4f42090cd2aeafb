package io.penstock.core.read;

import io.penstock.core.dispatch.ReadGroup;
import io.penstock.core.dispatch.ReadNodes;
import io.penstock.core.dispatch.ReadTarget;
import io.penstock.core.transport.Loop;
import io.penstock.core.upstream.ReadFrom;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Decides which of one client's requests are sent to a replica, and which must wait. Confined to
 * the client's loop. The rules, for the requests of one partition:
 *
 * <ul>
 *   <li>A read goes to the master while a write is unanswered, and for {@code read-your-writes}
 *       after its reply. Other reads go to the replica that the client reads the shard from, for as
 *       long as that one may be read.
 *   <li>Unanswered requests are at one node only. What goes to the master waits for unanswered
 *       reads at a replica; a read at a replica waits for those at another node. So no request
 *       overtakes another one.
 * </ul>
 */
public final class ReadRoutes {

  /** Where a request is sent. */
  public enum Way {
    /** To the master, where it must run. */
    MASTER,
    /** To the master, although it could be read from a replica. */
    MASTER_READ,
    /** To a replica, or nowhere while none may be read. */
    REPLICA
  }

  /** More partitions than these are not remembered one by one after a write. */
  private static final int MAX_WRITTEN = 512;

  private final ReadNodes nodes;
  private final Loop loop;
  private final long ownWritesNanos;
  private final boolean mayReadMaster;
  private final PartitionTable table = new PartitionTable();
  private @Nullable ReadTarget[] chosen = {}; // by the number of their group
  private boolean allWritten; // every partition counts as written
  private long allWrittenAt;
  private int replicaReads; // unanswered ones of all partitions

  // The latest decision:
  private @Nullable ReadTarget target; // of Way.REPLICA; null if none may be read
  private boolean forOwnWrite;

  public ReadRoutes(ReadNodes nodes, Loop loop) {
    this.nodes = nodes;
    this.loop = loop;
    this.ownWritesNanos = nodes.settings().readYourWrites().toNanos();
    this.mayReadMaster = nodes.settings().from() != ReadFrom.REPLICA;
  }

  /** Returns the number of unanswered reads at replicas. */
  public int replicaReads() {
    return replicaReads;
  }

  /**
   * Returns whether a request must wait for earlier ones of its partition.
   *
   * @param reads whether a replica may serve it
   */
  public boolean mustWait(int partition, boolean reads) {
    int entry = table.find(partition);
    Way way = decide(partition, entry, reads);
    if (entry < 0) {
      return false;
    }
    return way == Way.REPLICA
        ? table.masterReads(entry) > 0
            || (table.replicaReads(entry) > 0 && table.target(entry) != target)
        : table.replicaReads(entry) > 0;
  }

  /**
   * Decides where a request that need not wait is sent, and counts it as unanswered. {@link
   * #target} is its replica.
   */
  public Way begin(int partition, boolean reads) {
    Way way = decide(partition, table.find(partition), reads);
    int entry = table.claim(partition);
    switch (way) {
      case MASTER -> table.addMasters(entry, 1);
      case MASTER_READ -> {
        table.addMasterReads(entry, 1);
        if (forOwnWrite) {
          nodes.countOwnWriteRead();
        }
      }
      case REPLICA -> {
        replicaReads++;
        table.addReplicaReads(entry, 1);
        table.setTarget(entry, target);
        nodes.countReplicaRead();
      }
    }
    return way;
  }

  /**
   * Returns the replica of the latest decision for {@link Way#REPLICA}; null if none may be read.
   */
  public @Nullable ReadTarget target() {
    return target;
  }

  /**
   * Counts a request as answered.
   *
   * @param wrote whether it may have written
   */
  public void end(int partition, Way way, boolean wrote) {
    int entry = table.claim(partition);
    switch (way) {
      case MASTER -> table.addMasters(entry, -1);
      case MASTER_READ -> table.addMasterReads(entry, -1);
      case REPLICA -> {
        replicaReads--;
        table.addReplicaReads(entry, -1);
      }
    }
    if (wrote && ownWritesNanos > 0) {
      table.setWritten(entry, loop.now());
      boundWrites();
    } else {
      table.isWrittenAfter(entry, loop.now() - ownWritesNanos);
      table.removeIfIdle(entry);
    }
  }

  /** Notes that the client has written to a partition. */
  public void noteWrite(int partition) {
    if (ownWritesNanos > 0) {
      table.setWritten(table.claim(partition), loop.now());
      boundWrites();
    }
  }

  /** Notes that the client has written to any partitions. */
  public void noteWriteToAll() {
    allWritten = ownWritesNanos > 0;
    allWrittenAt = loop.now();
  }

  private void boundWrites() {
    if (table.size() > MAX_WRITTEN) {
      table.forgetWrites(loop.now() - ownWritesNanos, false);
      if (table.size() > MAX_WRITTEN / 2) { // else this would be done again soon
        noteWriteToAll();
        table.forgetWrites(0, true);
      }
    }
  }

  private Way decide(int partition, int entry, boolean reads) {
    target = null;
    forOwnWrite = false;
    if (!reads) {
      return Way.MASTER;
    }
    if (entry >= 0 && table.masters(entry) > 0) {
      forOwnWrite = true;
      return Way.MASTER_READ;
    }
    if (isWritten(entry)) {
      forOwnWrite = true;
      return Way.MASTER_READ;
    }
    ReadGroup group = nodes.groupOf(partition);
    if (group == null) {
      return Way.MASTER_READ;
    }
    ReadTarget readable = targetOf(group);
    if (readable == null ? mayReadMaster : group.isMaster(readable)) {
      return Way.MASTER_READ;
    }
    target = readable;
    return Way.REPLICA;
  }

  private boolean isWritten(int entry) {
    if (allWritten) {
      allWritten = allWrittenAt - (loop.now() - ownWritesNanos) > 0;
      if (allWritten) {
        return true;
      }
    }
    return entry >= 0 && table.isWrittenAfter(entry, loop.now() - ownWritesNanos);
  }

  /**
   * Returns the node that the client reads the shard from: the same as before while that one may be
   * read. Null if none may be read.
   */
  private @Nullable ReadTarget targetOf(ReadGroup group) {
    int number = group.number();
    ReadTarget known = number < chosen.length ? chosen[number] : null;
    if (known != null && group.mayRead(known)) {
      return known;
    }
    ReadTarget next = group.choose();
    if (next != null) {
      if (number >= chosen.length) {
        chosen = Arrays.copyOf(chosen, number + 1);
      }
      chosen[number] = next;
    }
    return next;
  }

  /**
   * Decides again where a read that was sent to a replica and failed is sent. {@link #target} is
   * its replica.
   */
  public Way again(int partition) {
    target = null;
    ReadGroup group = nodes.groupOf(partition);
    ReadTarget readable = group == null ? null : targetOf(group);
    if (group == null || (readable == null ? mayReadMaster : group.isMaster(readable))) {
      return Way.MASTER_READ;
    }
    target = readable;
    return Way.REPLICA;
  }
}
