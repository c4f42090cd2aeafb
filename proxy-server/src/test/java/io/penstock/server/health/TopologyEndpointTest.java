package io.penstock.server.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.cluster.Node;
import io.penstock.core.cluster.Shard;
import io.penstock.core.cluster.SlotMap;
import java.util.List;
import org.junit.jupiter.api.Test;

class TopologyEndpointTest {

  @Test
  void writesSlotsAsRedisDoes() {
    SlotMap map =
        new SlotMap.Builder()
            .shard(new Shard(new Node("a", 1), List.of(), 0))
            .range(0, 5460)
            .slot(7000)
            .range(16_380, 16_383)
            .shard(new Shard(new Node("b", 2), List.of(), 0))
            .slot(5461)
            .shard(new Shard(new Node("c", 3), List.of(), 0))
            .build();

    assertThat(TopologyEndpoint.ranges(map, 0)).containsExactly("0-5460", "7000", "16380-16383");
    assertThat(TopologyEndpoint.ranges(map, 1)).containsExactly("5461");
    assertThat(TopologyEndpoint.ranges(map, 2)).isEmpty();
  }
}
