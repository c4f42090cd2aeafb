package io.penstock.core.session;

import io.penstock.core.cluster.SlotMap;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ErrorPolicy;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.ReadTargets;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.Shard;
import io.penstock.core.upstream.SinglePlacement;
import io.penstock.core.upstream.Topology;
import io.penstock.core.upstream.UnknownPlacement;
import io.penstock.testkit.network.Peer;
import io.penstock.testkit.network.ScriptedNode;
import io.penstock.testkit.wire.Wire;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The upstream of a rig: nodes whose every byte the test sends and expects itself, and the topology
 * that the test publishes. Publishing here tells no loop.
 */
class ScriptedUpstream {

  /** The topology of a single server; calls are recorded in {@code asked}. */
  private static final class SingleServer implements Topology {

    private final RigTopology asked;
    private final ErrorPolicy errorPolicy;
    private volatile Placement current;

    SingleServer(RigTopology asked, Placement first, ErrorPolicy errorPolicy) {
      this.asked = asked;
      this.current = first;
      this.errorPolicy = errorPolicy;
    }

    @Override
    public Placement current() {
      return current;
    }

    @Override
    public ErrorPolicy errorPolicy() {
      return errorPolicy;
    }

    @Override
    public ReadTargets readTargets() {
      return asked.readTargets();
    }

    @Override
    public void moved(int partition, Endpoint owner) {
      asked.moved(partition, owner);
    }

    @Override
    public void requestRefresh(RefreshTrigger trigger) {
      asked.requestRefresh(trigger);
    }
  }

  private final List<ScriptedNode> nodes;
  private final boolean isSync;
  private final Set<Integer> accepted = new HashSet<>(); // whose first connection was accepted
  private final Map<Integer, Peer> started = new HashMap<>(); // accepted and not used yet
  private final RigTopology topology;
  private final Topology known; // by the data path

  ScriptedUpstream(RigOptions options) {
    isSync = options.isSync();
    int replicas = options.replicas();
    nodes = Stream.generate(ScriptedNode::new).limit(Math.max(2, 1 + replicas)).toList();
    topology = new RigTopology(replicas == 0 ? halves() : masterAndReplicas());
    readFrom(addresses().subList(1, nodes.size()));
    known =
        options.isSharded()
            ? topology
            : new SingleServer(
                topology,
                options.isMasterKnown()
                    ? new SinglePlacement(shardOfAll(replicas))
                    : UnknownPlacement.INSTANCE,
                options.policy());
  }

  private SlotMap halves() {
    return new SlotMap.Builder()
        .shard(new Shard(address(0), List.of(), 1))
        .range(0, 8_191)
        .shard(new Shard(address(1), List.of(), 2))
        .range(8_192, 16_383)
        .build();
  }

  private SlotMap masterAndReplicas() {
    return new SlotMap.Builder().shard(shardOfAll(nodes.size() - 1)).range(0, 16_383).build();
  }

  private Shard shardOfAll(int replicas) {
    return new Shard(address(0), addresses().subList(1, 1 + replicas), 1);
  }

  private List<Endpoint> addresses() {
    return IntStream.range(0, nodes.size()).mapToObj(this::address).toList();
  }

  private void readFrom(List<Endpoint> targets) {
    topology.publish(new ReadTargets(Map.of(address(0), targets), false));
  }

  /** Publishes which nodes may be read. */
  final void readSilentlyFrom(Integer... which) {
    readFrom(Stream.of(which).map(this::address).toList());
  }

  /** Publishes a map without notifying the loop. */
  final void publishSilently(SlotMap map) {
    topology.publish(map);
  }

  /** Publishes the master of an upstream that is not sharded. */
  final void publishMasterSilently(int node) {
    ((SingleServer) known).current = new SinglePlacement(address(node));
  }

  /** The topology that the test publishes; its calls are also those of a single server. */
  final RigTopology topology() {
    return topology;
  }

  /** The topology as the data path knows it. */
  final Topology known() {
    return known;
  }

  final Endpoint address(int node) {
    return new Endpoint("127.0.0.1", nodes.get(node).port());
  }

  final ScriptedNode server(int node) {
    return nodes.get(node);
  }

  /** Accepts the proxy's next connection to a node. */
  final Peer accept(int node) {
    Peer known = started.remove(node);
    accepted.add(node);
    return known == null ? nodes.get(node).accept() : known;
  }

  /** Accepts the proxy's next connection to a node, which is a subscriber connection. */
  final Peer acceptSubscriberConnection(int node) {
    if (!isSync && accepted.add(node)) { // the connection for requests comes first
      started.put(node, nodes.get(node).accept());
    }
    return nodes
        .get(node)
        .acceptUnanswered()
        .expect(Wire.request("HELLO", "3") + ScriptedNode.NAMING)
        .send("%0\r\n+OK\r\n");
  }

  /** Accepts the proxy's next connection for reads to a replica. */
  final Peer acceptReads(int node) {
    return nodes
        .get(node)
        .acceptUnanswered()
        .expect(ScriptedNode.NAMING + Wire.request("READONLY"))
        .send("+OK\r\n+OK\r\n");
  }

  /** As {@link #accept}, with the handshake left to the test. */
  final Peer acceptUnanswered(int node) {
    accepted.add(node);
    return nodes.get(node).acceptUnanswered();
  }

  /** Accepts the connection that the proxy makes to each node when it starts. */
  final Peer connected(int node) {
    return accept(node);
  }

  final void closeNodes() {
    nodes.forEach(ScriptedNode::close);
  }
}
