package io.penstock.core.shards;

import io.netty.buffer.ByteBuf;
import io.penstock.core.layout.ShardLayout;
import io.penstock.core.topology.TopologyReports;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ErrorPolicy;
import io.penstock.core.upstream.NestedPlacement;
import io.penstock.core.upstream.Partitioner;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.TopologyStatus;
import io.penstock.core.upstream.Upstream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Upstreams that share the keys. Its placement has all of theirs ({@link NestedPlacement}); a
 * redirect, a refresh or an error is passed on to the shard that it is about.
 */
final class ShardsTopology implements Upstream {

  /** Number of nodes from which on those that have left are forgotten. */
  private static final int MAX_KNOWN = 4096;

  private final List<Upstream> shards;
  private final boolean[] replaceable; // by shard
  private final NestedPlacement.NestedPartitioner partitioner;
  private final @Nullable Ejection ejection;
  private final ErrorPolicy errorPolicy;
  private final TopologyReports reports;
  private final Map<Endpoint, Integer> shardOf = new ConcurrentHashMap<>(); // also of former nodes
  private volatile NestedPlacement current;

  /**
   * @param shards of the settings, in their order
   */
  ShardsTopology(
      ShardsUpstreamSettings settings,
      List<Upstream> shards,
      @Nullable Ejection ejection,
      TopologyReports reports) {
    this.shards = shards;
    this.ejection = ejection;
    this.reports = reports;
    this.replaceable = new boolean[shards.size()];
    ErrorPolicy[] policies = new ErrorPolicy[shards.size()];
    Partitioner outer = ejection == null ? new ByShard(settings.layout()) : ejection;
    this.partitioner =
        new NestedPlacement.NestedPartitioner(
            outer, shards.stream().map(Upstream::partitioner).toList());
    for (int i = 0; i < policies.length; i++) {
      replaceable[i] = settings.holds() || !settings.shards().get(i).hasFixedNodes();
      policies[i] =
          ShardErrorPolicies.from(partitioner.firstPartitionOf(i), shards.get(i).errorPolicy());
    }
    this.errorPolicy = new ShardErrorPolicies(policies, node -> shardOf.getOrDefault(node, -1));
    this.current = placement();
    learn(current);
  }

  static ShardsTopology create(ShardsUpstreamSettings settings, UpstreamSettings.Context context) {
    List<Upstream> shards = new ArrayList<>();
    settings.shards().forEach(shard -> shards.add(shard.create(context)));
    EjectionSettings ejects = settings.ejection();
    Ejection ejection =
        ejects == null
            ? null
            : new Ejection(
                settings.layout(),
                ejects,
                new Ejection.Environment(
                    context.control().thread(),
                    context.events(),
                    context.connectTimeout(),
                    context.logPrefix()));
    var reports = new TopologyReports(context.control().thread(), context.events());
    return new ShardsTopology(settings, shards, ejection, reports);
  }

  /** A layout whose partitions are its shards. */
  private record ByShard(ShardLayout layout) implements Partitioner {

    @Override
    public int partitions() {
      return layout.shards().size();
    }

    @Override
    public int partitionOf(ByteBuf buffer, int offset, int length) {
      return layout.shardOf(buffer, offset, length);
    }

    @Override
    public boolean isDecidedBy(ByteBuf buffer, int offset, int length) {
      return layout.isDecidedBy(buffer, offset, length);
    }
  }

  private NestedPlacement placement() {
    return new NestedPlacement(partitioner, shards.stream().map(Upstream::current).toList());
  }

  private void learn(NestedPlacement placement) {
    if (shardOf.size() > MAX_KNOWN) {
      shardOf.clear();
    }
    for (Endpoint node : placement.nodes()) {
      shardOf.put(node, placement.partWith(node));
    }
  }

  /** Publishes what the shards have published. On the topology thread. */
  private void update() {
    NestedPlacement latest = placement();
    if (!latest.equals(current)) {
      learn(latest);
      current = latest;
      reports.changed(latest);
    }
  }

  @Override
  public Placement current() {
    return current;
  }

  @Override
  public Partitioner partitioner() {
    return partitioner;
  }

  @Override
  public ErrorPolicy errorPolicy() {
    return errorPolicy;
  }

  /** {@inheritDoc} The thread is the topology thread. */
  @Override
  public void onChange(Consumer<Placement> listener) {
    reports.onChange(listener);
  }

  @Override
  public void moved(int partition, Endpoint owner) {
    int shard = partitioner.partOf(partition);
    shards.get(shard).moved(partition - partitioner.firstPartitionOf(shard), owner);
  }

  @Override
  public void requestRefresh(RefreshTrigger trigger) {
    for (Upstream shard : shards) {
      shard.requestRefresh(trigger);
    }
  }

  @Override
  public void demoted(Endpoint node) {
    Integer shard = shardOf.get(node);
    if (shard != null) {
      shards.get(shard).demoted(node);
    }
  }

  @Override
  public void failed(Endpoint node, Object loop, long received, boolean repeated) {
    Integer shard = ejection == null ? null : shardOf.get(node);
    if (ejection != null && shard != null) {
      ejection.failed(shard, node, loop, received, repeated);
    }
  }

  @Override
  public boolean isInCluster(Endpoint node) {
    Integer shard = shardOf.get(node);
    return shard != null && shards.get(shard).isInCluster(node);
  }

  @Override
  public boolean isReplaceable(Endpoint node) {
    Integer shard = shardOf.get(node);
    return shard == null || replaceable[shard];
  }

  @Override
  public void start() {
    for (Upstream shard : shards) {
      shard.onChange(_ -> update());
      shard.start();
    }
  }

  @Override
  public void close() {
    shards.forEach(Upstream::close);
    if (ejection != null) {
      ejection.close();
    }
  }

  /** {@inheritDoc} The members of all clusters among the shards, the sentinels, no refresh. */
  @Override
  public TopologyStatus status() {
    List<TopologyStatus.Member> members = new ArrayList<>();
    List<TopologyStatus.Sentinels> sentinels = new ArrayList<>();
    for (Upstream shard : shards) {
      TopologyStatus status = shard.status();
      members.addAll(status.nodes());
      sentinels.addAll(status.sentinels());
    }
    return new TopologyStatus(null, null, 0, members, sentinels);
  }
}
