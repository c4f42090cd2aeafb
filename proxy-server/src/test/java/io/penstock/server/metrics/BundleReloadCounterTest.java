package io.penstock.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Set;
import org.junit.jupiter.api.Test;

class BundleReloadCounterTest {

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final BundleReloadCounter reloads =
      new BundleReloadCounter(registry, Set.of("edge", "backend"));

  private double count(String bundle, String outcome) {
    return registry
        .get("penstock.tls.bundle.reloads")
        .tag("bundle", bundle)
        .tag("outcome", outcome)
        .counter()
        .count();
  }

  private double current(String bundle) {
    return registry.get("penstock.tls.bundle.current").tag("bundle", bundle).gauge().value();
  }

  @Test
  void countsFromZeroForEachBundle() {
    assertThat(count("edge", "applied")).isZero();
    assertThat(count("edge", "rejected")).isZero();
    assertThat(current("edge")).isEqualTo(1);

    reloads.onReload("edge", true);
    reloads.onReload("edge", false);
    reloads.onReload("edge", false);

    assertThat(count("edge", "applied")).isEqualTo(1);
    assertThat(count("edge", "rejected")).isEqualTo(2);
    assertThat(count("backend", "rejected")).isZero();
  }

  @Test
  void aRejectedBundleIsNotCurrentUntilOneIsApplied() {
    reloads.onReload("edge", false);
    assertThat(current("edge")).isZero();
    assertThat(current("backend")).isEqualTo(1);

    reloads.onReload("edge", true);
    assertThat(current("edge")).isEqualTo(1);
  }
}
