package io.penstock.core.discovery;

import io.penstock.core.cluster.SlotMap;
import io.penstock.core.upstream.Endpoint;
import java.util.Map;

/** A cluster of three shards in several states, in the form of {@code CLUSTER NODES}. */
public final class Views {

  public static final Endpoint A = new Endpoint("10.0.0.1", 7000);
  public static final Endpoint B = new Endpoint("10.0.0.2", 7000);
  public static final Endpoint C = new Endpoint("10.0.0.3", 7000);
  public static final Endpoint D = new Endpoint("10.0.0.4", 7000);

  /** Three masters; d is a replica of a. */
  public static final String HEALTHY =
      """
      a 10.0.0.1:7000@17000 myself,master - 0 0 1 connected 0-5460
      b 10.0.0.2:7000@17000 master - 0 0 2 connected 5461-10922
      c 10.0.0.3:7000@17000 master - 0 0 3 connected 10923-16383
      d 10.0.0.4:7000@17000 slave a 0 0 1 connected
      """;

  /** a failed, and no replica has taken over yet. */
  public static final String A_FAILED =
      """
      a 10.0.0.1:7000@17000 master,fail - 0 0 1 disconnected 0-5460
      b 10.0.0.2:7000@17000 myself,master - 0 0 2 connected 5461-10922
      c 10.0.0.3:7000@17000 master - 0 0 3 connected 10923-16383
      d 10.0.0.4:7000@17000 slave a 0 0 1 connected
      """;

  /** d was promoted in place of a, with epoch 4. */
  public static final String D_PROMOTED =
      """
      a 10.0.0.1:7000@17000 master,fail - 0 0 1 disconnected
      b 10.0.0.2:7000@17000 myself,master - 0 0 2 connected 5461-10922
      c 10.0.0.3:7000@17000 master - 0 0 3 connected 10923-16383
      d 10.0.0.4:7000@17000 master - 0 0 4 connected 0-5460
      """;

  /** Slot 0 was moved from a to b, which got epoch 5 with it. */
  public static final String SLOT_0_ON_B =
      """
      a 10.0.0.1:7000@17000 master - 0 0 1 connected 1-5460
      b 10.0.0.2:7000@17000 myself,master - 0 0 5 connected 0 5461-10922
      c 10.0.0.3:7000@17000 master - 0 0 3 connected 10923-16383
      d 10.0.0.4:7000@17000 slave a 0 0 1 connected
      """;

  /** The view of a after it has just started and reaches no other node. */
  public static final String A_ALONE =
      """
      a 10.0.0.1:7000@17000 myself,master - 0 0 1 connected 0-5460
      b 10.0.0.2:7000@17000 master - 0 0 2 disconnected 5461-10922
      c 10.0.0.3:7000@17000 master - 0 0 3 disconnected 10923-16383
      d 10.0.0.4:7000@17000 slave a 0 0 1 disconnected
      """;

  /** Another cluster at the same addresses. */
  public static final String OTHER =
      """
      x 10.0.0.1:7000@17000 myself,master - 0 0 1 connected 0-8191
      y 10.0.0.2:7000@17000 master - 0 0 2 connected 8192-16383
      """;

  /** A node that never joined a cluster. */
  public static final String EMPTY_NODE = "z :7000@17000 myself,master - 0 0 0 connected\n";

  private Views() {}

  public static ClusterView view(String text) {
    return view(A, text);
  }

  public static ClusterView view(Endpoint source, String text) {
    return new ClusterNodesParser(source, Map.of()).parse(text);
  }

  public static KnownCluster knowing(String text) {
    return KnownCluster.of(view(text)).now();
  }

  public static SlotMap map(KnownCluster known) {
    return SlotMapAssembly.assemble(known, new Endpoint[SlotMap.SLOTS], SlotMap.EMPTY);
  }
}
