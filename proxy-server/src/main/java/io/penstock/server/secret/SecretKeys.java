package io.penstock.server.secret;

import io.penstock.server.url.ResourceUrl;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.json.JsonParseException;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.boot.support.SpringApplicationJsonEnvironmentPostProcessor;
import org.springframework.core.env.CommandLinePropertySource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/** Which keys have a secret as their value, and which of these others can see. */
public final class SecretKeys {

  private static final Logger LOG = LoggerFactory.getLogger(SecretKeys.class);

  /** Keys with JSON as their value, which contains further keys; Spring Boot reads both. */
  private static final Set<String> JSON =
      Set.of(
          SpringApplicationJsonEnvironmentPostProcessor.SPRING_APPLICATION_JSON_PROPERTY,
          SpringApplicationJsonEnvironmentPostProcessor
              .SPRING_APPLICATION_JSON_ENVIRONMENT_VARIABLE);

  /** A private key itself, in place of the name of its file. */
  private static final Pattern PRIVATE_KEY = Pattern.compile("-----BEGIN [A-Z ]*PRIVATE KEY-----");

  private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{[^}]*}");

  private SecretKeys() {}

  /**
   * Returns whether the value of a key must never be shown.
   *
   * @param lastElement of the key, without dashes and in lower case
   */
  public static boolean isSecret(String lastElement) {
    return lastElement.endsWith("password") || lastElement.equals("managementtoken");
  }

  /**
   * Logs a warning for each secret that is an argument of the command line: {@code ps} shows it to
   * every user of the machine.
   */
  public static void warnOfArguments(ConfigurableEnvironment environment) {
    for (PropertySource<?> source : environment.getPropertySources()) {
      if (!(source instanceof EnumerablePropertySource<?> listed)) {
        continue;
      }
      boolean arguments = source instanceof CommandLinePropertySource<?>;
      if (arguments
          || source.getName().equals(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME)) {
        List<String> jvm =
            arguments ? List.of() : ManagementFactory.getRuntimeMXBean().getInputArguments();
        for (String name : listed.getPropertyNames()) {
          if ((arguments || isArgument(name, jvm)) && hasSecret(name, source.getProperty(name))) {
            LOG.warn(
                "{} has a secret and is an argument: ps shows it to every user of this machine."
                    + " Use a file (password-file), an environment variable or application.yml",
                name);
          }
        }
      }
    }
  }

  private static boolean isArgument(String name, List<String> jvm) {
    return jvm.stream().anyMatch(argument -> argument.startsWith("-D" + name + "="));
  }

  private static boolean hasSecret(String name, @Nullable Object value) {
    if (value instanceof Map<?, ?> section) {
      return section.entrySet().stream()
          .anyMatch(each -> hasSecret(String.valueOf(each.getKey()), each.getValue()));
    }
    if (value instanceof Collection<?> list) {
      return list.stream().anyMatch(each -> hasSecret(name, each));
    }
    String text = value == null ? "" : PLACEHOLDER.matcher(value.toString()).replaceAll("");
    if (JSON.contains(name)) {
      return hasSecret("", parsed(text));
    }
    String last = lastElement(name);
    if (last.startsWith("rules") || name.toUpperCase(Locale.ROOT).contains("USERS_RULES")) {
      return UserRuleText.hasPassword(text);
    }
    return isSecret(last) ? !text.isEmpty() : isPrivateKey(last, text) || isUrlWithSecret(text);
  }

  private static Map<String, Object> parsed(String json) {
    try {
      return JsonParserFactory.getJsonParser().parseMap(json);
    } catch (JsonParseException e) {
      return Map.of(); // Spring Boot reports it
    }
  }

  /** Returns the last element of a key, without dashes and in lower case. */
  private static String lastElement(String name) {
    return name.substring(name.lastIndexOf('.') + 1).replace("-", "").toLowerCase(Locale.ROOT);
  }

  /** Returns whether a value is a private key, and not the name of its file. */
  private static boolean isPrivateKey(String lastElement, String value) {
    return PRIVATE_KEY.matcher(value).find()
        || (lastElement.endsWith("privatekey")
            && (value.contains("-----BEGIN") || value.startsWith("base64:")));
  }

  /** Returns whether a value is a URL, or a list of URLs, of which one has a password. */
  private static boolean isUrlWithSecret(String value) {
    int scheme = value.indexOf("://");
    if (scheme < 0 || ResourceUrl.masked(value).equals(value)) {
      return false;
    }
    int at = value.lastIndexOf('@');
    return at < 0 || !value.substring(scheme + 3, at).replace(":", "").isEmpty();
  }
}
