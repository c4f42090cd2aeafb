package io.penstock.core.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.upstream.Endpoint;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ClosedConnectionsTest {

  private final ClosedConnections closed = new ClosedConnections();

  private static NodeStats counted(int port, long sent) {
    return new NodeStats(
        new Endpoint("h", port), 0, 0, 0, sent, 2 * sent, 3 * sent, 4 * sent, Map.of());
  }

  @Test
  void countersOfANodeAreSummed() {
    closed.add(counted(1, 10));
    closed.add(counted(2, 20));
    closed.add(counted(1, 5));

    assertThat(closed.stats()).containsExactlyInAnyOrder(counted(1, 15), counted(2, 20));
  }

  @Test
  void openConnectionsAndExchangesInFlightAreNotKept() {
    closed.add(new NodeStats(new Endpoint("h", 1), 1, 1, 1, 10, 20, 30, 40, Map.of()));

    assertThat(closed.stats()).containsExactly(counted(1, 10));
  }

  @Test
  void theLatestThousandNodesAreKept() {
    for (int port = 1; port <= 1_000; port++) {
      closed.add(counted(port, 1));
    }
    closed.add(counted(1, 1));
    closed.add(counted(1_001, 1));

    assertThat(closed.stats())
        .hasSize(1_000)
        .contains(counted(1, 2), counted(1_001, 1))
        .doesNotContain(counted(2, 1));
  }
}
