package io.penstock.core.shards;

import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ErrorAction;
import io.penstock.core.upstream.ErrorPolicy;
import io.penstock.core.upstream.RetryablePrefix;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** The error policies of the shards: what an error means depends on the node that sent it. */
final class ShardErrorPolicies implements ErrorPolicy {

  private final ErrorPolicy[] ofShards;
  private final ToIntFunction<Endpoint> shardOf;

  /**
   * @param ofShards by shard
   * @param shardOf returns the shard of a node, or -1
   */
  ShardErrorPolicies(ErrorPolicy[] ofShards, ToIntFunction<Endpoint> shardOf) {
    this.ofShards = ofShards;
    this.shardOf = shardOf;
  }

  /** Returns a shard's policy as the policy of its partitions among those of all shards. */
  static ErrorPolicy from(int firstPartition, ErrorPolicy own) {
    return new ErrorPolicy() {
      @Override
      public ErrorAction actionFor(RetryablePrefix prefix, Scope scope) {
        return own.actionFor(prefix, scope);
      }

      @Override
      public int partitionOf(int slot) {
        return firstPartition + own.partitionOf(slot);
      }
    };
  }

  @Override
  public ErrorPolicy of(@Nullable Endpoint node) {
    int shard = node == null ? -1 : shardOf.applyAsInt(node);
    return shard < 0 ? this : ofShards[shard];
  }

  /** The action for the error of a node that has left all shards. */
  @Override
  public ErrorAction actionFor(RetryablePrefix prefix, Scope scope) {
    return SINGLE.actionFor(prefix, scope);
  }
}
