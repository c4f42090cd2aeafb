package io.penstock.core.dispatch;

import io.penstock.core.backend.BackendSettings;
import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.Failure;
import io.penstock.core.node.BackendNode;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.observe.ReadCounts;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.core.upstream.ReadTargets;
import io.penstock.core.upstream.Shard;
import io.penstock.core.upstream.Topology;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of a loop whose clients also read from replicas. Which nodes may be read comes from the
 * topology thread; a node that has just failed is left out by the loop itself until the next
 * snapshot can say so. Confined to that loop.
 */
final class ReplicaNodes extends LoopNodes implements ReadNodes {

  /** Longer than the topology thread needs to notice that a node may not be read. */
  private static final long LEFT_OUT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Loop loop;
  private final Topology topology;
  private final ReadSettings settings;
  private final Map<Endpoint, ReadTarget> targets = new HashMap<>();
  private final List<@Nullable ReadTarget> byNumber = new ArrayList<>();
  private List<ReadGroup> groups = new ArrayList<>(); // by read shard
  private Placement grouped; // that the groups are of
  private ReadTargets adoptedTargets = ReadTargets.EMPTY;
  private long replicaReads;
  private long ownWriteReads;

  ReplicaNodes(
      LoopGroup group, Loop loop, BackendSettings settings, Topology topology, ProxyEvents events) {
    super(group, loop, settings, topology, events);
    this.loop = loop;
    this.topology = topology;
    this.settings = settings.reads();
    this.grouped = placement();
    regroup();
    adoptTargets(topology.readTargets());
  }

  @Override
  public ReadSettings settings() {
    return settings;
  }

  @Override
  public @Nullable ReadGroup groupOf(int partition) {
    int shard = placement().readShardOf(partition);
    return shard < 0 ? null : groups.get(shard);
  }

  @Override
  public void leaveOut(int partition, Endpoint node) {
    ReadGroup group = groupOf(partition);
    ReadTarget target = targets.get(node);
    if (group != null && target != null && !group.isMaster(target) && group.isReadable(target)) {
      target.leaveOut(loop.now() + LEFT_OUT_NANOS);
    }
  }

  @Override
  public void countReplicaRead() {
    replicaReads++;
  }

  @Override
  public void countOwnWriteRead() {
    ownWriteReads++;
  }

  @Override
  public ReadNodes readNodes() {
    return this;
  }

  @Override
  public ReadCounts readCounts() {
    return new ReadCounts(replicaReads, ownWriteReads);
  }

  @Override
  @Nullable BackendNode nodeFor(PlacedExchange exchange) {
    if (!exchange.readsReplica()) {
      return super.nodeFor(exchange);
    }
    ReadTarget target = exchange.replica() < 0 ? null : byNumber.get(exchange.replica());
    if (target == null || isClosed()) {
      exchange.onFailure(Failure.NO_REPLICA);
      return null;
    }
    return target.node();
  }

  /** A read that waits for a replica which may no longer be read is given another node. */
  @Override
  boolean isMisplaced(PlacedExchange exchange, Endpoint node) {
    if (!exchange.readsReplica()) {
      return super.isMisplaced(exchange, node);
    }
    if (exchange.destination() != Destination.PARTITION) {
      return false;
    }
    ReadGroup group = groupOf(exchange.partition());
    ReadTarget target = targets.get(node);
    return group == null || target == null || !group.mayRead(target);
  }

  /** The client's own retries choose the next node. */
  @Override
  boolean prepareReroute(PlacedExchange exchange) {
    if (exchange.readsReplica()) {
      exchange.fail(Failure.NOT_SENT);
      return false;
    }
    return super.prepareReroute(exchange);
  }

  @Override
  boolean adoptLatest() {
    boolean placed = super.adoptLatest();
    ReadTargets latest = topology.readTargets();
    if (isClosed() || (!placed && latest == adoptedTargets)) {
      return false;
    }
    if (placed) {
      regroup();
    }
    adoptTargets(latest);
    return true;
  }

  /** Assigns a group to each shard: the one that it had, also if another node has taken over. */
  private void regroup() {
    Placement placement = placement();
    List<Shard> shards = placement.readShards();
    List<Shard> before = grouped.readShards();
    List<ReadGroup> free = new ArrayList<>(groups);
    List<@Nullable ReadGroup> assigned = new ArrayList<>();
    for (Shard shard : shards) {
      ReadGroup same = sameGroup(free, before, shard);
      free.remove(same);
      assigned.add(same);
    }
    List<ReadGroup> result = new ArrayList<>();
    for (int i = 0; i < assigned.size(); i++) {
      BackendNode master = nodeAt(shards.get(i).master());
      ReadGroup group = assigned.get(i);
      if (group == null) {
        group = takenOver(free, before, master.node());
      }
      if (group == null) {
        group =
            new ReadGroup(unusedNumber(result, assigned, free), loop, settings.balance(), master);
      }
      group.setMaster(master);
      result.add(group);
    }
    groups = result;
    grouped = placement;
  }

  /** Returns the group that had the same nodes, or else the same master. */
  private @Nullable ReadGroup sameGroup(List<ReadGroup> free, List<Shard> before, Shard shard) {
    ReadGroup found = null;
    for (int i = 0; i < before.size() && i < groups.size(); i++) {
      if (before.get(i).master().equals(shard.master()) && free.contains(groups.get(i))) {
        if (before.get(i).replicas().equals(shard.replicas())) {
          return groups.get(i);
        }
        found = found == null ? groups.get(i) : found;
      }
    }
    return found;
  }

  /** Removes and returns the group of the shard that {@code master} was a replica of. */
  private @Nullable ReadGroup takenOver(List<ReadGroup> free, List<Shard> before, Endpoint master) {
    for (int i = 0; i < before.size() && i < groups.size(); i++) {
      if (before.get(i).replicas().contains(master) && free.remove(groups.get(i))) {
        return groups.get(i);
      }
    }
    return null;
  }

  private static int unusedNumber(
      List<ReadGroup> made, List<@Nullable ReadGroup> kept, List<ReadGroup> free) {
    int number = 0;
    while (hasNumber(made, number) || hasNumber(kept, number) || hasNumber(free, number)) {
      number++;
    }
    return number;
  }

  private static boolean hasNumber(List<? extends @Nullable ReadGroup> groups, int number) {
    for (ReadGroup group : groups) {
      if (group != null && group.number() == number) {
        return true;
      }
    }
    return false;
  }

  private void adoptTargets(ReadTargets latest) {
    adoptedTargets = latest;
    List<ReadTarget> before = List.copyOf(targets.values());
    before.forEach(ReadTarget::removeGroups);
    for (int i = 0; i < groups.size(); i++) {
      ReadGroup group = groups.get(i);
      List<Endpoint> addresses = latest.of(grouped.readShards().get(i));
      List<ReadTarget> readable = new ArrayList<>();
      int[] ranks = new int[addresses.size()];
      for (Endpoint address : addresses) {
        ReadTarget target = targetAt(address);
        target.addGroup(group);
        insert(target, grouped.readRank(i, address), readable, ranks);
      }
      boolean alike = ranks.length == 0 || ranks[0] == ranks[ranks.length - 1];
      group.setTargets(List.copyOf(readable), alike ? ReadGroup.ALIKE : ranks);
    }
    for (ReadTarget target : before) {
      if (!target.isListed()) {
        remove(target);
      }
    }
  }

  /** Inserts a target after those with the same rank or a lower one. */
  private static void insert(ReadTarget target, int rank, List<ReadTarget> to, int[] ranks) {
    int at = to.size();
    while (at > 0 && ranks[at - 1] > rank) {
      ranks[at] = ranks[at - 1];
      at--;
    }
    ranks[at] = rank;
    to.add(at, target);
  }

  private ReadTarget targetAt(Endpoint address) {
    BackendNode node = nodeAt(address);
    node.reinstate();
    ReadTarget known = targets.get(address);
    if (known == null) {
      known = new ReadTarget(node, unusedTargetNumber());
      targets.put(address, known);
      byNumber.set(known.number(), known);
    }
    return known;
  }

  private int unusedTargetNumber() {
    int free = byNumber.indexOf(null);
    if (free < 0) {
      byNumber.add(null);
      return byNumber.size() - 1;
    }
    return free;
  }

  /** If the node does not answer, what is in flight there fails soon and is read elsewhere. */
  private void remove(ReadTarget target) {
    BackendNode node = target.node();
    targets.remove(node.node());
    byNumber.set(target.number(), null);
    if (placement().indexOfMaster(node.node()) < 0) {
      node.markReplaced();
      node.retire();
    }
  }

  /**
   * A node that failed stays left out: it may have restarted without its data, and the topology
   * thread needs time to notice.
   */
  @Override
  public void onConnected(Endpoint node) {
    ReadTarget target = targets.get(node);
    if (target != null && target.isLeftOut()) {
      target.leaveOut(loop.now() + LEFT_OUT_NANOS);
    }
    super.onConnected(node);
  }

  @Override
  public void onDisconnected(Endpoint node, int attempts, Throwable cause) {
    ReadTarget target = targets.get(node);
    if (target != null && placement().indexOfMaster(node) < 0) {
      target.leaveOut(loop.now() + LEFT_OUT_NANOS);
      loop.executor().execute(() -> failWaiting(target.node()));
    }
    super.onDisconnected(node, attempts, cause);
  }

  /** Reads that wait for a connection that was lost are sent to another node. */
  private void failWaiting(BackendNode node) {
    var waiting = new ArrayDeque<Exchange>();
    node.withdraw(exchange -> isMisplaced(exchange, node.node()), waiting);
    for (Exchange exchange : waiting) {
      exchange.fail(Failure.NOT_SENT);
    }
  }
}
