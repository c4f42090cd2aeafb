package io.penstock.server.lifecycle;

import io.penstock.core.Proxy;
import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.transport.Transport;
import io.penstock.core.transport.UnavailableTransportException;
import io.penstock.server.config.PropertiesReader;
import java.util.List;
import org.springframework.boot.autoconfigure.context.LifecycleProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Creates the proxy and starts and stops it with the application. */
@Configuration(proxyBeanMethods = false)
public class LifecycleConfiguration {

  /** ProxyLifecycle closes it, once. */
  @Bean(destroyMethod = "")
  Proxy proxy(ProxySettings settings, PropertiesReader keys, List<ProxyEvents> listeners) {
    try {
      return Proxy.create(settings, new CompositeProxyEvents(listeners));
    } catch (UnavailableTransportException e) {
      throw keys.invalid(
          "transport",
          String.valueOf(e.getMessage()),
          settings.transport() == Transport.AUTO
              ? "raise the limits of this process (ulimit -n), or set fewer event-loops"
              : "write auto to use the best transport that works; for io_uring, ulimit -l may"
                  + " be too low");
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
