package io.penstock.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.observe.Label;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.upstream.Endpoint;
import io.penstock.server.start.StartConfiguration;
import org.junit.jupiter.api.Test;
import org.springframework.mock.env.MockEnvironment;

class EjectionCounterTest {

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  private static MockEnvironment shards() {
    return new MockEnvironment()
        .withProperty("penstock.upstreams.default.shards.distribution", "ketama")
        .withProperty("penstock.upstreams.default.shards.servers", "redis://h:1,redis://h:2");
  }

  private static ProxySettings settings(MockEnvironment environment) {
    return StartConfiguration.read(environment).settings();
  }

  private double count(String name, String node) {
    return registry.get(name).tag("upstream", "default").tag("node", node).counter().count();
  }

  @Test
  void countsFromZeroForEachServer() {
    ProxyEvents events =
        new EjectionCounter(
                registry,
                settings(
                    shards()
                        .withProperty("penstock.upstreams.default.shards.auto-eject.retry", "1s")))
            .ofUpstream(Label.ONLY);

    assertThat(count("penstock.node.ejections", "h:1")).isZero();
    assertThat(count("penstock.node.readmissions", "h:2")).isZero();

    events.serverEjected(new Endpoint("h", 1));
    events.serverEjected(new Endpoint("h", 1));
    events.serverReadmitted(new Endpoint("h", 1));

    assertThat(count("penstock.node.ejections", "h:1")).isEqualTo(2);
    assertThat(count("penstock.node.readmissions", "h:1")).isEqualTo(1);
    assertThat(count("penstock.node.ejections", "h:2")).isZero();
  }

  @Test
  void hasNoSeriesWithoutAutoEject() {
    new EjectionCounter(registry, settings(shards()));

    assertThat(registry.getMeters()).isEmpty();
  }
}
