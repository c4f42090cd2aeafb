package io.penstock.server.reload;

import io.penstock.server.table.TableFile;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.ConfigurableEnvironment;

/** Files that values of keys name: with passwords, keys, certificates and resource tables. */
final class NamedFiles {

  private static final Set<ConfigurationPropertyName> ROOTS =
      Set.of(
          ConfigurationPropertyName.of("penstock"),
          ConfigurationPropertyName.of("spring.ssl.bundle"),
          ConfigurationPropertyName.of("camellia-redis-proxy"));

  /** Last elements of keys, uniform. */
  private static final Set<String> KEYS =
      Set.of(
          "passwordfile",
          "sentinelpasswordfile",
          "managementtokenfile",
          "passwordfiles",
          "aclfile",
          "certificate",
          "privatekey",
          "location");

  /** The key of a file that may be on the class path, uniform. */
  private static final String TABLE = "jsonfile";

  private NamedFiles() {}

  /** Returns the files, whether they exist and can be used or not. */
  static Set<Path> of(ConfigurableEnvironment environment) {
    Set<Path> files = new TreeSet<>();
    addAll(files, NamedFiles::isFile, environment);
    return files;
  }

  /** Returns the files of resource tables, whether they exist or not; none on the class path. */
  static List<Path> tables(ConfigurableEnvironment environment) {
    Set<Path> files = new TreeSet<>();
    addAll(files, NamedFiles::isTable, environment);
    return List.copyOf(files);
  }

  private static void addAll(
      Set<Path> files,
      Predicate<ConfigurationPropertyName> wanted,
      ConfigurableEnvironment environment) {
    for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
      if (source instanceof IterableConfigurationPropertySource iterable) {
        iterable.stream()
            .filter(wanted)
            .forEach(key -> add(files, source.getConfigurationProperty(key), environment));
      }
    }
  }

  private static boolean isTable(ConfigurationPropertyName key) {
    return isFile(key) && key.getLastElement(Form.UNIFORM).equals(TABLE);
  }

  private static boolean isFile(ConfigurationPropertyName key) {
    String last = lastName(key);
    return (KEYS.contains(last) || last.equals(TABLE))
        && ROOTS.stream().anyMatch(root -> root.isAncestorOf(key));
  }

  /** Returns the last element of a key, of an element of a list the name of the list. */
  private static String lastName(ConfigurationPropertyName key) {
    return (key.isLastElementIndexed() ? key.getParent() : key).getLastElement(Form.UNIFORM);
  }

  private static void add(
      Set<Path> files,
      @Nullable ConfigurationProperty property,
      ConfigurableEnvironment environment) {
    String value = property == null ? "" : String.valueOf(property.getValue());
    if (value.isBlank()
        || value.contains("-----BEGIN")
        || value.startsWith("classpath:")
        || value.startsWith("base64:")) {
      return;
    }
    try {
      String path = environment.resolvePlaceholders(value).strip();
      if (property != null && property.getName().getLastElement(Form.UNIFORM).equals(TABLE)) {
        Path table = TableFile.path(path);
        if (table != null) {
          files.add(table);
        }
        return;
      }
      files.add(
          Path.of(path.startsWith("file:") ? path.substring("file:".length()) : path)
              .toAbsolutePath());
    } catch (IllegalArgumentException _) {
      // no path: reading the configuration reports it
    }
  }
}
