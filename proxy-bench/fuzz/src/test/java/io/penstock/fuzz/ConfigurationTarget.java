package io.penstock.fuzz;

import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.fuzz.Oracle;
import io.penstock.server.config.ConfigurationFault;
import io.penstock.server.config.InvalidConfigurationException;
import io.penstock.server.config.PenstockProperties;
import io.penstock.server.config.PropertiesReader;
import io.penstock.server.mapping.MissingResourceException;
import io.penstock.server.mapping.SettingsMapping;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.beanvalidation.OptionalValidatorFactoryBean;

/** The configuration: a line {@code key=value} each, keys without their {@code penstock.}. */
public final class ConfigurationTarget {

  private static final String OTHER_TREE = "camellia-redis-proxy.";
  private static final OptionalValidatorFactoryBean VALIDATOR = new OptionalValidatorFactoryBean();

  static {
    VALIDATOR.afterPropertiesSet();
  }

  private ConfigurationTarget() {}

  public static void fuzzerTestOneInput(byte[] data) {
    Map<String, Object> values = new LinkedHashMap<>();
    for (String line : new String(data, StandardCharsets.UTF_8).split("\n", -1)) {
      int equals = line.indexOf('=');
      if (equals > 0) {
        String key = line.substring(0, equals);
        values.put(
            key.startsWith(OTHER_TREE) ? key : "penstock." + key, line.substring(equals + 1));
      }
    }
    PropertiesReader reader = reader(values);
    PenstockProperties properties;
    ProxySettings settings;
    try {
      properties = reader.read(VALIDATOR);
      settings = new SettingsMapping(reader).map(properties, null);
    } catch (BindException e) {
      return; // Spring Boot explains it
    } catch (InvalidConfigurationException e) {
      ConfigurationFault fault = e.fault();
      Oracle.require(!fault.reason().isBlank() && !fault.fix().isBlank(), "no words: " + fault);
      Oracle.require(!fault.reason().equals("null"), "no words: " + fault);
      return;
    } catch (MissingResourceException e) {
      return;
    }
    Map<String, Object> written = fields(properties);
    if (!properties.listeners().isEmpty()) {
      written.keySet().removeIf(ConfigurationTarget::isOfListenerDefault);
    }
    if (written.toString().contains("${")) {
      return; // what it stands for may be another thing where all defaults are written out
    }
    PropertiesReader again = reader(written);
    PenstockProperties same = again.read(VALIDATOR);
    Oracle.requireSame("read, written and read", fields(properties), fields(same));
    ProxySettings mapped = new SettingsMapping(again).map(same, null);
    if (settings.toString().contains("NodeTls[")) { // contexts are equal only to themselves
      Oracle.requireSame("its settings", settings.toString(), mapped.toString());
    } else {
      Oracle.requireSame("its settings", settings, mapped);
    }
  }

  private static boolean isOfListenerDefault(String key) {
    return List.of("penstock.port", "penstock.bind", "penstock.password").contains(key)
        || key.startsWith("penstock.cluster-facade.")
        || key.startsWith("penstock.tls.");
  }

  private static PropertiesReader reader(Map<String, Object> values) {
    var environment = new StandardEnvironment();
    var sources = environment.getPropertySources();
    sources.remove(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);
    sources.remove(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME);
    sources.addFirst(new MapPropertySource("fuzz", values));
    return new PropertiesReader(environment);
  }

  /** All of it: its own text leaves out what may hold a password. */
  private static Map<String, Object> fields(PenstockProperties properties) {
    Map<String, Object> fields = new LinkedHashMap<>();
    write("penstock", properties, fields);
    return fields;
  }

  private static void write(String prefix, Record of, Map<String, Object> into) {
    for (RecordComponent component : of.getClass().getRecordComponents()) {
      String key = prefix + "." + DataObjectPropertyName.toDashedForm(component.getName());
      Object value = value(component, of);
      if (value instanceof Record nested) {
        write(key, nested, into);
      } else if (value instanceof Map<?, ?> sections) {
        sections.forEach((name, section) -> write(key + "." + name, (Record) section, into));
      } else if (value instanceof List<?> list) {
        for (int i = 0; i < list.size(); i++) {
          into.put(key + "[" + i + "]", Objects.toString(list.get(i)));
        }
      } else if (value != null) {
        into.put(key, text(value));
      }
    }
  }

  private static String text(Object value) {
    return switch (value) {
      case DataSize size -> size.toBytes() + "B";
      case Enum<?> constant -> constant.name().toLowerCase(Locale.ROOT);
      default -> value.toString();
    };
  }

  private static @Nullable Object value(RecordComponent component, Record of) {
    try {
      return component.getAccessor().invoke(of);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
