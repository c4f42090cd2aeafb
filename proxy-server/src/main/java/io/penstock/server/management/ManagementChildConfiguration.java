package io.penstock.server.management;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointProperties;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextType;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;
import org.springframework.context.annotation.Bean;

/**
 * Sets the limits of a management port that has a context of its own. Without AOT, Spring Boot
 * makes one if {@code management.server.port} is 0, and it does not see the main context's
 * customizers.
 */
@ManagementContextConfiguration(value = ManagementContextType.CHILD, proxyBeanMethods = false)
class ManagementChildConfiguration {

  @Bean
  ManagementPortCustomizer managementPortCustomizer(
      WebEndpointProperties properties,
      ObjectProvider<WebEndpointsSupplier> exposed,
      Rejections rejections,
      ManagementAccess access) {
    return new ManagementPortCustomizer(
        new ManagementPaths(properties, exposed), rejections, access);
  }
}
