package io.penstock.server.management;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointProperties;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Bounds the management port. */
@Configuration(proxyBeanMethods = false)
public class ManagementConfiguration {

  /** A binder of meters as well. */
  @Bean
  Refusals managementRefusals() {
    return new Refusals();
  }

  @Bean
  PortCustomizer managementPortCustomizer(
      WebEndpointProperties properties,
      ObjectProvider<WebEndpointsSupplier> exposed,
      Refusals refusals) {
    return new PortCustomizer(new Endpoints(properties, exposed), refusals);
  }
}
