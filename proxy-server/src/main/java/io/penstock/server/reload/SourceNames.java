package io.penstock.server.reload;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.PropertySource;

/** The files and folders that a configuration was read from. */
final class SourceNames {

  /** Names that Spring Boot gives to sources of files and of trees. */
  private static final Pattern FILE =
      Pattern.compile("Config (?:resource 'file \\[(.+)]' via .*|tree '(.+)')");

  private SourceNames() {}

  /**
   * Returns the names, the one that wins first, then those of resource tables; without those in the
   * jar.
   */
  static List<String> of(ConfigurableEnvironment environment) {
    Stream<String> sources =
        environment.getPropertySources().stream()
            .map(SourceNames::name)
            .filter(Objects::nonNull)
            .map(Objects::requireNonNull);
    Stream<String> tables = NamedFiles.tables(environment).stream().map(Path::toString);
    return Stream.concat(sources, tables).distinct().toList();
  }

  private static @Nullable String name(PropertySource<?> source) {
    Matcher file = FILE.matcher(source.getName());
    if (!file.matches()) {
      return null;
    }
    return file.group(1) == null ? file.group(2) : file.group(1);
  }
}
