package io.penstock.core.upstream;

import java.util.List;

/**
 * One master, the replicas that follow it, and how recent that knowledge is.
 *
 * @param master the node that takes writes for the shard's slots
 * @param replicas its replicas, possibly none
 * @param configEpoch the master's configuration epoch; of two claims to a slot the higher epoch is
 *     the newer one (Redis Cluster specification, "Configuration epoch"); 0 where unknown
 */
public record Shard(Endpoint master, List<Endpoint> replicas, long configEpoch) {

  public Shard {
    replicas = List.copyOf(replicas);
  }
}
