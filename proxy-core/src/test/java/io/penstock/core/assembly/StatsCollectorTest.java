package io.penstock.core.assembly;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.assembly.StatsCollector.UpstreamFigures;
import io.penstock.core.observe.MirrorStats;
import io.penstock.core.observe.ProxyStats.HeldStats;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.observe.ReadCounts;
import io.penstock.core.observe.ShadowStats;
import io.penstock.core.upstream.Endpoint;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class StatsCollectorTest {

  private static final Endpoint A = new Endpoint("a", 1);
  private static final Endpoint B = new Endpoint("b", 1);

  private static UpstreamFigures loop(List<NodeStats> nodes, List<NodeStats> closed) {
    return new UpstreamFigures(nodes, closed, HeldStats.NONE, ReadCounts.NONE, ShadowStats.NONE);
  }

  private static List<NodeStats> sum(UpstreamFigures... figures) {
    return StatsCollector.ofUpstream(List.of(figures), Set.of(), MirrorStats.NONE).nodes();
  }

  @Test
  void statsOfClosedConnectionsAreAddedToTheirNode() {
    var closed = new NodeStats(A, 0, 0, 0, 10, 20, 30, 40, Map.of());
    var open = new NodeStats(A, 1, 1, 1, 1, 2, 3, 4, Map.of());

    assertThat(sum(loop(List.of(), List.of(closed)), loop(List.of(open), List.of(closed))))
        .containsExactly(new NodeStats(A, 1, 1, 1, 21, 42, 63, 84, Map.of()));
  }

  @Test
  void aNodeWithoutConnectionsIsNotListed() {
    var closed = new NodeStats(A, 0, 0, 0, 10, 20, 30, 40, Map.of());
    var open = new NodeStats(B, 1, 0, 0, 1, 2, 3, 4, Map.of());

    assertThat(sum(loop(List.of(open), List.of(closed)), loop(List.of(open), List.of())))
        .containsExactly(new NodeStats(B, 2, 0, 0, 2, 4, 6, 8, Map.of()));
  }
}
