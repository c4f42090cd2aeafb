package io.penstock.server.health;

import io.penstock.core.Proxy;
import io.penstock.server.config.PenstockProperties;
import io.penstock.server.lifecycle.ProxyLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Puts the proxy into the actuator's answers. */
@Configuration(proxyBeanMethods = false)
public class HealthConfiguration {

  /** The bean's name is what the readiness group includes: {@code proxy}. */
  @Bean
  ProxyHealth proxyHealthIndicator(
      Proxy proxy, ProxyLifecycle lifecycle, PenstockProperties properties) {
    return new ProxyHealth(proxy, lifecycle, properties.readiness());
  }

  @Bean
  TopologyEndpoint topologyEndpoint(
      Proxy proxy, ProxyLifecycle lifecycle, PenstockProperties properties) {
    return new TopologyEndpoint(proxy, lifecycle, properties.readiness());
  }
}
