package io.penstock.server.start;

import org.jspecify.annotations.Nullable;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.PropertySource;

/**
 * A bean that replaces the configured resource: the cluster of profile {@code demo}.
 *
 * @param resource a resource URL
 * @param keys that come before all others of the configuration, or null
 */
public record UpstreamOverride(String resource, @Nullable PropertySource<?> keys) {

  /** Adds the keys to a configuration that was read again. */
  void addTo(ConfigurableEnvironment environment) {
    if (keys != null) {
      environment.getPropertySources().addFirst(keys);
    }
  }

  @Override
  public String toString() {
    return "UpstreamOverride"; // the resource may contain a password
  }
}
