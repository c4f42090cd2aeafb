package io.penstock.core.split;

import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Shard;
import java.util.ArrayList;
import java.util.List;

/**
 * An upstream that is read at.
 *
 * @param masters whether its masters are read
 * @param replicas whether its replicas are
 */
public record ReadPart(UpstreamSettings upstream, boolean masters, boolean replicas) {

  List<Endpoint> nodesOf(Shard shard) {
    List<Endpoint> nodes = new ArrayList<>();
    if (masters) {
      nodes.add(shard.master());
    }
    if (replicas) {
      nodes.addAll(shard.replicas());
    }
    return nodes;
  }
}
