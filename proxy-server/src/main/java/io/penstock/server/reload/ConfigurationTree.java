package io.penstock.server.reload;

import io.penstock.server.change.Change;
import io.penstock.server.change.Effect;
import io.penstock.server.config.OptionNames;
import io.penstock.server.config.PenstockProperties;
import io.penstock.server.secret.SecretKeys;
import io.penstock.server.secret.UserRuleText;
import io.penstock.server.url.ResourceUrl;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.util.unit.DataSize;

/**
 * The keys below {@code penstock} and their values in force, as nested maps: defaults included,
 * keys that are not set left out, and no secrets.
 */
final class ConfigurationTree {

  private static final String MASK = "***";

  /** Keys that describe the listener {@code default}, which there is only without others. */
  private static final Set<String> OF_DEFAULT_LISTENER =
      Set.of(
          "port",
          "bind",
          "path",
          "mode",
          "owner",
          "password",
          "password-file",
          "tls",
          "cluster-facade");

  private static final long[] MILLIS = {86_400_000, 3_600_000, 60_000, 1_000};
  private static final String[] UNITS = {"d", "h", "m", "s"};

  private ConfigurationTree() {}

  /**
   * Returns the tree.
   *
   * @param now the configuration that is read
   * @param atStart has the values of keys that need a restart
   */
  static Map<String, Object> of(PenstockProperties now, PenstockProperties atStart) {
    Map<String, Object> tree = tree(now, atStart, false);
    if (!now.listeners().isEmpty()) {
      tree.keySet().removeAll(OF_DEFAULT_LISTENER);
    }
    return tree;
  }

  /**
   * @param userOnly whether what precedes the {@code @} of a URL is a user, not a password
   */
  private static Map<String, Object> tree(
      Record section, @Nullable Record atStart, boolean userOnly) {
    boolean file = userOnly || hasPasswordFile(section);
    Map<String, Object> tree = new LinkedHashMap<>();
    for (RecordComponent component : section.getClass().getRecordComponents()) {
      Change change = component.getAnnotation(Change.class);
      boolean restart = change != null && change.value() == Effect.RESTART;
      Record source = restart && atStart != null ? atStart : section;
      Object value = RestartKeys.value(component, source);
      Object before = atStart == null ? null : RestartKeys.value(component, atStart);
      String key = DataObjectPropertyName.toDashedForm(component.getName());
      if (value instanceof Record record) {
        tree.put(key, tree(record, before instanceof Record same ? same : null, file));
      } else if (section instanceof PenstockProperties.Users users && key.equals("rules")) {
        tree.put(key, users.rules().stream().map(UserRuleText::masked).toList());
      } else if (value != null) {
        tree.put(key, isSecret(key) ? MASK : shown(value, before, file));
      }
    }
    return tree;
  }

  private static boolean isSecret(String key) {
    return SecretKeys.isSecret(key.replace("-", ""));
  }

  /** Returns whether it is an upstream's. That of a listener has nothing to do with URLs. */
  private static boolean hasPasswordFile(Record section) {
    return switch (section) {
      case PenstockProperties.Local local -> local.passwordFile() != null;
      case PenstockProperties.Upstream upstream -> upstream.passwordFile() != null;
      default -> false;
    };
  }

  private static Object shown(Object value, @Nullable Object atStart, boolean userOnly) {
    return switch (value) {
      case Record record -> tree(record, atStart instanceof Record same ? same : null, userOnly);
      case Map<?, ?> map -> {
        Map<?, ?> before = atStart instanceof Map<?, ?> same ? same : Map.of();
        Map<String, Object> shown = new TreeMap<>();
        map.forEach(
            (name, each) -> shown.put(name.toString(), shown(each, before.get(name), userOnly)));
        yield shown;
      }
      case List<?> list -> list.stream().map(each -> shown(each, null, userOnly)).toList();
      case Duration duration -> text(duration);
      case DataSize size -> text(size);
      case Enum<?> constant -> OptionNames.written(constant);
      case String text when text.contains("://") -> ResourceUrl.withoutPassword(text, userOnly);
      case String text -> text;
      default -> value;
    };
  }

  private static String text(Duration duration) {
    long millis = duration.toMillis();
    for (int i = 0; i < MILLIS.length; i++) {
      if (millis > 0 && millis % MILLIS[i] == 0) {
        return millis / MILLIS[i] + UNITS[i];
      }
    }
    return millis == 0 ? "0" : millis + "ms";
  }

  private static String text(DataSize size) {
    long bytes = size.toBytes();
    if (bytes == 0) {
      return "0";
    }
    if (bytes % (1 << 20) == 0) {
      return size.toMegabytes() + "MB";
    }
    return bytes % (1 << 10) == 0 ? size.toKilobytes() + "KB" : bytes + "B";
  }
}
