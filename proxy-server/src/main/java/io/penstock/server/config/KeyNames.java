package io.penstock.server.config;

import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/**
 * The names of keys below {@code penstock.listeners.NAME} and {@code penstock.upstreams.NAME}: in
 * which other ways they may be written, and which key outside is their default.
 */
final class KeyNames {

  static final ConfigurationPropertyName LISTENERS =
      ConfigurationPropertyName.of(PropertiesReader.PREFIX + ".listeners");
  static final ConfigurationPropertyName UPSTREAMS =
      ConfigurationPropertyName.of(PropertiesReader.PREFIX + ".upstreams");

  /** The index of NAME, and of what follows it. */
  static final int NAME = 2;

  static final int KEY = NAME + 1;

  private static final String READS = "reads";
  private static final String RESOURCE = "resource";
  private static final String SHARDS = "shards";

  /**
   * Keys of a listener, uniform, that have no default outside. There, they describe the listener
   * {@code default}.
   */
  private static final Set<String> OWN =
      Set.of(
          "port",
          "bind",
          "path",
          "mode",
          "owner",
          "upstream",
          "password",
          "passwordfile",
          "tls",
          "clusterfacade");

  /** A section of a listener, as a whole in place of the one outside. */
  private static final String USERS = "users";

  /** Keys of an upstream, uniform, that have no default outside. */
  private static final Set<String> OWN_OF_UPSTREAM =
      Set.of(
          RESOURCE,
          "passwordfile",
          "sentinelpasswordfile",
          SHARDS,
          "split",
          "byprefix",
          "otherwise",
          "weighted",
          "by",
          "primary",
          "copies",
          "reply",
          "copyqueuemaxrequests",
          "copyqueuemaxbytes",
          "tcp",
          "tls",
          "proxyprotocol",
          "shadow");

  /** Keys of {@code reads}, uniform, by the name that they may have directly below an upstream. */
  private static final Map<String, String> SHORT =
      Map.of(
          "read-from", "from",
          "read-balance", "balance",
          "zone", "zone",
          "zones", "zones",
          "max-replica-lag", "max-replica-lag",
          "read-your-writes", "read-your-writes");

  private KeyNames() {}

  /** Returns whether it is a listener or an upstream, or a key of one. */
  static boolean isNamed(ConfigurationPropertyName name) {
    return LISTENERS.isAncestorOf(name) || UPSTREAMS.isAncestorOf(name);
  }

  /** Returns the name of the listener or the upstream that a key belongs to, as it is written. */
  static String nameIn(ConfigurationPropertyName key) {
    return key.getElement(NAME, Form.ORIGINAL);
  }

  /** Returns whether it is the name of an upstream, whose value is its URL. */
  static boolean isUrlOfUpstream(ConfigurationPropertyName name) {
    return UPSTREAMS.isParentOf(name);
  }

  /** Returns whether it is a key of an upstream that says how it is connected to, read or used. */
  static boolean isSettingOfUpstream(ConfigurationPropertyName canonical) {
    return canonical.getNumberOfElements() > KEY
        && Set.of("backend", "topology", READS, "crossslot")
            .contains(canonical.getElement(KEY, Form.UNIFORM));
  }

  /** Returns whether it describes the listener {@code default}, or is a key of what does. */
  static boolean isOfDefaultListener(ConfigurationPropertyName name) {
    return OWN.contains(name.getElement(1, Form.UNIFORM));
  }

  /** Returns whether its value is, or may contain, rules of users with passwords. */
  static boolean isOfUserRules(ConfigurationPropertyName name) {
    int at = usersAt(name) + 1;
    return at > 0
        && name.getNumberOfElements() > at
        && name.getElement(at, Form.UNIFORM).equals("rules");
  }

  /** Returns the index of the name of a user in a key with settings of one; 0 in another key. */
  static int userAt(ConfigurationPropertyName name) {
    int at = usersAt(name) + 1;
    return at > 0
            && name.getNumberOfElements() > at + 1
            && name.getElement(at, Form.UNIFORM).equals("settings")
        ? at + 1
        : 0;
  }

  /** Returns the index of the section with users that a key is in; -1 if it is in none. */
  private static int usersAt(ConfigurationPropertyName name) {
    int at = LISTENERS.isAncestorOf(name) ? KEY : 1;
    return name.getNumberOfElements() > at && name.getElement(at, Form.UNIFORM).equals(USERS)
        ? at
        : -1;
  }

  /** Returns whether its value is, or may contain, the URL of a shard. */
  static boolean isOfShard(ConfigurationPropertyName name) {
    return UPSTREAMS.isAncestorOf(name)
        && name.getNumberOfElements() > KEY + 1
        && name.getElement(KEY, Form.UNIFORM).equals(SHARDS)
        && Set.of("servers", "slots").contains(name.getElement(KEY + 1, Form.UNIFORM));
  }

  /** Returns the name of a key as {@link PenstockProperties} has it. */
  static ConfigurationPropertyName canonical(ConfigurationPropertyName name) {
    if (!UPSTREAMS.isAncestorOf(name)) {
      return name;
    }
    if (UPSTREAMS.isParentOf(name)) {
      return name.append(RESOURCE);
    }
    String key = name.getElement(KEY, Form.UNIFORM);
    for (Map.Entry<String, String> entry : SHORT.entrySet()) {
      if (uniform(entry.getKey()).equals(key)) {
        return replaced(name, READS + "." + entry.getValue(), KEY + 1);
      }
    }
    return name;
  }

  /** Returns the other name under which the user may have written a key, or null. */
  static @Nullable ConfigurationPropertyName shortForm(ConfigurationPropertyName name) {
    if (!UPSTREAMS.isAncestorOf(name) || UPSTREAMS.isParentOf(name)) {
      return null;
    }
    String key = name.getElement(KEY, Form.UNIFORM);
    int elements = name.getNumberOfElements();
    if (key.equals(RESOURCE) && elements == KEY + 1) {
      return name.chop(KEY);
    }
    if (!key.equals(READS) || elements == KEY + 1) {
      return null;
    }
    String read = name.getElement(KEY + 1, Form.UNIFORM);
    for (Map.Entry<String, String> entry : SHORT.entrySet()) {
      if (uniform(entry.getValue()).equals(read)) {
        return replaced(name, entry.getKey(), KEY + 2);
      }
    }
    return null;
  }

  /** Returns the short forms of keys of an upstream, for any name. */
  static Stream<ConfigurationPropertyName> shortForms() {
    return SHORT.keySet().stream().map(key -> UPSTREAMS.append(KeyTree.ANY_NAME).append(key));
  }

  /** Returns the key outside whose value is the default of this one, or null. */
  static @Nullable ConfigurationPropertyName inherited(ConfigurationPropertyName name) {
    if (!isNamed(name) || name.getNumberOfElements() <= KEY) {
      return null;
    }
    String key = name.getElement(KEY, Form.UNIFORM);
    boolean own =
        LISTENERS.isAncestorOf(name)
            ? OWN.contains(key) || key.equals(USERS)
            : OWN_OF_UPSTREAM.contains(key);
    return own ? null : joined(PropertiesReader.PREFIX, name, KEY);
  }

  private static ConfigurationPropertyName replaced(
      ConfigurationPropertyName name, String key, int rest) {
    return joined(name.chop(KEY) + "." + key, name, rest);
  }

  /** Returns the name that begins so and ends as another one from an element on. */
  static ConfigurationPropertyName joined(String start, ConfigurationPropertyName name, int from) {
    StringBuilder text = new StringBuilder(start);
    for (int i = from; i < name.getNumberOfElements(); i++) {
      String element = name.getElement(i, Form.ORIGINAL);
      if (name.isNumericIndex(i) || !isPlain(element)) {
        text.append('[').append(element).append(']');
      } else {
        text.append('.').append(name.getElement(i, Form.DASHED));
      }
    }
    return ConfigurationPropertyName.of(text);
  }

  /** Returns whether an element of a name needs no brackets. */
  private static boolean isPlain(String element) {
    return element.chars().allMatch(c -> Character.isLetterOrDigit(c) || c == '-' || c == '_');
  }

  private static String uniform(String key) {
    return key.replace("-", "");
  }
}
