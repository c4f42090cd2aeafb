package io.penstock.core.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ShardEndpointsTest {

  @Test
  void reads_the_endpoint_of_each_node() {
    List<Object> shards =
        List.of(
            List.of(
                "slots",
                List.of(0L, 5460L),
                "nodes",
                List.of(
                    node("a", "redis-0"),
                    List.of("id", "b", "port", 7001L, "ip", "10.0.0.2", "endpoint", "", "x", 1L))),
            List.of("slots", List.of(), "nodes", List.of(node("c", "?"))));
    assertThat(ShardEndpoints.of(shards))
        .containsOnly(Map.entry("a", "redis-0"), Map.entry("b", ""), Map.entry("c", "?"));
  }

  @Test
  void a_null_endpoint_is_unknown() {
    List<Object> node = Arrays.asList("id", "a", "endpoint", null);
    assertThat(ShardEndpoints.of(List.of(List.of("nodes", List.of(node))))).containsEntry("a", "");
  }

  @Test
  void entries_of_another_form_are_skipped() {
    assertThat(ShardEndpoints.of(List.of())).isEmpty();
    assertThat(ShardEndpoints.of(List.of("nodes", 1L, List.of("nodes", "none")))).isEmpty();
    assertThat(ShardEndpoints.of(List.of(List.of("nodes", List.of(List.of("id", "a")))))).isEmpty();
  }

  private static List<Object> node(String id, String endpoint) {
    return List.of(
        "id", id, "port", 7000L, "ip", "10.0.0.1", "endpoint", endpoint, "role", "master");
  }
}
