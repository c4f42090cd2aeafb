package io.penstock.core.shards;

import io.penstock.core.layout.ShardLayout;
import io.penstock.core.topology.NestedUpstreamSettings;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.upstream.NodeTransport;
import io.penstock.core.upstream.Upstream;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Shards, each of which is an upstream and has a part of the keys. Two are equal if their layouts
 * are computed from the same settings.
 *
 * @param layout which shard a key belongs to
 * @param shards in the order of the layout, all with the same database
 * @param holds whether requests for a server that nothing replaces wait in the failover hold too
 * @param ejection when a failing server leaves the layout, or null for never. Only if each shard is
 *     a single server, and the layout supports it
 */
public record ShardsUpstreamSettings(
    ShardLayout layout,
    List<UpstreamSettings> shards,
    boolean holds,
    @Nullable EjectionSettings ejection)
    implements NestedUpstreamSettings {

  public ShardsUpstreamSettings {
    shards = List.copyOf(shards);
    if (layout.shards().size() != shards.size()) {
      throw new IllegalArgumentException(
          "the layout has " + layout.shards().size() + " shards, not " + shards.size());
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ShardsUpstreamSettings that
        && that.layout.settings().equals(layout.settings())
        && that.shards.equals(shards)
        && that.holds == holds
        && Objects.equals(that.ejection, ejection);
  }

  @Override
  public int hashCode() {
    return Objects.hash(layout.settings(), shards, holds, ejection);
  }

  @Override
  public Upstream create(Context context) {
    return ShardsTopology.create(this, context);
  }

  /** {@inheritDoc} This sets it for each shard. */
  @Override
  public ShardsUpstreamSettings with(NodeTransport transport) {
    return new ShardsUpstreamSettings(
        layout, shards.stream().map(shard -> shard.with(transport)).toList(), holds, ejection);
  }

  @Override
  public List<UpstreamSettings> parts() {
    return shards;
  }

  @Override
  public String summary() {
    return shards.size()
        + (shards.size() == 1 ? " shard" : " shards")
        + " by "
        + layout.distribution().text();
  }
}
