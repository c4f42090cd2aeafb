package io.penstock.server.config;

import io.penstock.server.change.Change;
import io.penstock.server.change.Effect;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * The keys of a tree of records. Below a map, each key is known once: the element {@code [*]}
 * stands for any name ({@link #template}). Below a list of records, the element {@code [0]} stands
 * for any index.
 */
final class KeyTree {

  /** Stands for the name of a listener, an upstream or a user. */
  static final String ANY_NAME = "[*]";

  /** Stands for the index of a section in a list. */
  private static final String ANY_INDEX = "[0]";

  private static final int MAX_TYPOS = 3;

  private final Map<ConfigurationPropertyName, Key> keys = new LinkedHashMap<>();
  private final Set<ConfigurationPropertyName> sections = new HashSet<>();

  private KeyTree() {}

  /**
   * One key.
   *
   * @param defaultValue null if it has none
   * @param effect of a change; null in a tree whose keys stand for others
   */
  record Key(
      ConfigurationPropertyName name,
      @Nullable String defaultValue,
      Class<?> type,
      @Nullable Effect effect) {

    boolean isList() {
      return type == List.class;
    }
  }

  static KeyTree of(String prefix, Class<? extends Record> type) {
    KeyTree tree = new KeyTree();
    tree.add(ConfigurationPropertyName.of(prefix), type, null);
    return tree;
  }

  /** Returns whether there is such a key, or such an element of a list. */
  boolean contains(ConfigurationPropertyName wanted) {
    ConfigurationPropertyName name = template(KeyNames.canonical(wanted));
    Key list = name.isLastElementIndexed() ? keys.get(name.getParent()) : null;
    return list == null ? keys.containsKey(name) : list.isList();
  }

  /**
   * Returns the key with {@link #ANY_NAME} in place of names of listeners, upstreams and users, and
   * with the first index for a section in a list. The index of a last element stays.
   */
  static ConfigurationPropertyName template(ConfigurationPropertyName key) {
    ConfigurationPropertyName named = KeyNames.isNamed(key) ? withName(key, ANY_NAME) : key;
    int user = KeyNames.userAt(named);
    return withoutIndexes(
        user == 0 ? named : KeyNames.joined(named.chop(user) + ANY_NAME, named, user + 1));
  }

  private static ConfigurationPropertyName withoutIndexes(ConfigurationPropertyName key) {
    ConfigurationPropertyName result = key;
    for (int i = 1; i < key.getNumberOfElements() - 1; i++) {
      if (key.isNumericIndex(i)) {
        result = KeyNames.joined(result.chop(i) + ANY_INDEX, result, i + 1);
      }
    }
    return result;
  }

  /** Returns the key of another listener or upstream. */
  static ConfigurationPropertyName withName(ConfigurationPropertyName key, String name) {
    ConfigurationPropertyName other = key.chop(KeyNames.NAME).append(name);
    return KeyNames.joined(other.toString(), key, KeyNames.KEY);
  }

  /** Returns the key as documents show it. */
  static String shown(ConfigurationPropertyName key) {
    return key.toString().replace(ANY_NAME, ".NAME").replace(ANY_INDEX, "[]");
  }

  /** Returns whether there are keys below this name, which is not a key itself. */
  boolean isSection(ConfigurationPropertyName name) {
    return sections.contains(template(name));
  }

  /**
   * Returns a key below this name, as documents show it, if there are only keys below it, as below
   * that of a listener; otherwise null.
   */
  @Nullable String firstBelow(ConfigurationPropertyName name) {
    ConfigurationPropertyName section = template(name);
    return names()
        .filter(section::isAncestorOf)
        .findFirst()
        .map(key -> shown(KeyNames.isNamed(name) ? withName(key, KeyNames.nameIn(name)) : key))
        .orElse(null);
  }

  /** Returns the names of all keys. */
  Stream<ConfigurationPropertyName> names() {
    return keys.keySet().stream();
  }

  /** Returns the keys with values of this type. */
  Stream<ConfigurationPropertyName> namesOf(Class<?> type) {
    return keys.values().stream().filter(key -> key.type() == type).map(Key::name);
  }

  /** Returns whether a key, as a source lists it, has values of one of these types. */
  boolean isOf(Set<Class<?>> types, ConfigurationPropertyName name) {
    Key key = keys.get(template(KeyNames.canonical(name)));
    return key != null && types.contains(key.type());
  }

  /** Returns how a change of each key takes effect, by the key as documents show it. */
  Map<String, Effect> effects() {
    Map<String, Effect> effects = new LinkedHashMap<>();
    for (Key key : keys.values()) {
      Effect effect = key.effect();
      if (effect != null) {
        effects.put(shown(key.name()), effect);
      }
    }
    return effects;
  }

  /** Returns the default of a key, or null. */
  @Nullable String defaultOf(ConfigurationPropertyName name) {
    Key key = keys.get(template(KeyNames.canonical(name)));
    return key == null ? null : key.defaultValue();
  }

  /**
   * Returns the key that an environment variable sets, whatever its prefix is, or null. The name of
   * a variable does not distinguish dashes from dots.
   */
  @Nullable ConfigurationPropertyName variableNamed(ConfigurationPropertyName variable) {
    String wanted = belowPrefix(variable);
    return names().filter(name -> belowPrefix(name).equals(wanted)).findFirst().orElse(null);
  }

  private static String belowPrefix(ConfigurationPropertyName name) {
    StringBuilder text = new StringBuilder();
    for (int i = 1; i < name.getNumberOfElements(); i++) {
      text.append(name.getElement(i, form()));
    }
    return text.toString();
  }

  /** Returns the key that the user may have meant, or null if none is similar. */
  @Nullable ConfigurationPropertyName nearest(ConfigurationPropertyName wanted) {
    boolean named = KeyNames.isNamed(wanted);
    ConfigurationPropertyName wrong = template(withoutIndex(wanted));
    ConfigurationPropertyName best = null;
    int bestDistance = Integer.MAX_VALUE;
    for (ConfigurationPropertyName name : Stream.concat(names(), KeyNames.shortForms()).toList()) {
      if (KeyNames.isNamed(name) != named) {
        continue;
      }
      int distance = distance(name.toString(), wrong.toString());
      boolean sameLastWord = last(name).equals(last(wrong));
      if (sameLastWord) {
        distance = Math.min(distance, MAX_TYPOS);
      }
      if (distance < bestDistance) {
        best = name;
        bestDistance = distance;
      }
    }
    if (best == null || bestDistance > MAX_TYPOS) {
      return null;
    }
    if (!named) {
      return best;
    }
    return best.getParent().equals(wrong.getParent())
        ? withoutIndex(wanted)
            .getParent()
            .append(best.getLastElement(ConfigurationPropertyName.Form.DASHED))
        : withName(best, KeyNames.nameIn(wanted));
  }

  /** Returns the list of an element of one. */
  private static ConfigurationPropertyName withoutIndex(ConfigurationPropertyName key) {
    return key.isLastElementIndexed() ? key.getParent() : key;
  }

  private static ConfigurationPropertyName.Form form() {
    return ConfigurationPropertyName.Form.UNIFORM;
  }

  private static String last(ConfigurationPropertyName name) {
    return name.getLastElement(form());
  }

  private void add(ConfigurationPropertyName prefix, Class<?> type, @Nullable Effect ofSection) {
    for (RecordComponent component : type.getRecordComponents()) {
      ConfigurationPropertyName name =
          prefix.append(DataObjectPropertyName.toDashedForm(component.getName()));
      Change own = component.getAnnotation(Change.class);
      Effect effect = own == null ? ofSection : own.value();
      if (component.getType().isRecord()) {
        sections.add(name);
        add(name, component.getType(), effect);
      } else if (component.getType() == Map.class) {
        sections.add(name);
        add(name.append(ANY_NAME), elementType(component), effect);
      } else {
        keys.put(name, new Key(name, defaultOf(type, component), component.getType(), effect));
        if (component.getType() == List.class && elementType(component).isRecord()) {
          add(name.append(ANY_INDEX), elementType(component), effect);
        }
      }
    }
  }

  /** Returns the type of the elements of a list, or of the values of a map. */
  private static Class<?> elementType(RecordComponent collection) {
    Type[] arguments = ((ParameterizedType) collection.getGenericType()).getActualTypeArguments();
    return (Class<?>) arguments[arguments.length - 1];
  }

  /** The annotation is on the parameter of the constructor, not on the record component. */
  private static @Nullable String defaultOf(Class<?> type, RecordComponent component) {
    for (var parameter : type.getDeclaredConstructors()[0].getParameters()) {
      DefaultValue value = parameter.getAnnotation(DefaultValue.class);
      if (parameter.getName().equals(component.getName()) && value != null) {
        return String.join(",", value.value());
      }
    }
    return null;
  }

  /** Returns the Levenshtein distance: how many characters to add, remove or change. */
  static int distance(String one, String other) {
    int[] row = new int[other.length() + 1];
    for (int j = 0; j <= other.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= one.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= other.length(); j++) {
        int change = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(change, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[other.length()];
  }
}
