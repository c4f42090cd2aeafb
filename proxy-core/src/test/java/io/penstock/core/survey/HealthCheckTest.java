package io.penstock.core.survey;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisLoadingException;
import io.netty.buffer.ByteBuf;
import io.penstock.core.cluster.SlotMap;
import io.penstock.core.control.Pinger;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.observe.UpstreamStatus;
import io.penstock.core.observe.UpstreamStatus.Gap;
import io.penstock.core.observe.UpstreamStatus.NodeStatus;
import io.penstock.core.observe.UpstreamStatus.Trouble;
import io.penstock.core.topology.ManualThread;
import io.penstock.core.topology.TestTopology;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.NestedPlacement;
import io.penstock.core.upstream.Partitioner;
import io.penstock.core.upstream.Shard;
import io.penstock.core.upstream.SinglePartitioner;
import io.penstock.core.upstream.SinglePlacement;
import java.net.ConnectException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class HealthCheckTest {

  private static final Endpoint A = new Endpoint("a", 1);
  private static final Endpoint A2 = new Endpoint("a", 2);
  private static final Endpoint B = new Endpoint("b", 1);
  private static final Duration SECOND = Duration.ofSeconds(1);

  /** Nodes that answer unless they are dead or frozen. */
  private static final class Scripted implements Pinger {
    final List<Endpoint> pinged = new ArrayList<>();
    final Set<Endpoint> dead = new HashSet<>();
    final Set<Endpoint> frozen = new HashSet<>();
    final Set<Endpoint> loading = new HashSet<>();
    final Set<Endpoint> clusterIsDown = new HashSet<>();
    final Set<Endpoint> asked = new HashSet<>();
    Set<Endpoint> kept = Set.of();

    @Override
    public CompletionStage<Optional<String>> clusterFailure(Endpoint node) {
      asked.add(node);
      return CompletableFuture.completedFuture(
          clusterIsDown.contains(node)
              ? Optional.of("CLUSTERDOWN, cluster_state:fail")
              : Optional.empty());
    }

    @Override
    public CompletionStage<?> ping(Endpoint node) {
      pinged.add(node);
      if (frozen.contains(node)) {
        return new CompletableFuture<>();
      }
      if (loading.contains(node)) {
        return CompletableFuture.failedFuture(new RedisLoadingException("LOADING"));
      }
      return dead.contains(node)
          ? CompletableFuture.failedFuture(new ConnectException("Connection refused"))
          : CompletableFuture.completedFuture("PONG");
    }

    @Override
    public void keepOnly(Set<Endpoint> nodes) {
      kept = Set.copyOf(nodes);
    }
  }

  private final ManualThread thread = new ManualThread();
  private final Scripted nodes = new Scripted();
  private final TestTopology topology = new TestTopology(shards(A, A2));
  private final List<UpstreamStatus> published = new ArrayList<>();
  private final ProxyEvents events =
      new ProxyEvents() {
        @Override
        public void healthChecked(UpstreamStatus status) {
          published.add(status);
        }
      };
  private final HealthCheck check = new HealthCheck(thread, nodes, topology, events);

  private void started() {
    check.start();
    thread.run();
  }

  private static SlotMap shards(Endpoint first, Endpoint... replicas) {
    return new SlotMap.Builder()
        .shard(new Shard(first, List.of(replicas), 1))
        .range(0, 5_000)
        .shard(new Shard(B, List.of(), 2))
        .range(5_001, 16_383)
        .build();
  }

  private void failover() {
    topology.map = shards(A2);
    check.topologyChanged();
    thread.run();
  }

  @Test
  void nothingIsCoveredBeforeANodeHasAnswered() {
    nodes.frozen.addAll(Set.of(A, A2, B));

    started();

    UpstreamStatus status = check.status();
    assertThat(status.coveredSlots()).isZero();
    assertThat(status.gaps()).extracting(Gap::slots).containsExactly("0-5000", "5001-16383");
    assertThat(status.isComplete()).isFalse();
  }

  @Test
  void aSlotIsCoveredWhenItsMasterAnswers() {
    nodes.dead.add(B);

    started();

    UpstreamStatus status = check.status();
    assertThat(status.coveredSlots()).isEqualTo(5_001);
    assertThat(status.gaps())
        .singleElement()
        .satisfies(gap -> {
          assertThat(gap.slots()).isEqualTo("5001-16383");
          assertThat(gap.master()).isEqualTo(B);
          assertThat(gap.reason()).isEqualTo("Connection refused");
        });
    assertThat(status.nodes()).extracting(NodeStatus::node).containsExactly(A, A2, B);
    assertThat(status.nodes()).extracting(NodeStatus::up).containsExactly(true, true, false);
    assertThat(status.nodes()).extracting(NodeStatus::master).containsExactly(true, false, true);
  }

  @Test
  void aSingleServerCoversAllSlotsOrNone() {
    topology.map = new SinglePlacement(A);
    nodes.dead.add(A);
    started();
    assertThat(check.status().coveredSlots()).isZero();
    assertThat(check.status().gaps()).extracting(Gap::slots).containsExactly("0-16383");

    nodes.dead.clear();
    thread.advance(SECOND.multipliedBy(5));
    assertThat(check.status().coveredSlots()).isEqualTo(16_384);
    assertThat(check.status().isComplete()).isTrue();
  }

  @Test
  void allNodesAreCheckedPeriodically() {
    started();
    thread.advance(SECOND.multipliedBy(5));

    assertThat(nodes.pinged).containsExactly(A, A2, B, A, A2, B, A, A2, B);
    assertThat(check.status().coveredSlots()).isEqualTo(SlotMap.SLOTS);
    assertThat(check.status().gaps()).isEmpty();
    assertThat(published)
        .hasSize(3 + 3)
        .last()
        .satisfies(last -> assertThat(last.isComplete()).isTrue());
  }

  @Test
  void anAnswerCountsForFiveSeconds() {
    started();
    nodes.dead.add(A);

    thread.advance(SECOND.multipliedBy(5));
    assertThat(check.status().isComplete()).isTrue();

    thread.advance(Duration.ofMillis(1));
    assertThat(check.status().gaps()).extracting(Gap::slots).containsExactly("0-5000");
    nodes.dead.clear();
    thread.advance(SECOND.multipliedBy(2));
    assertThat(check.status().isComplete()).isTrue();
  }

  @Test
  void aMasterWhoseClusterIsDownAnswersButServesNoSlot() {
    topology.cluster.addAll(Set.of(A, A2, B));
    started();
    assertThat(nodes.asked).as("only masters are asked").containsExactlyInAnyOrder(A, B);
    Instant served = Objects.requireNonNull(check.status().nodes().getFirst().lastServed());
    nodes.clusterIsDown.add(A);

    thread.advance(SECOND.multipliedBy(5));
    assertThat(check.status().isComplete()).as("a failover makes nothing unready").isTrue();
    thread.advance(SECOND);

    UpstreamStatus status = check.status();
    assertThat(status.coveredSlots()).isEqualTo(16_384 - 5_001);
    assertThat(status.gaps())
        .containsExactly(new Gap(0, 5_000, A, served, "CLUSTERDOWN, cluster_state:fail"));
    assertThat(status.nodes()).extracting(NodeStatus::up).containsExactly(true, true, true);
    assertThat(status.nodes()).extracting(NodeStatus::serves).containsExactly(false, true, true);
    assertThat(status.nodes().getFirst().trouble())
        .isEqualTo(new Trouble("CLUSTERDOWN, cluster_state:fail", true));

    nodes.clusterIsDown.clear();
    thread.advance(SECOND.multipliedBy(2));
    assertThat(check.status().isComplete()).isTrue();
  }

  @Test
  void slotsOfAServerThatIsNotInUseAreCoveredByOthers() {
    var outOfUse = new HashSet<Integer>();
    Partitioner outer =
        new Partitioner() {
          @Override
          public int partitions() {
            return 2;
          }

          @Override
          public int partitionOf(ByteBuf buffer, int offset, int length) {
            return 0;
          }

          @Override
          public boolean isInUse(int partition) {
            return !outOfUse.contains(partition);
          }
        };
    var parts = List.of(SinglePartitioner.INSTANCE, SinglePartitioner.INSTANCE);
    topology.map =
        new NestedPlacement(
            new NestedPlacement.NestedPartitioner(outer, parts),
            List.of(new SinglePlacement(A), new SinglePlacement(B)));
    nodes.dead.add(B);
    started();
    assertThat(check.status().coveredSlots()).isEqualTo(8_192);

    outOfUse.add(1);

    assertThat(check.status().coveredSlots()).isEqualTo(16_384);
    assertThat(check.status().isComplete()).isTrue();
    assertThat(check.status().statusOf(B)).extracting(NodeStatus::serves).isEqualTo(false);
  }

  @Test
  void onlyNodesOfAClusterAreAskedForItsState() {
    started();
    assertThat(nodes.pinged).contains(A, B);
    assertThat(nodes.asked).isEmpty();
  }

  @Test
  void anErrorReplyIsTheNodesAnswer() {
    nodes.loading.add(A);
    nodes.dead.add(B);
    started();

    assertThat(check.status().nodes())
        .extracting(NodeStatus::trouble)
        .containsExactly(
            new Trouble("LOADING", true), null, new Trouble("Connection refused", false));
  }

  @Test
  void aFrozenNodeGetsOnePingAndCountsAsDownLater() {
    started();
    nodes.frozen.add(B);

    thread.advance(SECOND.multipliedBy(10));

    assertThat(nodes.pinged).filteredOn(B::equals).hasSize(2);
    assertThat(check.status().coveredSlots()).isEqualTo(5_001);
  }

  @Test
  void aGapLastsFromTheLastAnswer() {
    started();
    var answered = check.status().nodes().getFirst().lastServed();
    nodes.dead.add(A);

    thread.advance(SECOND.multipliedBy(6));

    assertThat(check.status().gaps()).singleElement().extracting(Gap::since).isEqualTo(answered);
  }

  @Test
  void aReplicaThatTakesOverCoversTheSlotsAtOnce() {
    started();
    nodes.dead.add(A);
    thread.advance(SECOND.multipliedBy(6));
    assertThat(check.status().isComplete()).isFalse();

    failover();

    assertThat(check.status().isComplete()).isTrue();
    assertThat(check.status().nodes()).extracting(NodeStatus::node).containsExactly(A2, B);
    assertThat(nodes.kept).containsExactlyInAnyOrder(A2, B);
  }

  @Test
  void aNewNodeIsCheckedAtOnce() {
    topology.map = SlotMap.EMPTY;
    started();
    assertThat(nodes.pinged).isEmpty();
    assertThat(check.status().gaps())
        .singleElement()
        .satisfies(gap -> assertThat(gap.master()).isNull());

    failover();

    assertThat(nodes.pinged).containsExactlyInAnyOrder(A2, B);
    assertThat(check.status().isComplete()).isTrue();
  }

  @Test
  void aListenerThatThrowsStopsNothing() {
    var failing =
        new HealthCheck(
            thread,
            nodes,
            topology,
            new ProxyEvents() {
              @Override
              public void healthChecked(UpstreamStatus status) {
                throw new IllegalStateException("thrown by a test");
              }
            });
    failing.start();
    thread.advance(SECOND.multipliedBy(3));

    assertThat(nodes.pinged).hasSize(6);
  }

  @Test
  void nothingIsSentAfterClose() {
    started();
    check.close();
    thread.advance(SECOND.multipliedBy(10));

    assertThat(nodes.pinged).hasSize(3);
  }
}
