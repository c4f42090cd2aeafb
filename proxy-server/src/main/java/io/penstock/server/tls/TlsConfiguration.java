package io.penstock.server.tls;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.ssl.SslBundleRegistry;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Replaces the content of bundles when their files have changed. */
@Configuration(proxyBeanMethods = false)
public class TlsConfiguration {

  @Bean
  TlsReload tlsBundlesInForce(
      TlsBundles bundles,
      ObjectProvider<SslBundles> spring,
      ObjectProvider<SslBundleRegistry> registry,
      ObjectProvider<ReloadListener> listeners) {
    return new TlsReload(bundles, spring, registry, listeners);
  }

  @Bean
  SmartInitializingSingleton tlsReload(TlsReload reload) {
    return reload::listen;
  }
}
