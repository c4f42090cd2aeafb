package io.penstock.server.health;

import io.penstock.core.Proxy;
import io.penstock.server.config.PenstockProperties;
import io.penstock.server.lifecycle.ProxyLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Adds the proxy to the actuator's endpoints. */
@Configuration(proxyBeanMethods = false)
public class HealthConfiguration {

  /** The bean name makes it {@code proxy}, which the readiness group includes. */
  @Bean
  ProxyHealth proxyHealthIndicator(
      Proxy proxy, ProxyLifecycle lifecycle, PenstockProperties properties) {
    return new ProxyHealth(proxy, lifecycle, properties.readiness());
  }

  /** The bean name makes it {@code listeners}. */
  @Bean
  ListenersHealth listenersHealthContributor(
      Proxy proxy, ProxyLifecycle lifecycle, PenstockProperties properties) {
    return new ListenersHealth(proxy, lifecycle, properties.readiness());
  }

  @Bean
  TopologyEndpoint topologyEndpoint(
      Proxy proxy, ProxyLifecycle lifecycle, PenstockProperties properties) {
    return new TopologyEndpoint(proxy, lifecycle, properties.readiness());
  }
}
