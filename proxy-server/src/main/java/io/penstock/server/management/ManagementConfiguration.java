package io.penstock.server.management;

import io.penstock.server.start.StartConfiguration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointProperties;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Sets the limits of the management port. */
@Configuration(proxyBeanMethods = false)
public class ManagementConfiguration {

  /** Also a {@code MeterBinder}. */
  @Bean
  Rejections managementRejections() {
    return new Rejections();
  }

  @Bean
  ManagementPortCustomizer managementPortCustomizer(
      WebEndpointProperties properties,
      ObjectProvider<WebEndpointsSupplier> exposed,
      Rejections rejections,
      ManagementAccess access) {
    return new ManagementPortCustomizer(
        new ManagementPaths(properties, exposed), rejections, access);
  }

  @Bean
  ManagementAccess managementAccess(StartConfiguration configuration) {
    return new ManagementAccess(configuration.managementToken());
  }
}
