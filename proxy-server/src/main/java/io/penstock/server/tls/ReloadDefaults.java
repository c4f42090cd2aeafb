package io.penstock.server.tls;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * Makes {@code reload-on-update} true for bundles of files that do not set it. Spring Boot's
 * default is false, with which a certificate that was renewed is not used before the next start.
 */
public final class ReloadDefaults {

  private static final ConfigurationPropertyName BUNDLES =
      ConfigurationPropertyName.of("spring.ssl.bundle");
  private static final Pattern KEY =
      Pattern.compile("(spring\\.ssl\\.bundle\\.(?:pem|jks)\\..+?)\\..+");

  private ReloadDefaults() {}

  /** Adds the defaults as the last source. */
  public static void addTo(ConfigurableEnvironment environment) {
    Map<String, Boolean> watched = new LinkedHashMap<>();
    for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
      if (source instanceof IterableConfigurationPropertySource iterable) {
        iterable.stream()
            .filter(BUNDLES::isAncestorOf)
            .forEach(name -> {
              Matcher key = KEY.matcher(name.toString());
              if (key.matches()) {
                watched.merge(
                    key.group(1),
                    isWatchable(name, environment.getProperty(name.toString(), "")),
                    Boolean::logicalAnd);
              }
            });
      }
    }
    Map<String, Object> defaults = new LinkedHashMap<>();
    watched.forEach((bundle, possible) -> {
      if (possible) {
        defaults.put(bundle + ".reload-on-update", "true");
      }
    });
    if (!defaults.isEmpty()) {
      environment
          .getPropertySources()
          .addLast(new MapPropertySource("penstock-reload-defaults", defaults));
    }
  }

  /** Spring rejects {@code reload-on-update} for content that is no file. */
  private static boolean isWatchable(ConfigurationPropertyName name, String value) {
    String last = name.getLastElement(ConfigurationPropertyName.Form.UNIFORM);
    boolean content =
        last.equals("certificate") || last.equals("privatekey") || last.equals("location");
    return !content
        || !(value.contains("-----BEGIN")
            || value.startsWith("classpath:")
            || value.startsWith("base64:"));
  }
}
