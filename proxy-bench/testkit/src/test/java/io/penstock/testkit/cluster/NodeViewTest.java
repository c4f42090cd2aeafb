package io.penstock.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NodeViewTest {

  @Test
  void readsWhatClusterNodesSays() {
    String said =
        """
        aa 127.0.0.1:7000@17000,host.example myself,master - 0 0 1 connected 0-5460 7 [9->-bb]
        bb [::1]:7001@17001 slave aa 0 1700000000000 1 disconnected
        """;

    List<NodeView> nodes = NodeView.parse(said);

    assertThat(nodes)
        .containsExactly(
            new NodeView("aa", 7000, Set.of("myself", "master"), "-", true, List.of("0-5460", "7")),
            new NodeView("bb", 7001, Set.of("slave"), "aa", false, List.of()));
    assertThat(nodes.getFirst().owns(7)).isTrue();
    assertThat(nodes.getFirst().owns(5461)).isFalse();
  }

  @Test
  void aReplicaThatDoesNotTakeOverByItselfIsHealthy() {
    String said =
        """
        aa 127.0.0.1:7000@17000 slave,nofailover bb 0 1700000000000 1 connected
        bb 127.0.0.1:7001@17001 master,fail? - 0 1700000000000 1 connected 0-16383
        """;

    assertThat(NodeView.parse(said)).extracting(NodeView::isHealthy).containsExactly(true, false);
  }
}
