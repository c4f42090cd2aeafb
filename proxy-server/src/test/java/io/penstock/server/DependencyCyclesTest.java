package io.penstock.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DependencyCyclesTest {

  @Test
  void aChainHasNoCycle() {
    assertThat(DependencyCycles.find(Map.of("a", Set.of("b"), "b", Set.of("c"), "c", Set.of())))
        .isEmpty();
  }

  @Test
  void aCycleHasAllClassesThatReachOneAnother() {
    Map<String, Set<String>> graph =
        Map.of(
            "a", Set.of("b"),
            "b", Set.of("c", "x"),
            "c", Set.of("a"),
            "x", Set.of("y"),
            "y", Set.of("x"),
            "z", Set.of("a"));

    assertThat(DependencyCycles.find(graph))
        .containsExactlyInAnyOrder(Set.of("a", "b", "c"), Set.of("x", "y"));
  }
}
