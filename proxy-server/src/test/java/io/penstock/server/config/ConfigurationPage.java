package io.penstock.server.config;

import io.penstock.server.GeneratedTables;
import io.penstock.server.change.Effect;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.beanvalidation.LocalValidatorFactoryBean;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The tables of {@code docs/reference/configuration.md}, made of {@link PenstockProperties}: type
 * and range from {@link Between}, default from {@link DefaultValue}, how a change takes effect from
 * {@link io.penstock.server.change.Change}, meaning from the Javadoc, which Spring Boot's
 * annotation processor writes to {@code spring-configuration-metadata.json}. A block of the page
 * names its keys, or the beginning of their names and {@code *}.
 */
final class ConfigurationPage {

  static final Path FILE = Path.of("../docs/reference/configuration.md");

  private static final Path SOURCE =
      Path.of("src/main/java/io/penstock/server/config/PenstockProperties.java");
  private static final Pattern PARAM = Pattern.compile("@param (\\w+) (.*?)(?=@param|\\*/| /$|$)");
  private static final String METADATA = "/META-INF/spring-configuration-metadata.json";

  private final Map<String, String> rows = new LinkedHashMap<>();
  private final Map<String, String> meanings = meanings();
  private final Map<String, Effect> effects = PropertiesReader.KEYS.effects();

  ConfigurationPage() throws ReflectiveOperationException {
    add(PropertiesReader.PREFIX, defaults());
  }

  /** Returns the keys of each block of the page. */
  List<List<String>> blocks() throws IOException {
    return GeneratedTables.contents(FILE).stream().map(this::keys).toList();
  }

  /** Returns the table of a block. */
  String table(String patterns) {
    return keys(patterns).stream()
        .map(rows::get)
        .collect(
            Collectors.joining(
                "", "| Key | Type | Default | Change | Meaning |\n|---|---|---|---|---|\n", ""));
  }

  private List<String> keys(String patterns) {
    List<String> wanted = List.of(patterns.split("\\s+"));
    List<String> keys = rows.keySet().stream().filter(key -> matches(key, wanted)).toList();
    if (keys.isEmpty()) {
      throw new IllegalStateException("no such key: " + patterns);
    }
    return keys;
  }

  private static boolean matches(String key, List<String> patterns) {
    return patterns.stream()
        .anyMatch(pattern ->
            pattern.endsWith("*")
                ? key.startsWith(pattern.substring(0, pattern.length() - 1))
                : key.equals(pattern));
  }

  /** Sections of an upstream for which there are no keys of the same name outside. */
  private static final Set<Class<?>> ONLY_OF_UPSTREAMS =
      Set.of(
          PenstockProperties.Shards.class,
          PenstockProperties.Split.class,
          PenstockProperties.Tcp.class,
          PenstockProperties.Shadow.class,
          PenstockProperties.NodeTls.class);

  private void add(String prefix, Record values) throws ReflectiveOperationException {
    for (RecordComponent component : values.getClass().getRecordComponents()) {
      String key = prefix + "." + DataObjectPropertyName.toDashedForm(component.getName());
      Object value = component.getAccessor().invoke(values);
      if (value instanceof Record section) {
        add(key, section);
      } else if (component.getType().isRecord()) {
        addSection(key, component.getType());
      } else if (value instanceof Map<?, ?>) {
        addNamed(key, component);
      } else {
        Field field = values.getClass().getDeclaredField(component.getName());
        put(key, meanings.getOrDefault(key, ""), type(field), defaultValue(key, value));
        addElements(key, component);
      }
    }
  }

  private void put(String key, String meaning, String type, String defaultValue) {
    if (meaning.isEmpty()) {
      throw new IllegalStateException(key + " has no @param text");
    }
    rows.put(
        key,
        "| `%s` | %s | %s | %s | %s |\n"
            .formatted(key, type, defaultValue, effect(key), meaning.replace("|", "\\|")));
  }

  private String effect(String key) {
    Effect effect = effects.get(key);
    if (effect == null) {
      throw new IllegalStateException(key + " has no @Change");
    }
    return effect.name().toLowerCase(Locale.ROOT);
  }

  /** Adds the keys of a listener or an upstream that are not those outside. */
  private void addNamed(String parent, RecordComponent map) throws ReflectiveOperationException {
    Class<?> type =
        (Class<?>) ((ParameterizedType) map.getGenericType()).getActualTypeArguments()[1];
    Map<String, String> own = params(type);
    for (RecordComponent component : type.getRecordComponents()) {
      String name = DataObjectPropertyName.toDashedForm(component.getName());
      String key = parent + ".NAME." + name;
      if (KeyNames.inherited(ConfigurationPropertyName.adapt(key, '.')) != null) {
        continue;
      }
      if (isLikeOutside(key)) {
        continue;
      }
      if (ONLY_OF_UPSTREAMS.contains(component.getType())) {
        addSection(key, component.getType());
      } else if (component.getType().isRecord()) {
        rows.entrySet().stream()
            .filter(row -> row.getKey().startsWith(PropertiesReader.PREFIX + "." + name + "."))
            .toList()
            .forEach(row -> {
              String rest = row.getKey().substring(PropertiesReader.PREFIX.length());
              rows.put(
                  parent + ".NAME" + rest,
                  row.getValue().replace(row.getKey(), parent + ".NAME" + rest));
            });
      } else {
        addValue(key, type, component, own);
      }
    }
  }

  /** Returns whether a key of a listener is described by the one outside, though not inherited. */
  static boolean isLikeOutside(String key) {
    return key.startsWith(PropertiesReader.PREFIX + ".listeners.NAME.users");
  }

  /** Adds the keys of a section that only upstreams have, and those of its lists of sections. */
  private void addSection(String section, Class<?> type) throws ReflectiveOperationException {
    Map<String, String> own = params(type);
    for (RecordComponent component : type.getRecordComponents()) {
      String key = section + "." + DataObjectPropertyName.toDashedForm(component.getName());
      if (component.getType().isRecord()) {
        addSection(key, component.getType());
      } else if (component.getType() == Map.class) {
        addNamed(key, component);
      } else {
        addValue(key, type, component, own);
      }
    }
  }

  private void addValue(
      String key, Class<?> section, RecordComponent component, Map<String, String> meanings)
      throws ReflectiveOperationException {
    Field field = section.getDeclaredField(component.getName());
    String meaning = meanings.getOrDefault(component.getName(), "");
    put(key, meaning, type(field), defaultValue(key, null));
    addElements(key, component);
  }

  /** Adds the keys of the sections of a list. */
  private void addElements(String key, RecordComponent component)
      throws ReflectiveOperationException {
    if (component.getGenericType() instanceof ParameterizedType list
        && list.getActualTypeArguments()[0] instanceof Class<?> element
        && element.isRecord()) {
      addSection(key + "[]", element);
    }
  }

  /** Returns the {@code @param} texts of a nested record: the metadata has only those of keys. */
  private static Map<String, String> params(Class<?> type) {
    Map<String, String> params = new LinkedHashMap<>();
    try {
      String source = Files.readString(SOURCE);
      String before = source.substring(0, source.indexOf("public record " + type.getSimpleName()));
      String javadoc =
          before.substring(before.lastIndexOf("/**")).replaceAll("\\n *\\* ?", " ").strip();
      for (MatchResult param : PARAM.matcher(javadoc).results().toList()) {
        params.put(param.group(1), param.group(2).strip().replaceAll("\\s+", " "));
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return params;
  }

  private static String type(Field field) {
    Class<?> type = field.getType();
    Between range = field.getAnnotation(Between.class);
    if (type.isEnum()) {
      return Arrays.stream(type.getEnumConstants())
          .map(constant -> "`" + written(constant) + "`")
          .collect(Collectors.joining(", "));
    }
    if (type == boolean.class) {
      return "`true`, `false`";
    }
    if (type == List.class) {
      return "list";
    }
    String kind = type == Duration.class ? "duration" : type == DataSize.class ? "size" : "";
    if (range == null) {
      return kind.isEmpty() ? "text" : kind;
    }
    String bounds =
        range.max().isEmpty() ? range.min() + " or more" : range.min() + " to " + range.max();
    String all = range.orZero() ? "0 or " + bounds : bounds;
    return kind.isEmpty() ? all : kind + ", " + all;
  }

  /** Returns the default as the code writes it, else the value of a configuration without keys. */
  private static String defaultValue(String key, @Nullable Object value) {
    String written = OptionNames.defaultOf(key);
    if (written != null && !written.isEmpty()) {
      return "`" + written + "`";
    }
    return value == null || value instanceof List<?> ? "none" : "`" + written(value) + "`";
  }

  private static String written(Object value) {
    return switch (value) {
      case DataSize size when size.toBytes() == 0 -> "0";
      case DataSize size when size.toBytes() % (1 << 20) == 0 -> size.toMegabytes() + "MB";
      case Enum<?> constant -> OptionNames.written(constant);
      default -> value.toString();
    };
  }

  private static PenstockProperties defaults() {
    StandardEnvironment environment = new StandardEnvironment();
    new ArrayList<>(environment.getPropertySources().stream().toList())
        .forEach(source -> environment.getPropertySources().remove(source.getName()));
    try (LocalValidatorFactoryBean validator = new LocalValidatorFactoryBean()) {
      validator.afterPropertiesSet();
      return new PropertiesReader(environment).read(validator);
    }
  }

  private static Map<String, String> meanings() {
    Map<String, String> meanings = new LinkedHashMap<>();
    try (InputStream in = PenstockProperties.class.getResourceAsStream(METADATA)) {
      for (JsonNode property : JsonMapper.shared().readTree(in).get("properties")) {
        if (property.has("description")) {
          meanings.put(property.get("name").asString(), property.get("description").asString());
        }
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return meanings;
  }
}
