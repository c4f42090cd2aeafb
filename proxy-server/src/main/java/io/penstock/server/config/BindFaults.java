package io.penstock.server.config;

import static java.util.Objects.requireNonNull;

import io.penstock.core.transport.Transport;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.bind.validation.BindValidationException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.convert.ConversionException;
import org.springframework.util.PlaceholderResolutionException;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.FieldError;
import org.springframework.validation.ObjectError;

/** Translates errors of Spring's binder to messages about the configuration. */
final class BindFaults {

  /** The name of a listener or an upstream in the path of a field; an index of a list stays. */
  private static final Pattern NAME_IN_PATH = Pattern.compile("\\[([^\\]]*[^\\]0-9][^\\]]*)]");

  private final PropertiesReader reader;

  BindFaults(PropertiesReader reader) {
    this.reader = reader;
  }

  ConfigurationFault of(BindException failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof BindValidationException validation) {
        return outOfRange(validation);
      }
      if (cause instanceof PlaceholderResolutionException unresolved) {
        return unresolved(failure.getName(), unresolved.getPlaceholder());
      }
      if (cause instanceof UnboundConfigurationPropertiesException) {
        return reader.fault(
            failure.getName(),
            "an element of the list is missing: indexes begin with 0 and have no gap",
            "write the whole list in one place");
      }
      if (cause instanceof ConversionException) {
        return wrongType(failure);
      }
    }
    return reader.fault(failure.getName(), rootMessage(failure), "change the value");
  }

  private ConfigurationFault outOfRange(BindValidationException failure) {
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
    return reader.fault(key, reason, fix(key, "change it"));
  }

  private static ConfigurationPropertyName key(
      ConfigurationPropertyName section, ObjectError error) {
    if (!(error instanceof FieldError field)) {
      return section;
    }
    String path = NAME_IN_PATH.matcher(field.getField()).replaceAll(".$1");
    return ConfigurationPropertyName.adapt(section + "." + dashed(path), '.');
  }

  private ConfigurationFault unresolved(ConfigurationPropertyName key, String placeholder) {
    return reader.fault(
        key,
        "${" + placeholder + "} is not set",
        "set %1$s, or write a default (${%1$s:...}); write \\${ for a literal ${"
            .formatted(placeholder));
  }

  private ConfigurationFault wrongType(BindException failure) {
    ConfigurationPropertyName key = failure.getName();
    ConfigurationProperty property = failure.getProperty();
    String value = property == null ? "" : String.valueOf(property.getValue());
    if (KeySources.isServiceLink(value)) {
      return reader.fault(
          key,
          "Kubernetes sets this variable in every pod because a Service has this name",
          "set enableServiceLinks: false in the pod, or give the Service another name");
    }
    Class<?> type = failure.getTarget().getType().resolve();
    return reader.fault(key, "it is not " + kind(type), fix(key, "write " + kind(type)));
  }

  private static String fix(ConfigurationPropertyName key, String change) {
    String defaultValue = PropertiesReader.KEYS.defaultOf(key);
    return defaultValue == null
        ? change + ", or remove the key"
        : change + ", or remove the key: the default is " + defaultValue;
  }

  private static String kind(@Nullable Class<?> type) {
    if (type == Duration.class) {
      return "a duration such as 500ms, 2s or 1m";
    }
    if (type == DataSize.class) {
      return "a size such as 512MB";
    }
    if (type != null && type.isEnum()) {
      return Arrays.stream(type.getEnumConstants())
          .map(BindFaults::written)
          .collect(Collectors.joining(", ", "one of ", ""));
    }
    if (type != null && type.isRecord()) {
      return "a section of keys";
    }
    return type == int.class || type == Integer.class || type == Long.class
        ? "a whole number"
        : "a value of this kind";
  }

  /** Returns the constant as documents write it; the names of transports have no dash. */
  static String written(Object constant) {
    String name = constant.toString().toLowerCase(Locale.ROOT);
    return constant instanceof Transport ? name : name.replace('_', '-');
  }

  private static String dashed(String field) {
    return field.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
  }

  private static String rootMessage(Throwable failure) {
    Throwable root = failure;
    for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
      root = cause;
    }
    return String.valueOf(root.getMessage());
  }
}
