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
  Rejections managementRefusals() {
    return new Rejections();
  }

  @Bean
  ManagementPortCustomizer managementPortCustomizer(
      WebEndpointProperties properties,
      ObjectProvider<WebEndpointsSupplier> exposed,
      Rejections refusals) {
    return new ManagementPortCustomizer(new ManagementPaths(properties, exposed), refusals);
  }
}
