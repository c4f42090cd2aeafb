package io.penstock.server.reload;

import io.penstock.core.Proxy;
import io.penstock.server.change.SettingsListener;
import io.penstock.server.lifecycle.ProxyLifecycle;
import io.penstock.server.management.ManagementAccess;
import io.penstock.server.metrics.ConfigurationMetrics;
import io.penstock.server.start.StartConfiguration;
import io.penstock.server.start.UpstreamOverride;
import io.penstock.server.tls.TlsReload;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Lets the configuration change while Penstock runs. */
@Configuration(proxyBeanMethods = false)
public class ReloadConfiguration {

  @Bean
  ConfigurationInForce configurationInForce(
      StartConfiguration configuration, ConfigurableApplicationContext application) {
    return new ConfigurationInForce(configuration, SourceNames.of(application.getEnvironment()));
  }

  @Bean
  Reload.Parts reloadParts(
      Proxy proxy,
      TlsReload tls,
      ManagementAccess access,
      ConfigurationMetrics metrics,
      ConfigurableApplicationContext application,
      ObjectProvider<SettingsListener> listeners,
      ObjectProvider<UpstreamOverride> demo) {
    return new Reload.Parts(proxy, tls, access, metrics, application, listeners, demo);
  }

  @Bean
  ReloadThread reloadThread(
      Reload.Parts parts,
      ConfigurationInForce inForce,
      StartSources sources,
      ObjectProvider<HangupSignal> signal,
      ProxyLifecycle proxy) {
    return new ReloadThread(
        new Reload(parts, inForce, sources), inForce, signal.getIfAvailable(), proxy);
  }

  @Bean
  PenstockEndpoint penstockEndpoint(
      Proxy proxy, ConfigurationInForce inForce, ReloadThread reloads) {
    return new PenstockEndpoint(proxy, inForce, reloads);
  }
}
