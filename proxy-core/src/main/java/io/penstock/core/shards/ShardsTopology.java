package io.penstock.core.shards;

import io.netty.buffer.ByteBuf;
import io.penstock.core.layout.ShardLayout;
import io.penstock.core.topology.NestedTopology;
import io.penstock.core.topology.TopologyReports;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.upstream.Partitioner;
import io.penstock.core.upstream.Upstream;
import java.util.ArrayList;
import java.util.List;

/** Makes the upstream of shards: the shards are its parts, and the layout selects one. */
final class ShardsTopology {

  private ShardsTopology() {}

  static Upstream create(ShardsUpstreamSettings settings, UpstreamSettings.Context context) {
    List<Upstream> shards = new ArrayList<>();
    settings.shards().forEach(shard -> shards.add(shard.create(context)));
    var reports = new TopologyReports(context.control().thread(), context.events());
    EjectionSettings ejects = settings.ejection();
    if (ejects == null) {
      return create(settings, shards, reports);
    }
    var ejection =
        new Ejection(
            settings.layout(),
            ejects,
            new Ejection.Environment(
                context.control().thread(),
                context.events(),
                context.connectTimeout(),
                context.logPrefix()));
    return new NestedTopology(ejection, parts(settings, shards), ejection, reports);
  }

  /**
   * Makes it without ejection.
   *
   * @param shards of the settings, in their order
   */
  static Upstream create(
      ShardsUpstreamSettings settings, List<Upstream> shards, TopologyReports reports) {
    return new NestedTopology(
        new ByShard(settings.layout()),
        parts(settings, shards),
        NestedTopology.Failures.NONE,
        reports);
  }

  private static List<NestedTopology.Part> parts(
      ShardsUpstreamSettings settings, List<Upstream> shards) {
    List<NestedTopology.Part> parts = new ArrayList<>();
    for (int i = 0; i < shards.size(); i++) {
      Upstream shard = shards.get(i);
      parts.add(
          settings.holds()
              ? new NestedTopology.Part(shard, true)
              : NestedTopology.Part.of(settings.shards().get(i), shard));
    }
    return parts;
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
}
