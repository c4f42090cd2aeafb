package io.penstock.server.config;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
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
      if (cause instanceof ConversionException) {
        return wrongType(failure);
      }
    }
    return reader.fault(failure.getName(), rootMessage(failure), "change the value");
  }

  private ConfigurationFault outOfRange(BindValidationException failure) {
    ObjectError error = failure.getValidationErrors().getAllErrors().getFirst();
    ConfigurationPropertyName key = failure.getValidationErrors().getName();
    if (error instanceof FieldError field) {
      key = ConfigurationPropertyName.adapt(key + "." + dashed(field.getField()), '.');
    }
    return reader.fault(key, String.valueOf(error.getDefaultMessage()), fix(key, "change it"));
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
          .map(constant -> constant.toString().toLowerCase(Locale.ROOT))
          .collect(Collectors.joining(", ", "one of ", ""));
    }
    return type == int.class || type == Integer.class ? "a whole number" : "a value of this kind";
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
