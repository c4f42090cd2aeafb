package io.penstock.server.health;

import io.penstock.core.Proxy;
import io.penstock.server.lifecycle.ProxyLifecycle;
import io.penstock.server.reload.ConfigurationInForce;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Adds the proxy to the actuator's endpoints. */
@Configuration(proxyBeanMethods = false)
public class HealthConfiguration {

  /** The bean name makes it {@code proxy}, which the readiness group includes. */
  @Bean
  ProxyHealth proxyHealthIndicator(
      Proxy proxy, ProxyLifecycle lifecycle, ConfigurationInForce configuration) {
    return new ProxyHealth(proxy, lifecycle, configuration::readiness);
  }

  /** The bean name makes it {@code listeners}. */
  @Bean
  ListenersHealth listenersHealthContributor(
      Proxy proxy, ProxyLifecycle lifecycle, ConfigurationInForce configuration) {
    return new ListenersHealth(proxy, lifecycle, configuration::readiness);
  }

  @Bean
  TopologyEndpoint topologyEndpoint(
      Proxy proxy, ProxyLifecycle lifecycle, ConfigurationInForce configuration) {
    return new TopologyEndpoint(proxy, lifecycle, configuration::readiness);
  }
}
