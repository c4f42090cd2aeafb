package io.penstock.core.shards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.core.cluster.ClusterErrorPolicy;
import io.penstock.core.cluster.SlotMap;
import io.penstock.core.layout.Distribution;
import io.penstock.core.layout.LayoutSettings;
import io.penstock.core.layout.ShardLayout;
import io.penstock.core.layout.SlotShare;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.topology.ManualThread;
import io.penstock.core.topology.NestedTopology;
import io.penstock.core.topology.TopologyReports;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.upstream.Access;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ErrorAction;
import io.penstock.core.upstream.ErrorPolicy;
import io.penstock.core.upstream.NodeTransport;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.RetryablePrefix;
import io.penstock.core.upstream.Shard;
import io.penstock.core.upstream.SinglePartitioner;
import io.penstock.core.upstream.SinglePlacement;
import io.penstock.core.upstream.Upstream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The first shard is a server, the second a cluster. */
class ShardsTopologyTest {

  private static final Endpoint A = new Endpoint("a", 1);
  private static final Endpoint B = new Endpoint("b", 1);
  private static final Endpoint C = new Endpoint("c", 1);
  private static final int FIRST_OF_CLUSTER = 1;

  private final Part server = new Part(new SinglePlacement(new Shard(A, List.of(), 0)), true);
  private final Part cluster = new Part(clusterOf(B), false);
  private final List<Placement> published = new ArrayList<>();
  private final ManualThread thread = new ManualThread();
  private Upstream shards = create(false);

  private static SlotMap clusterOf(Endpoint master) {
    return new SlotMap.Builder()
        .shard(new Shard(master, List.of(), 1))
        .range(0, SlotMap.SLOTS - 1)
        .build();
  }

  /** A shard that the test changes, and what it was told. */
  private static final class Part implements Upstream, UpstreamSettings {

    private final boolean fixed;
    private final List<String> told = new ArrayList<>();
    private Placement placement;
    private @Nullable Consumer<Placement> listener;

    Part(Placement placement, boolean fixed) {
      this.placement = placement;
      this.fixed = fixed;
    }

    void publish(Placement latest) {
      placement = latest;
      if (listener != null) {
        listener.accept(latest);
      }
    }

    @Override
    public Upstream create(Context context) {
      return this;
    }

    @Override
    public UpstreamSettings with(NodeTransport transport) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Access access() {
      return Access.NONE;
    }

    @Override
    public List<Endpoint> addresses() {
      return List.copyOf(placement.nodes());
    }

    @Override
    public boolean hasFixedNodes() {
      return fixed;
    }

    @Override
    public String description() {
      return "part";
    }

    @Override
    public Placement current() {
      return placement;
    }

    @Override
    public ErrorPolicy errorPolicy() {
      return fixed ? ErrorPolicy.SINGLE : new ClusterErrorPolicy();
    }

    @Override
    public void moved(int partition, Endpoint owner) {
      told.add("moved " + partition + " " + owner.host());
    }

    @Override
    public void requestRefresh(RefreshTrigger trigger) {
      told.add("refresh " + trigger);
    }

    @Override
    public void demoted(Endpoint node) {
      told.add("demoted " + node.host());
    }

    @Override
    public boolean isInCluster(Endpoint node) {
      return !fixed;
    }

    @Override
    public void onChange(Consumer<Placement> told) {
      listener = told;
    }

    @Override
    public void close() {
      told.add("closed");
    }
  }

  private Upstream create(boolean holds) {
    ShardLayout layout =
        ShardLayout.of(
            LayoutSettings.ofSlots(
                Distribution.CAMELLIA,
                List.of(new SlotShare(List.of(0), "a"), new SlotShare(List.of(1), "b"))));
    return ShardsTopology.create(
        new ShardsUpstreamSettings(layout, List.of(server, cluster), holds, null),
        List.of(server, cluster),
        new TopologyReports(thread, new ProxyEvents() {}));
  }

  @BeforeEach
  void start() {
    shards.onChange(published::add);
    shards.start();
  }

  @Test
  void its_placement_has_the_nodes_of_all_shards() {
    assertThat(shards.current().nodes()).containsExactly(A, B);
    assertThat(shards.current().hasOneBus()).isFalse();
    assertThat(shards.partitioner().partitions()).isEqualTo(1 + SlotMap.SLOTS);
  }

  @Test
  void a_change_of_a_shard_is_published_once() {
    cluster.publish(clusterOf(C));
    cluster.publish(clusterOf(C));
    thread.run();

    assertThat(published).hasSize(1);
    assertThat(published.getFirst().nodes()).containsExactly(A, C);
    assertThat(shards.current()).isEqualTo(published.getFirst());
  }

  @Test
  void a_redirect_concerns_the_slot_of_the_shard() {
    shards.moved(FIRST_OF_CLUSTER + 7, C);

    assertThat(cluster.told).containsExactly("moved 7 c");
    assertThat(server.told).isEmpty();
    assertThat(shards.errorPolicy().of(B).partitionOf(7)).isEqualTo(FIRST_OF_CLUSTER + 7);
  }

  @Test
  void an_error_means_what_it_means_in_the_shard_that_sent_it() {
    var scope = ErrorPolicy.Scope.KEYS;
    ErrorPolicy policy = shards.errorPolicy();
    assertThat(policy.of(B).actionFor(RetryablePrefix.MOVED, scope))
        .isEqualTo(ErrorAction.REDIRECT);
    assertThat(policy.of(A).actionFor(RetryablePrefix.MOVED, scope))
        .isEqualTo(ErrorPolicy.SINGLE.actionFor(RetryablePrefix.MOVED, scope));
    cluster.publish(clusterOf(C));
    assertThat(policy.of(C).actionFor(RetryablePrefix.MOVED, scope))
        .isEqualTo(ErrorAction.REDIRECT);
    assertThat(policy.of(B).actionFor(RetryablePrefix.MOVED, scope))
        .as("a late reply of a node that has left")
        .isEqualTo(ErrorAction.REDIRECT);
  }

  @Test
  void only_what_nothing_replaces_is_not_waited_for() {
    assertThat(shards.isReplaceable(A)).isFalse();
    assertThat(shards.isReplaceable(B)).isTrue();
    shards = create(true);
    assertThat(shards.isReplaceable(A)).isTrue();
  }

  /** The shards are a part of another upstream, and hold requests for their only server. */
  @Test
  void a_part_of_parts_says_itself_what_is_waited_for() {
    ShardLayout one =
        ShardLayout.of(
            LayoutSettings.ofSlots(Distribution.CAMELLIA, List.of(new SlotShare(List.of(0), "a"))));
    var settings = new ShardsUpstreamSettings(one, List.of(server), true, null);
    TopologyReports reports = new TopologyReports(thread, new ProxyEvents() {});
    var part =
        NestedTopology.Part.of(settings, ShardsTopology.create(settings, List.of(server), reports));
    var whole =
        new NestedTopology(
            SinglePartitioner.INSTANCE, List.of(part), NestedTopology.Failures.NONE, reports);

    assertThat(whole.isReplaceable(A)).isTrue();
  }

  @Test
  void only_nodes_of_a_cluster_are_in_one() {
    assertThat(shards.isInCluster(A)).isFalse();
    assertThat(shards.isInCluster(B)).isTrue();
    assertThat(shards.isInCluster(C)).isFalse();
  }

  @Test
  void a_server_that_became_a_replica_concerns_its_shard() {
    shards.demoted(A);

    assertThat(server.told).containsExactly("demoted a");
    assertThat(cluster.told).isEmpty();
  }

  @Test
  void all_shards_are_refreshed_and_closed() {
    shards.requestRefresh(RefreshTrigger.NO_REPLY);
    shards.close();

    assertThat(server.told).containsExactly("refresh NO_REPLY", "closed");
    assertThat(cluster.told).containsExactly("refresh NO_REPLY", "closed");
  }

  @Test
  void each_shard_of_the_layout_needs_an_upstream() {
    ShardLayout layout =
        ShardLayout.of(
            LayoutSettings.ofSlots(
                Distribution.CAMELLIA, List.of(new SlotShare(List.of(0, 1), "a"))));
    assertThatThrownBy(
            () -> new ShardsUpstreamSettings(layout, List.of(server, cluster), false, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the layout has 1 shards, not 2");
  }
}
