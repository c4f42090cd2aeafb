package io.penstock.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.listener.Admission;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.observe.ProxyStats.HeldStats;
import io.penstock.core.observe.ProxyStats.LoopStats;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.observe.ProxyStats.Pressure;
import io.penstock.core.observe.ProxyStats.Traffic;
import io.penstock.core.pubsub.SubscriberCounts;
import io.penstock.core.upstream.Endpoint;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StatsCollectorTest {

  private static final Endpoint A = new Endpoint("a", 1);
  private static final Endpoint B = new Endpoint("b", 1);

  private final StatsCollector collector =
      new StatsCollector(
          List.of(new Admission(1, ProxyEvents.NONE)), List.of(new SubscriberCounts()));

  private static StatsCollector.LoopFigures loop(
      int index, List<NodeStats> nodes, List<NodeStats> closed) {
    return new StatsCollector.LoopFigures(
        new LoopStats(index, 0, 0),
        Map.of(),
        Map.of(),
        nodes,
        closed,
        0,
        Traffic.NONE,
        Map.of(),
        HeldStats.NONE,
        Pressure.NONE);
  }

  private List<NodeStats> sum(StatsCollector.LoopFigures... figures) {
    return collector.sum(List.of(figures)).nodes();
  }

  @Test
  void statsOfClosedConnectionsAreAddedToTheirNode() {
    var closed = new NodeStats(A, 0, 0, 0, 10, 20, 30, 40);
    var open = new NodeStats(A, 1, 1, 1, 1, 2, 3, 4);

    assertThat(sum(loop(0, List.of(), List.of(closed)), loop(1, List.of(open), List.of(closed))))
        .containsExactly(new NodeStats(A, 1, 1, 1, 21, 42, 63, 84));
  }

  @Test
  void aNodeWithoutConnectionsIsNotListed() {
    var closed = new NodeStats(A, 0, 0, 0, 10, 20, 30, 40);
    var open = new NodeStats(B, 1, 0, 0, 1, 2, 3, 4);

    assertThat(sum(loop(0, List.of(open), List.of(closed)), loop(1, List.of(open), List.of())))
        .containsExactly(new NodeStats(B, 2, 0, 0, 2, 4, 6, 8));
  }
}
