package io.penstock.bench.harness;

import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.cluster.ServerProcess;
import java.util.ArrayList;
import java.util.List;

/**
 * The servers behind a proxy.
 *
 * @param resource their URL, as Penstock takes it
 * @param pids their processes
 */
public record Servers(String resource, List<Long> pids) {

  public Servers {
    pids = List.copyOf(pids);
  }

  /** All nodes of a cluster. */
  public static Servers of(EmbeddedCluster cluster) {
    return new Servers(cluster.resource(), pids(cluster));
  }

  /** A server on its own. */
  public static Servers of(ServerProcess server) {
    return new Servers("redis://" + server.host() + ":" + server.port(), List.of(server.pid()));
  }

  static List<Long> pids(EmbeddedCluster cluster) {
    List<Long> pids = new ArrayList<>();
    for (Member member : cluster.members()) {
      pids.add(member.server().pid());
    }
    return pids;
  }
}
