package io.penstock.core.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.penstock.core.backend.BackendListener;
import io.penstock.core.backend.BackendSettings;
import io.penstock.core.backend.QueueLimits;
import io.penstock.core.cluster.ClusterErrorPolicy;
import io.penstock.core.cluster.SlotMap;
import io.penstock.core.dispatch.AsyncDispatcher;
import io.penstock.core.dispatch.ReadNodes;
import io.penstock.core.dispatch.ReadTarget;
import io.penstock.core.observe.Label;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.read.ReadRoutes.Way;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.transport.Transport;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ErrorPolicy;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.ReadFrom;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.core.upstream.ReadTargets;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.Shard;
import io.penstock.core.upstream.Topology;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Two shards of 8,192 partitions with three replicas each. No node is ever connected to. */
class ReadRoutesTest {

  private static final int FIRST = 1;
  private static final int SECOND = 10_000;

  private final Loop loop = Loop.over(new EmbeddedChannel().eventLoop());
  private final Nodes nodes = new Nodes();
  private final AsyncDispatcher dispatcher = dispatcher();

  private static Endpoint node(int port) {
    return new Endpoint("127.0.0.1", port);
  }

  private static Shard shard(int master, int... replicas) {
    List<Endpoint> all = new ArrayList<>();
    for (int port : replicas) {
      all.add(node(port));
    }
    return new Shard(node(master), all, 1);
  }

  private static SlotMap map(Shard first, Shard second) {
    return new SlotMap.Builder()
        .shard(first)
        .range(0, 8_191)
        .shard(second)
        .range(8_192, 16_383)
        .build();
  }

  private static final class Nodes implements Topology {

    private final SlotMap initial = map(shard(1, 11, 12, 13), shard(2, 21, 22, 23));
    private SlotMap current = initial;
    private ReadTargets targets = targetsOf(initial);

    private static ReadTargets targetsOf(SlotMap map) {
      Map<Endpoint, List<Endpoint>> all = new HashMap<>();
      map.shards().forEach(shard -> all.put(shard.master(), shard.replicas()));
      return new ReadTargets(all, false);
    }

    @Override
    public Placement current() {
      return current;
    }

    @Override
    public ReadTargets readTargets() {
      return targets;
    }

    @Override
    public void moved(int partition, Endpoint owner) {}

    @Override
    public ErrorPolicy errorPolicy() {
      return new ClusterErrorPolicy();
    }

    @Override
    public void requestRefresh(RefreshTrigger trigger) {}
  }

  private AsyncDispatcher dispatcher() {
    Duration timeout = Duration.ofSeconds(2);
    var settings =
        new BackendSettings(
            timeout,
            timeout,
            1,
            1,
            1,
            100,
            QueueLimits.DEFAULTS,
            ReadSettings.of(ReadFrom.REPLICA_PREFERRED),
            Label.ONLY);
    var group = new LoopGroup(Transport.NIO, 1); // its threads are never started
    return new AsyncDispatcher(group, loop, settings, nodes, ProxyEvents.NONE);
  }

  private ReadRoutes client() {
    ReadNodes readNodes = Objects.requireNonNull(dispatcher.nodes().readNodes());
    return new ReadRoutes(readNodes, loop);
  }

  /** Returns the port of the replica that the client reads the partition from. */
  private static int portOf(ReadRoutes client, int partition) {
    assertThat(client.begin(partition, true)).isEqualTo(Way.REPLICA);
    ReadTarget target = Objects.requireNonNull(client.target());
    client.end(partition, Way.REPLICA, false);
    return target.node().node().port();
  }

  private void publish(SlotMap map, ReadTargets targets) {
    nodes.current = map;
    nodes.targets = targets;
    dispatcher.adoptPlacement();
  }

  private void publishTargets(int... ofFirst) {
    List<Endpoint> first = shard(1, ofFirst).replicas();
    publish(
        nodes.current,
        new ReadTargets(
            Map.of(node(1), first, node(2), List.of(node(21), node(22), node(23))), false));
  }

  @Test
  void clientsAreDistributedEvenlyInEachShard() {
    Map<Integer, Integer> clients = new HashMap<>();
    for (int i = 0; i < 300; i++) {
      ReadRoutes client = client();
      clients.merge(portOf(client, FIRST), 1, Integer::sum);
      clients.merge(portOf(client, SECOND), 1, Integer::sum);
    }

    assertThat(clients.keySet()).containsExactlyInAnyOrder(11, 12, 13, 21, 22, 23);
    assertThat(clients.values()).containsOnly(100);
  }

  @Test
  void aClientStaysWhileItsReplicaMayBeRead() {
    ReadRoutes client = client();
    int port = portOf(client, FIRST);
    int other = port == 11 ? 12 : 11;

    publishTargets(port);
    assertThat(portOf(client, FIRST)).isEqualTo(port);
    publishTargets(11, 12, 13);
    assertThat(portOf(client, FIRST + 1)).isEqualTo(port);

    publishTargets(other);
    assertThat(portOf(client, FIRST)).isEqualTo(other);
    publishTargets(11, 12, 13);
    assertThat(portOf(client, FIRST)).isEqualTo(other);
  }

  @Test
  void aClientKeepsItsReplicaWhenAnotherIsPromoted() {
    ReadRoutes client = client();
    int port = portOf(client, FIRST);
    int promoted = port == 11 ? 12 : 11;
    int third = 11 + 12 + 13 - port - promoted;

    SlotMap after = map(shard(promoted, third, port, 1), shard(2, 21, 22, 23));
    publish(after, Nodes.targetsOf(after));

    assertThat(portOf(client, FIRST)).isEqualTo(port);
  }

  @Test
  void aReplicaThatFailedIsLeftOutForSomeTime() {
    ReadRoutes client = client();
    int port = portOf(client, FIRST);

    Objects.requireNonNull(dispatcher.nodes().readNodes()).leaveOut(FIRST, node(port));

    assertThat(portOf(client, FIRST)).isNotEqualTo(port);
  }

  /** It may have restarted without its data, and the topology thread has not asked it since. */
  @Test
  void aReplicaIsNotReadAsSoonAsItIsConnectedAgain() {
    ReadRoutes client = client();
    int port = portOf(client, FIRST);
    var listener = (BackendListener) Objects.requireNonNull(dispatcher.nodes().readNodes());

    listener.onDisconnected(node(port), 0, new IOException("connection reset"));
    listener.onConnected(node(port));

    assertThat(portOf(client, FIRST)).isNotEqualTo(port);
  }

  @Test
  void aMasterIsNotLeftOut() {
    publishTargets(1);

    Objects.requireNonNull(dispatcher.nodes().readNodes()).leaveOut(FIRST, node(1));

    assertThat(client().begin(FIRST, true)).isEqualTo(Way.MASTER_READ);
  }

  @Test
  void onlyReadsGoToReplicas() {
    ReadRoutes client = client();

    assertThat(client.begin(FIRST, false)).isEqualTo(Way.MASTER);
    assertThat(client.mustWait(FIRST, true)).isFalse();
    assertThat(client.begin(FIRST, true)).isEqualTo(Way.MASTER_READ);
    assertThat(client.begin(FIRST + 1, true)).isEqualTo(Way.REPLICA);
    assertThat(client.replicaReads()).isEqualTo(1);
    assertThat(client.mustWait(FIRST + 1, false)).isTrue();
    assertThat(client.mustWait(FIRST + 2, false)).isFalse();
  }

  @Test
  void writesToManyPartitionsCountAsWritesToAll() {
    ReadRoutes client = client();
    for (int partition = 0; partition < 600; partition++) {
      client.begin(partition, false);
      client.end(partition, Way.MASTER, true);
    }

    assertThat(client.begin(SECOND, true)).isEqualTo(Way.MASTER_READ);
  }

  @Test
  void aReadThatFailedIsReadAtTheMasterIfNoReplicaIsLeft() {
    ReadRoutes client = client();
    client.begin(FIRST, true);
    publishTargets();

    assertThat(client.again(FIRST)).isEqualTo(Way.MASTER_READ);
    assertThat(client.target()).isNull();
  }
}
