package io.penstock.server.lifecycle;

import io.penstock.core.Proxy;
import io.penstock.core.ProxySettings;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.transport.Transport;
import io.penstock.core.transport.UnavailableTransportException;
import io.penstock.server.config.InvalidConfigurationException;
import io.penstock.server.config.PropertiesReader;
import java.util.List;
import org.springframework.boot.autoconfigure.context.LifecycleProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Builds the proxy and hooks it into the application's start and stop. */
@Configuration(proxyBeanMethods = false)
public class LifecycleConfiguration {

  /** Closed by its lifecycle, once. */
  @Bean(destroyMethod = "")
  Proxy proxy(ProxySettings settings, PropertiesReader keys, List<ProxyEvents> listeners) {
    try {
      return Proxy.create(settings, new CompositeProxyEvents(listeners));
    } catch (UnavailableTransportException e) {
      throw new InvalidConfigurationException(
          keys.fault(
              "transport",
              String.valueOf(e.getMessage()),
              settings.transport() == Transport.AUTO
                  ? "raise the limits of this process (ulimit -n), or write fewer event-loops"
                  : "write auto, which takes the best one that does; for io_uring, ulimit -l may be"
                      + " too low"));
    }
  }

  @Bean
  OutageLog outageLog() {
    return new OutageLog();
  }

  @Bean
  ProxyLifecycle proxyLifecycle(
      Proxy proxy,
      ProxySettings settings,
      PropertiesReader keys,
      ApplicationContext application,
      LifecycleProperties lifecycle) {
    return new ProxyLifecycle(
        proxy, settings, keys, application, lifecycle.getTimeoutPerShutdownPhase());
  }
}
