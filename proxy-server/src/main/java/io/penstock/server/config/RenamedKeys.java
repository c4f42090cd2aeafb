package io.penstock.server.config;

import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyNameAliases;

/**
 * Keys of Penstock that have a new name. The old names work, with a warning, until the next
 * release.
 */
final class RenamedKeys {

  private static final Map<ConfigurationPropertyName, ConfigurationPropertyName> NEW_BY_OLD =
      byName(
          Map.of(
              "penstock.backend.max-in-flight", "penstock.backend.max-in-flight-per-connection",
              "penstock.topology.adaptive-timeout", "penstock.topology.min-refresh-interval"));

  private RenamedKeys() {}

  /** The new name of each old one, in the order of the old names. */
  static Map<ConfigurationPropertyName, ConfigurationPropertyName> newByOld() {
    return NEW_BY_OLD;
  }

  /** The old names as Spring Boot's binder takes them: each has its new name as alias. */
  static ConfigurationPropertyNameAliases aliases() {
    ConfigurationPropertyNameAliases aliases = new ConfigurationPropertyNameAliases();
    NEW_BY_OLD.forEach(aliases::addAliases);
    return aliases;
  }

  private static Map<ConfigurationPropertyName, ConfigurationPropertyName> byName(
      Map<String, String> names) {
    Map<ConfigurationPropertyName, ConfigurationPropertyName> sorted = new TreeMap<>();
    names.forEach((old, now) ->
        sorted.put(ConfigurationPropertyName.of(old), ConfigurationPropertyName.of(now)));
    return sorted;
  }
}
