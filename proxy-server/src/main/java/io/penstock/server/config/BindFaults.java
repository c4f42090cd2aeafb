package io.penstock.server.config;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.bind.validation.BindValidationException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.convert.ConversionException;
import org.springframework.util.PlaceholderResolutionException;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.FieldError;
import org.springframework.validation.ObjectError;

/**
 * Translates errors of Spring's binder to messages about the configuration, except for those that
 * Spring Boot's own failure analysis explains as well (docs/adr/0047).
 */
final class BindFaults {

  /** The types whose form Spring Boot does not tell. */
  private static final Map<Class<?>, String> FORMS =
      Map.of(
          Duration.class,
          "a duration such as 500ms, 2s or 1m",
          DataSize.class,
          "a size such as 512MB");

  /** The name of a listener or an upstream in the path of a field; an index of a list stays. */
  private static final Pattern NAME_IN_PATH = Pattern.compile("\\[([^\\]]*[^\\]0-9][^\\]]*)]");

  private final PropertiesReader reader;

  BindFaults(PropertiesReader reader) {
    this.reader = reader;
  }

  /** Returns null if Spring Boot's failure analysis is to explain the error. */
  @Nullable InvalidConfigurationException of(BindException failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof BindValidationException validation) {
        return outOfRange(validation);
      }
      if (cause instanceof PlaceholderResolutionException unresolved) {
        return unresolved(failure.getName(), unresolved.getPlaceholder());
      }
      if (cause instanceof UnboundConfigurationPropertiesException) {
        return reader.invalid(
            failure.getName(),
            "an element of the list is missing: indexes begin with 0 and have no gap",
            "write the whole list in one place");
      }
      if (cause instanceof ConversionException) {
        return wrongType(failure);
      }
    }
    return null;
  }

  private InvalidConfigurationException outOfRange(BindValidationException failure) {
    Map<ConfigurationPropertyName, ObjectError> errors = new TreeMap<>();
    for (ObjectError error : failure.getValidationErrors().getAllErrors()) {
      errors.put(key(failure.getValidationErrors().getName(), error), error);
    }
    ConfigurationPropertyName key =
        errors.keySet().stream() // a default of several listeners is wrong once, where it is set
            .filter(name -> reader.isSet(name))
            .findFirst()
            .orElseGet(() -> errors.keySet().iterator().next());
    String reason = String.valueOf(requireNonNull(errors.get(key)).getDefaultMessage());
    return reader.invalid(key, reason, fix(key, "change it"));
  }

  private static ConfigurationPropertyName key(
      ConfigurationPropertyName section, ObjectError error) {
    if (!(error instanceof FieldError field)) {
      return section;
    }
    String path = NAME_IN_PATH.matcher(field.getField()).replaceAll(".$1");
    return ConfigurationPropertyName.adapt(
        section + "." + DataObjectPropertyName.toDashedForm(path), '.');
  }

  private InvalidConfigurationException unresolved(
      ConfigurationPropertyName key, String placeholder) {
    return reader.invalid(
        key,
        "${" + placeholder + "} is not set",
        "set %1$s, or write a default (${%1$s:...}); write \\${ for a literal ${"
            .formatted(placeholder));
  }

  private @Nullable InvalidConfigurationException wrongType(BindException failure) {
    ConfigurationPropertyName key = failure.getName();
    ConfigurationProperty property = failure.getProperty();
    String value = property == null ? "" : String.valueOf(property.getValue());
    if (KeySources.isServiceLink(value)) {
      return reader.invalid(
          key,
          "Kubernetes sets this variable in every pod because a Service has this name",
          "set enableServiceLinks: false in the pod, or give the Service another name");
    }
    Class<?> type = failure.getTarget().getType().resolve(Object.class);
    String form = type.isRecord() ? "a section of keys" : FORMS.get(type);
    if (form == null && value.contains("://")) {
      form = "a value of this kind"; // Spring Boot would show a password in a URL
    }
    return form == null
        ? null
        : reader.invalid(key, "it is not " + form, fix(key, "write " + form));
  }

  private static String fix(ConfigurationPropertyName key, String change) {
    String defaultValue = PropertiesReader.KEYS.defaultOf(key);
    return defaultValue == null
        ? change + ", or remove the key"
        : change + ", or remove the key: the default is " + defaultValue;
  }
}
