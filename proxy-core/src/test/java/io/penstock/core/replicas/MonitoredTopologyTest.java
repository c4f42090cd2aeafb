package io.penstock.core.replicas;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.upstream.Topology;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class MonitoredTopologyTest {

  @Test
  void everyMethodIsPassedOnIncludingThoseWithDefaults() {
    assertThat(Topology.class.getMethods())
        .filteredOn(method -> !method.isSynthetic())
        .allSatisfy(method ->
            assertThat(Arrays.stream(MonitoredTopology.class.getDeclaredMethods()))
                .anyMatch(own -> overrides(own, method)));
  }

  private static boolean overrides(Method own, Method method) {
    return own.getName().equals(method.getName())
        && Arrays.equals(own.getParameterTypes(), method.getParameterTypes());
  }
}
