package io.penstock.core.read;

import io.penstock.core.dispatch.ReadTarget;
import org.jspecify.annotations.Nullable;

/**
 * The partitions that one client has unanswered requests for or has written to lately. An open
 * addressing table with linear probing, in arrays, so that a request allocates nothing. Entries are
 * addressed by an index, which is valid until the next {@link #claim} or {@link #removeIfIdle}.
 */
final class PartitionTable {

  private static final int INITIAL = 8;

  /** Capacity that is kept when empty. */
  private static final int KEPT = 64;

  private int[] partitions = {}; // plus 1; 0 for a free place
  private int[] masters = {};
  private int[] masterReads = {};
  private int[] replicaReads = {};
  private boolean[] written = {};
  private long[] writtenAt = {};
  private @Nullable ReadTarget[] targets = {};
  private int size;

  int size() {
    return size;
  }

  /** Returns the entry's index, or -1. */
  int find(int partition) {
    if (size == 0) {
      return -1;
    }
    int mask = partitions.length - 1;
    for (int i = placeOf(partition); partitions[i] != 0; i = (i + 1) & mask) {
      if (partitions[i] == partition + 1) {
        return i;
      }
    }
    return -1;
  }

  /** Returns the index of the partition's entry, which is made if there is none. */
  int claim(int partition) {
    int known = find(partition);
    if (known >= 0) {
      return known;
    }
    if (size >= partitions.length / 2) {
      resize(Math.max(INITIAL, partitions.length * 2));
    }
    int free = freePlace(partition);
    partitions[free] = partition + 1;
    size++;
    return free;
  }

  private int placeOf(int partition) {
    return ((partition * 0x9E37_79B9) >>> 16) & (partitions.length - 1);
  }

  private int freePlace(int partition) {
    int i = placeOf(partition);
    while (partitions[i] != 0) {
      i = (i + 1) & (partitions.length - 1);
    }
    return i;
  }

  /** Requests at the master that are unanswered, except reads that a replica could have served. */
  int masters(int entry) {
    return masters[entry];
  }

  void addMasters(int entry, int change) {
    masters[entry] += change;
  }

  /** Unanswered reads at the master that a replica could have served. */
  int masterReads(int entry) {
    return masterReads[entry];
  }

  void addMasterReads(int entry, int change) {
    masterReads[entry] += change;
  }

  /** Unanswered reads at the replica {@link #target}. */
  int replicaReads(int entry) {
    return replicaReads[entry];
  }

  void addReplicaReads(int entry, int change) {
    replicaReads[entry] += change;
  }

  /** The replica that the unanswered reads were sent to; null for none. */
  @Nullable ReadTarget target(int entry) {
    return targets[entry];
  }

  void setTarget(int entry, @Nullable ReadTarget target) {
    targets[entry] = target;
  }

  /** Returns whether the client wrote to the partition after {@code since}; forgets it if not. */
  boolean isWrittenAfter(int entry, long since) {
    if (written[entry] && writtenAt[entry] - since <= 0) {
      written[entry] = false;
    }
    return written[entry];
  }

  void setWritten(int entry, long at) {
    written[entry] = true;
    writtenAt[entry] = at;
  }

  /** Removes the entry if nothing is unanswered or remembered. */
  void removeIfIdle(int entry) {
    if (isUnanswered(entry) || written[entry]) {
      return;
    }
    int mask = partitions.length - 1;
    int gap = entry;
    for (int i = (gap + 1) & mask; partitions[i] != 0; i = (i + 1) & mask) {
      int wanted = placeOf(partitions[i] - 1);
      if (((i - wanted) & mask) >= ((i - gap) & mask)) { // it may move to the gap
        move(i, gap);
        gap = i;
      }
    }
    clear(gap);
    size--;
    if (size == 0 && partitions.length > KEPT) {
      resize(INITIAL);
    }
  }

  private boolean isUnanswered(int entry) {
    return masters[entry] != 0 || masterReads[entry] != 0 || replicaReads[entry] != 0;
  }

  private void move(int from, int to) {
    partitions[to] = partitions[from];
    masters[to] = masters[from];
    masterReads[to] = masterReads[from];
    replicaReads[to] = replicaReads[from];
    written[to] = written[from];
    writtenAt[to] = writtenAt[from];
    targets[to] = targets[from];
  }

  private void clear(int entry) {
    partitions[entry] = 0;
    masters[entry] = 0;
    masterReads[entry] = 0;
    replicaReads[entry] = 0;
    written[entry] = false;
    targets[entry] = null;
  }

  /** Forgets all writes before {@code since}, or any if {@code all}. */
  void forgetWrites(long since, boolean all) {
    int[] old = partitions.clone();
    for (int number : old) {
      int entry = number == 0 ? -1 : find(number - 1);
      if (entry >= 0) {
        written[entry] &= !all && writtenAt[entry] - since > 0;
        removeIfIdle(entry);
      }
    }
  }

  private void resize(int capacity) {
    var old = new PartitionTable();
    old.take(this);
    partitions = new int[capacity];
    masters = new int[capacity];
    masterReads = new int[capacity];
    replicaReads = new int[capacity];
    written = new boolean[capacity];
    writtenAt = new long[capacity];
    targets = new ReadTarget[capacity];
    for (int i = 0; i < old.partitions.length; i++) {
      if (old.partitions[i] != 0) {
        copy(old, i, freePlace(old.partitions[i] - 1));
      }
    }
  }

  private void take(PartitionTable other) {
    partitions = other.partitions;
    masters = other.masters;
    masterReads = other.masterReads;
    replicaReads = other.replicaReads;
    written = other.written;
    writtenAt = other.writtenAt;
    targets = other.targets;
  }

  private void copy(PartitionTable from, int entry, int to) {
    partitions[to] = from.partitions[entry];
    masters[to] = from.masters[entry];
    masterReads[to] = from.masterReads[entry];
    replicaReads[to] = from.replicaReads[entry];
    written[to] = from.written[entry];
    writtenAt[to] = from.writtenAt[entry];
    targets[to] = from.targets[entry];
  }
}
