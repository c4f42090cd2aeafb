package io.penstock.core.upstream;

import java.util.List;

/**
 * One master, its replicas, and the configuration epoch of that knowledge.
 *
 * @param master the node that serves writes for the shard's slots
 * @param replicas its replicas, possibly none
 * @param configEpoch the master's configuration epoch: of two claims to a slot, the one with the
 *     higher epoch is newer (Redis Cluster specification, "Configuration epoch"); 0 if unknown
 */
public record Shard(Endpoint master, List<Endpoint> replicas, long configEpoch) {

  public Shard {
    replicas = List.copyOf(replicas);
  }
}
