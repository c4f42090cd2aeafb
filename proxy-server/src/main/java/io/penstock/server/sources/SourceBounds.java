package io.penstock.server.sources;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.AbstractEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.util.PlaceholderResolutionException;
import org.springframework.util.PropertyPlaceholderHelper;
import org.springframework.util.SystemPropertyUtils;

/**
 * Checks what a file of any format contains, once it is loaded: the number of documents and of
 * values, and what values become when their placeholders are replaced, which may multiply like
 * aliases. Only placeholders for keys of the same file are followed. Confined to one thread.
 */
final class SourceBounds {

  /** Placeholders of one value, those in their values included. */
  static final int PLACEHOLDERS = 500;

  private static final PropertyPlaceholderHelper HELPER =
      new PropertyPlaceholderHelper(
          SystemPropertyUtils.PLACEHOLDER_PREFIX,
          SystemPropertyUtils.PLACEHOLDER_SUFFIX,
          SystemPropertyUtils.VALUE_SEPARATOR,
          SystemPropertyUtils.ESCAPE_CHARACTER,
          true);

  private final String file;
  private final Keys keys = new Keys();
  private int inFile;
  private int inValue;
  private long characters;

  /** The keys of the file, by any of the names by which a placeholder finds them. */
  private static final class Keys extends AbstractEnvironment {}

  private SourceBounds(String file, List<PropertySource<?>> documents) {
    this.file = file;
    documents.forEach(keys.getPropertySources()::addFirst); // a later one overrides an earlier one
    ConfigurationPropertySources.attach(keys);
  }

  /**
   * Checks a file.
   *
   * @param file names it
   * @throws UnboundedSourceException if it exceeds a bound
   */
  static void check(String file, List<PropertySource<?>> documents) {
    if (documents.size() > Bounds.DOCUMENTS) {
      throw new UnboundedSourceException(
          file, "has %d documents".formatted(documents.size()), Bounds.DOCUMENTS + " are allowed");
    }
    long values = 0;
    for (PropertySource<?> document : documents) {
      values +=
          document instanceof EnumerablePropertySource<?> all ? all.getPropertyNames().length : 0;
    }
    if (values > Bounds.VALUES) {
      throw new UnboundedSourceException(
          file, "has %d values".formatted(values), Bounds.VALUES + " are allowed");
    }
    new SourceBounds(file, documents).checkPlaceholders(documents);
  }

  private void checkPlaceholders(List<PropertySource<?>> documents) {
    for (PropertySource<?> document : documents) {
      if (document instanceof EnumerablePropertySource<?> all) {
        for (String name : all.getPropertyNames()) {
          check(name, String.valueOf(document.getProperty(name)));
        }
      }
    }
  }

  private void check(String key, String value) {
    if (!value.contains(SystemPropertyUtils.PLACEHOLDER_PREFIX)) {
      return;
    }
    inValue = 0;
    characters = value.length();
    try {
      HELPER.replacePlaceholders(value, placeholder -> replacement(key, placeholder));
    } catch (PlaceholderResolutionException e) {
      // one that refers to itself: reading the value reports it
    }
  }

  private @Nullable String replacement(String key, String placeholder) {
    String value =
        keys.getPropertySources().stream()
            .map(source -> source.getProperty(placeholder))
            .filter(Objects::nonNull)
            .findFirst()
            .map(Object::toString)
            .orElse(null);
    if (value == null) {
      return null;
    }
    inFile++;
    inValue++;
    characters += value.length();
    if (inValue > PLACEHOLDERS || inFile > Bounds.VALUES || characters > Bounds.CHARACTERS) {
      throw new UnboundedSourceException(
          file,
          "has placeholders that become too much, in the value of " + key,
          "%d placeholders of a value and %d of a file are replaced, and a value has %d characters"
              .formatted(PLACEHOLDERS, Bounds.VALUES, Bounds.CHARACTERS));
    }
    return value;
  }
}
