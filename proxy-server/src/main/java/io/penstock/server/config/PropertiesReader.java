package io.penstock.server.config;

import io.penstock.server.secret.SecretFile;
import io.penstock.server.secret.SecretFileException;
import io.penstock.server.url.UrlRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.bind.validation.ValidationBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyNameAliases;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.util.PropertyPlaceholderHelper;
import org.springframework.util.SystemPropertyUtils;
import org.springframework.validation.Validator;

/**
 * Reads {@link PenstockProperties} from {@code penstock.*}, or from the same tree below {@code
 * camellia-redis-proxy}. Spring Boot's {@link Binder} does the binding. Not a
 * {@code @EnableConfigurationProperties} bean, because the configuration is read and checked before
 * there is any bean, and because of its messages (docs/adr/0026).
 */
public final class PropertiesReader {

  static final String PREFIX = "penstock";
  static final String COMPATIBLE_PREFIX = "camellia-redis-proxy";

  /** Spring's own helper keeps what it cannot resolve: a password would be {@code ${X}}. */
  private static final PropertyPlaceholderHelper PLACEHOLDERS =
      new PropertyPlaceholderHelper(
          SystemPropertyUtils.PLACEHOLDER_PREFIX,
          SystemPropertyUtils.PLACEHOLDER_SUFFIX,
          SystemPropertyUtils.VALUE_SEPARATOR,
          SystemPropertyUtils.ESCAPE_CHARACTER,
          false);

  private static final String NO_SUCH_KEY = "there is no such key";
  private static final Set<Class<?>> WHOLE =
      Set.of(int.class, Integer.class, long.class, Long.class);

  private static final Pattern NON_ZERO_NUMBER = Pattern.compile("\\+?\\d*[1-9]\\d*");

  static final KeyTree KEYS = KeyTree.of(PREFIX, PenstockProperties.class);
  private static final KeyTree COMPATIBLE_KEYS =
      KeyTree.of(COMPATIBLE_PREFIX, CompatibleKeys.class);

  private static final ConfigurationPropertyNameAliases ALIASES = aliases();

  private final KeySources sources;
  private final Set<ConfigurationPropertyName> own;
  private final Set<ConfigurationPropertyName> compatible;
  private final NamesCheck names;
  private final ConfigurableEnvironment environment;

  public PropertiesReader(ConfigurableEnvironment environment) {
    this.environment = environment;
    this.sources = new KeySources(environment);
    this.own = sources.below(PREFIX, KEYS);
    this.compatible = sources.below(COMPATIBLE_PREFIX, COMPATIBLE_KEYS);
    this.names = new NamesCheck(sources, own);
  }

  /** The keys of camellia-redis-proxy; their names are the components. */
  private record CompatibleKeys(
      String type, int port, String password, PenstockProperties.Transpond transpond) {}

  private static ConfigurationPropertyNameAliases aliases() {
    ConfigurationPropertyNameAliases aliases = new ConfigurationPropertyNameAliases();
    COMPATIBLE_KEYS
        .names()
        .forEach(name -> {
          String below = name.subName(1).toString();
          String own = below.equals("type") ? "dispatch" : below;
          aliases.addAliases(name, ConfigurationPropertyName.of(PREFIX + "." + own));
        });
    return aliases;
  }

  /**
   * Reads and checks everything.
   *
   * @throws InvalidConfigurationException for the first error
   * @throws BindException if a value is not a number, a constant or whatever its key needs, which
   *     Spring Boot's failure analysis explains
   */
  public PenstockProperties read(Validator validator) {
    rejectMisspeltPrefix();
    rejectBothPrefixes();
    names.rejectInvalid();
    rejectUnknownKeys();
    names.rejectKeysOfDefaultListener();
    rejectTwoNamesOfOneKey();
    own.forEach(this::rejectFraction);
    var placeholders =
        new PropertySourcesPlaceholdersResolver(environment.getPropertySources(), PLACEHOLDERS);
    Binder binder = new Binder(ownSources(), placeholders);
    try {
      KEYS.namesOf(Duration.class)
          .flatMap(names::concrete)
          .forEach(name -> rejectMissingUnit(binder, name));
      return binder.bindOrCreate(
          PREFIX, Bindable.of(PenstockProperties.class), new ValidationBindHandler(validator));
    } catch (BindException e) {
      InvalidConfigurationException invalid = new BindFaults(this).of(e);
      throw invalid == null ? e : invalid;
    }
  }

  /** Spring drops the fraction of a number that YAML has read. */
  private void rejectFraction(ConfigurationPropertyName key) {
    ConfigurationProperty written = KEYS.isOf(WHOLE, key) ? sources.findValue(key) : null;
    if (written != null && written.getValue() instanceof Double) {
      throw sources.invalid(key, "it is not a whole number", "write digits only");
    }
  }

  /** Spring reads a number as milliseconds; the user may have meant seconds. */
  private void rejectMissingUnit(Binder binder, ConfigurationPropertyName duration) {
    String value = binder.bind(duration, Bindable.of(String.class)).orElse("");
    if (NON_ZERO_NUMBER.matcher(value).matches()) {
      throw invalid(duration, "it has no unit", "write %1$ss or %1$sms".formatted(value));
    }
  }

  /** Returns the error of a key of {@code penstock}, with the name that the user wrote. */
  InvalidConfigurationException invalid(ConfigurationPropertyName key, String reason, String fix) {
    return sources.invalid(written(key), reason, fix);
  }

  /** Returns the error of a key, given without {@code penstock}. */
  public InvalidConfigurationException invalid(String key, String reason, String fix) {
    return invalid(ConfigurationPropertyName.of(PREFIX + "." + key), reason, fix);
  }

  /**
   * Returns the value of a secret, or the first line of the file that the key beside it names, such
   * as {@code password-file} beside {@code password}; null if neither is set.
   *
   * @param key of the value, given without {@code penstock}
   * @throws InvalidConfigurationException if both are set, or the file cannot be used
   */
  public @Nullable String secret(String key, @Nullable String value, @Nullable String file) {
    if (file == null) {
      return value;
    }
    String fileKey = key + "-file";
    if (value != null) {
      throw invalid(fileKey, written(key) + " is set too", "remove one of them");
    }
    try {
      return SecretFile.read(file);
    } catch (SecretFileException e) {
      throw invalid(fileKey, e.reason(), e.fix());
    }
  }

  /** Returns the whole name of a key that is given without {@code penstock}. */
  public static String keyOf(String key) {
    return PREFIX + "." + key;
  }

  /** Returns the name that the user wrote for a key, given without {@code penstock}. */
  public String written(String key) {
    return written(ConfigurationPropertyName.of(PREFIX + "." + key)).toString();
  }

  private ConfigurationPropertyName written(ConfigurationPropertyName key) {
    if (!compatible.isEmpty()) {
      ConfigurationPropertyName name = ALIASES.getNameForAlias(key);
      return name == null ? key : name; // the other tree lacks most keys
    }
    ConfigurationPropertyName name = nameThatIsSet(key);
    ConfigurationPropertyName outside = name == null ? KeyNames.inherited(key) : null;
    ConfigurationPropertyName inherited = outside == null ? null : nameThatIsSet(outside);
    return name != null ? name : inherited != null ? inherited : key;
  }

  /** Returns the name under which a key is set, by any of its names, or null if it is not set. */
  private @Nullable ConfigurationPropertyName nameThatIsSet(ConfigurationPropertyName key) {
    if (sources.findValue(key) != null) {
      return key;
    }
    ConfigurationPropertyName other = KeyNames.shortForm(key);
    return other == null || sources.findValue(other) == null ? null : other;
  }

  /** Returns whether the key itself is set, rather than its default outside. */
  public boolean isSet(ConfigurationPropertyName key) {
    return nameThatIsSet(key) != null;
  }

  /** Returns whether a key is set, given without {@code penstock}. */
  public boolean isSet(String key) {
    return isSet(ConfigurationPropertyName.of(PREFIX + "." + key));
  }

  /** Returns whether a key or an element of its list is set, given without {@code penstock}. */
  public boolean isListSet(String key) {
    return isSet(key) || isSet(key + "[0]");
  }

  /**
   * Returns a key that is set: this one, or the first below it; null if there is none.
   *
   * @param key given without {@code penstock}
   * @return given without it too
   */
  public @Nullable String firstSet(String key) {
    if (isListSet(key)) {
      return key;
    }
    ConfigurationPropertyName section = ConfigurationPropertyName.of(PREFIX + "." + key);
    return own.stream()
        .filter(section::isAncestorOf)
        .map(name -> name.toString().substring(PREFIX.length() + 1))
        .findFirst()
        .orElse(null);
  }

  /** Returns whether there are {@code penstock.listeners}. */
  public boolean hasNamedListeners() {
    return own.stream().anyMatch(KeyNames.LISTENERS::isAncestorOf);
  }

  public boolean hasNamedUpstreams() {
    return own.stream().anyMatch(KeyNames.UPSTREAMS::isAncestorOf);
  }

  /** Returns whether an upstream has keys that say how it is connected to or read. */
  public boolean hasSettingsOfUpstream(String name) {
    return own.stream()
        .filter(key -> KeyNames.UPSTREAMS.isAncestorOf(key) && KeyNames.nameIn(key).equals(name))
        .map(KeyNames::canonical)
        .anyMatch(KeyNames::isSettingOfUpstream);
  }

  /** Returns how resource URLs of this configuration are read. */
  public UrlRules urlRules() {
    return compatible.isEmpty() ? UrlRules.PENSTOCK : UrlRules.CAMELLIA;
  }

  /**
   * Returns sources that find a key of {@code penstock} under the name that the user wrote, too.
   */
  private Iterable<ConfigurationPropertySource> ownSources() {
    List<ConfigurationPropertySource> aliased = new ArrayList<>();
    List<ConfigurationPropertySource> defaults = new ArrayList<>();
    for (ConfigurationPropertySource source : sources.all()) {
      NamedSource named =
          new NamedSource(
              compatible.isEmpty()
                  ? source
                  : source.filter(compatible::contains).withAliases(ALIASES),
              names::isListed);
      aliased.add(named);
      defaults.add(named.defaults());
    }
    if (names.isUsed()) {
      aliased.addAll(defaults);
    }
    return aliased;
  }

  private static boolean isOwn(ConfigurationPropertyName key) {
    return ConfigurationPropertyName.of(PREFIX).isAncestorOf(key);
  }

  /** Spring ignores unknown keys: everything below a misspelt prefix would have no effect. */
  private void rejectMisspeltPrefix() {
    ConfigurationPropertyName wrong = sources.withMisspeltPrefix(KEYS);
    ConfigurationPropertyName right = wrong == null ? null : OptionNames.withRightPrefix(wrong);
    if (wrong == null || right == null) {
      return;
    }
    ConfigurationPropertyName known = isOwn(right) ? KEYS.variableNamed(right) : null;
    throw sources.unknown(
        wrong, NO_SUCH_KEY, "write " + (known == null ? right : known) + ", or remove it");
  }

  private void rejectBothPrefixes() {
    if (!own.isEmpty() && !compatible.isEmpty()) {
      throw sources.unknown(
          compatible.iterator().next(),
          own.iterator().next() + " is set too, and only one of the two trees is read",
          "keep either " + PREFIX + ": or " + COMPATIBLE_PREFIX + ": and remove the other");
    }
  }

  /** In two sources, one overrides the other; in one, neither is meant more than the other. */
  private void rejectTwoNamesOfOneKey() {
    for (ConfigurationPropertyName name : own) {
      ConfigurationPropertyName other = KeyNames.canonical(name);
      if (!other.equals(name) && sources.hasBoth(name, other)) {
        throw sources.invalid(
            name, "it is another name of " + other + ", which is set too", "remove one of them");
      }
    }
  }

  private void rejectUnknownKeys() {
    for (ConfigurationPropertyName name : own) {
      if (!KEYS.contains(name)) {
        names.rejectMisplacedShards(name);
        throw unknown(name);
      }
    }
    for (ConfigurationPropertyName name : compatible) {
      if (!COMPATIBLE_KEYS.contains(name)) {
        throw sources.unknown(
            name,
            "Penstock accepts only type, port, password, transpond.type, transpond.local and"
                + " sharding-func and multi-write-mode of transpond.redis-conf below "
                + COMPATIBLE_PREFIX,
            "remove it, or use the " + PREFIX + ": tree, which has more keys");
      }
    }
  }

  private InvalidConfigurationException unknown(ConfigurationPropertyName name) {
    String below = KEYS.firstBelow(name);
    if (below != null) {
      return sources.unknown(
          name,
          "it has keys below it, and no value",
          "write keys below it, such as " + below + ", or remove it");
    }
    ConfigurationPropertyName meant = KEYS.nearest(name);
    return sources.unknown(
        name,
        NO_SUCH_KEY,
        meant == null
            ? "remove it; docs/reference/configuration.md lists the keys"
            : "write " + meant + ", or remove it");
  }
}
