package io.penstock.server.secret;

import io.penstock.server.url.ResourceUrl;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.env.CommandLinePropertySource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/** Which keys have a secret as their value, and which of these others can see. */
public final class SecretKeys {

  private static final Logger LOG = LoggerFactory.getLogger(SecretKeys.class);

  /** Last elements of keys, without dashes. */
  private static final Set<String> SECRET = Set.of("password", "managementtoken");

  private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{[^}]*}");

  private SecretKeys() {}

  /**
   * Returns whether the value of a key must never be shown.
   *
   * @param lastElement of the key, without dashes and in lower case
   */
  public static boolean isSecret(String lastElement) {
    return SECRET.contains(lastElement);
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
    String text = PLACEHOLDER.matcher(String.valueOf(value)).replaceAll("");
    String last = name.substring(name.lastIndexOf('.') + 1);
    if (isSecret(last.replace("-", "").toLowerCase(Locale.ROOT))) {
      return value != null && !text.isEmpty();
    }
    return isUrlWithSecret(text);
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
