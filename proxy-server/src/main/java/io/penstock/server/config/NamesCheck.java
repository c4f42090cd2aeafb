package io.penstock.server.config;

import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/** The names of listeners and upstreams that the configuration has, and what is wrong with them. */
final class NamesCheck {

  private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,62}");
  private static final ConfigurationPropertyName.Form UNIFORM =
      ConfigurationPropertyName.Form.UNIFORM;
  private static final Pattern INDEX = Pattern.compile("\\d+");

  private final KeySources sources;
  private final Set<ConfigurationPropertyName> own;
  private final Map<String, Set<String>> listeners;
  private final Map<String, Set<String>> upstreams;

  /**
   * @param own all keys of the configuration
   */
  NamesCheck(KeySources sources, Set<ConfigurationPropertyName> own) {
    this.sources = sources;
    this.own = own;
    this.listeners = sources.namesBelow(KeyNames.LISTENERS, PropertiesReader.KEYS);
    this.upstreams = sources.namesBelow(KeyNames.UPSTREAMS, PropertiesReader.KEYS);
  }

  boolean isUsed() {
    return !listeners.isEmpty() || !upstreams.isEmpty();
  }

  /**
   * Returns whether a key, as a source lists it, is one of the configuration. Others are variables
   * of other programs, or variables that override a key of a name with dashes.
   */
  boolean isListed(ConfigurationPropertyName key) {
    Map<String, Set<String>> names = KeyNames.LISTENERS.isAncestorOf(key) ? listeners : upstreams;
    return own.contains(key)
        && names
            .getOrDefault(
                key.getElement(KeyNames.NAME, ConfigurationPropertyName.Form.UNIFORM), Set.of())
            .contains(KeyNames.nameIn(key));
  }

  /** Returns the key of each listener or upstream; the key itself if it belongs to none. */
  Stream<ConfigurationPropertyName> concrete(ConfigurationPropertyName key) {
    if (!KeyNames.isNamed(key)) {
      return Stream.of(key);
    }
    return (KeyNames.LISTENERS.isAncestorOf(key) ? listeners : upstreams)
        .values().stream().map(spelled -> KeyTree.withName(key, spelled.iterator().next()));
  }

  /**
   * Checks the syntax of all names.
   *
   * @throws InvalidConfigurationException for the first invalid one
   */
  void rejectInvalid() {
    rejectInvalid(KeyNames.LISTENERS, listeners);
    rejectInvalid(KeyNames.UPSTREAMS, upstreams);
  }

  private void rejectInvalid(ConfigurationPropertyName parent, Map<String, Set<String>> names) {
    for (Set<String> spelled : names.values()) {
      String name = spelled.iterator().next();
      if (INDEX.matcher(name).matches()) {
        throw fault(
            parent,
            name,
            parent + " is not a list: each of them has a name that is not a number",
            "write a name, such as main, and the keys below it");
      }
      if (!NAME.matcher(name).matches()) {
        throw fault(
            parent,
            name,
            "'" + name + "' is not a name",
            "write small letters, digits and dashes, a letter or digit first, at most 63");
      }
      if (spelled.size() > 1) {
        throw fault(
            parent,
            name,
            "the names " + String.join(" and ", spelled) + " differ only in dashes or case",
            "rename one of them");
      }
    }
  }

  private InvalidConfigurationException fault(
      ConfigurationPropertyName parent, String name, String reason, String fix) {
    ConfigurationPropertyName key =
        own.stream()
            .filter(parent::isAncestorOf)
            .filter(candidate -> KeyNames.nameIn(candidate).equals(name))
            .findFirst()
            .orElse(parent);
    String written = parent + (INDEX.matcher(name).matches() ? "[" + name + "]" : "." + name);
    return sources.unknown(written, key, reason, fix);
  }

  /**
   * Rejects keys that would have no effect: they describe a listener that there is not.
   *
   * @throws InvalidConfigurationException for the first such key
   */
  void rejectKeysOfDefaultListener() {
    ConfigurationPropertyName key =
        own.stream().filter(KeyNames::isOfDefaultListener).findFirst().orElse(null);
    if (key != null && !listeners.isEmpty()) {
      String listener = listeners.values().iterator().next().iterator().next();
      throw sources.invalid(
          key,
          "it describes the listener default, which there is only without " + KeyNames.LISTENERS,
          "move it to "
              + KeyNames.LISTENERS.append(listener).append(key.subName(1))
              + ", or remove it");
    }
  }

  /** Rejects shards outside of a named upstream, and a list of servers in a list of servers. */
  void rejectMisplacedShards(ConfigurationPropertyName key) {
    int last = key.getNumberOfElements() - 1;
    if (!KeyNames.isNamed(key)) {
      if (isShards(key, 1) || isShards(key, 2) || isShards(key, 3)) { // transpond.local.shards
        throw sources.unknown(
            key,
            "only an upstream with a name has shards",
            "move it to " + KeyNames.UPSTREAMS + ".NAME.shards, which listeners can serve");
      }
    } else if (isShards(key, KeyNames.KEY)
        && key.isNumericIndex(last)
        && key.isNumericIndex(last - 1)) {
      throw sources.unknown(
          key,
          "a list of a master and its replicas is not a server of a list",
          "write { to: [ master, replica ] }");
    }
  }

  private static boolean isShards(ConfigurationPropertyName key, int element) {
    return key.getNumberOfElements() > element && key.getElement(element, UNIFORM).equals("shards");
  }
}
