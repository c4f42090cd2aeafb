package io.penstock.server.copies;

import io.penstock.core.Proxy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Lets operators resync and compare copies. */
@Configuration(proxyBeanMethods = false)
public class CopiesConfiguration {

  @Bean
  MirrorEndpoint mirrorEndpoint(Proxy proxy) {
    return new MirrorEndpoint(proxy);
  }
}
