package io.penstock.server.tls;

import io.penstock.core.tls.TlsBundle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Replaces the content of bundles when their files have changed. */
@Configuration(proxyBeanMethods = false)
public class TlsConfiguration {

  private static final Logger LOG = LoggerFactory.getLogger(TlsConfiguration.class);

  @Bean
  SmartInitializingSingleton tlsReload(
      TlsBundles bundles, ObjectProvider<SslBundles> spring, ObjectProvider<ReloadListener> all) {
    return () ->
        bundles
            .used()
            .forEach((name, bundle) ->
                spring
                    .getObject()
                    .addBundleUpdateHandler(
                        name,
                        changed -> {
                          boolean applied = replace(bundle, changed);
                          all.forEach(listener -> listener.onReload(name, applied));
                        }));
  }

  /**
   * Replaces the content of a bundle, or logs why that is not possible. Called on the thread of
   * Spring Boot's file watcher.
   *
   * @return whether new connections use the new content
   */
  static boolean replace(TlsBundle bundle, SslBundle changed) {
    try {
      bundle.replace(TlsBundles.material(changed));
      LOG.info("SSL bundle {} has changed; new connections use it", bundle.name());
      return true;
    } catch (IllegalArgumentException e) {
      LOG.error(
          "SSL bundle {} has changed and cannot be used; the earlier one stays: {}",
          bundle.name(),
          e.getMessage());
      return false;
    }
  }
}
