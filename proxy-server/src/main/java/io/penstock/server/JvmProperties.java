package io.penstock.server;

import java.security.Security;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * What the application sets for its whole JVM. Each property only where the user has not set it:
 * {@code java -D...} wins. Netty, Lettuce, Spring and the JVM read these once, when the class
 * concerned is initialized, so they are set before anything else. The core sets none, because it
 * may share its JVM with others; {@code io.penstock.core} says what it expects of its host.
 */
final class JvmProperties {

  /** System properties, whose table with reasons is in docs/architecture.md. */
  static final Map<String, String> SYSTEM =
      Map.of(
          "io.netty.iouring.pollAddMultishotEnabled",
          "false",
          "io.lettuce.core.iouring",
          "false",
          "io.netty.leakDetection.level",
          "disabled");

  /** Whether Spring takes the beans that were decided upon when the jar was built. */
  static final String PREPARED = "spring.aot.enabled";

  /** A security property: for how many seconds the JVM keeps a name's address. */
  static final String NAMES = "networkaddress.cache.ttl";

  /** A system property, the older name of {@link #NAMES}. */
  private static final String OLD_NAMES = "sun.net.inetaddr.ttl";

  private JvmProperties() {}

  /** Sets them. Called first of all by {@code main}. */
  static void set() {
    Properties system = System.getProperties();
    missing(system, isPackaged()).forEach(System::setProperty);
    if (Security.getProperty(NAMES) == null && system.getProperty(OLD_NAMES) == null) {
      Security.setProperty(NAMES, "5");
    }
  }

  /** The system properties that are to be set beside those that are. */
  static Map<String, String> missing(Properties present, boolean packaged) {
    Map<String, String> missing = new TreeMap<>(SYSTEM);
    if (packaged) {
      missing.put(PREPARED, "true");
    }
    missing.keySet().removeIf(name -> present.getProperty(name) != null);
    return missing;
  }

  /**
   * From a jar, whose manifest tells the version: classes from a folder may be newer than their
   * beans.
   */
  private static boolean isPackaged() {
    return JvmProperties.class.getPackage().getImplementationVersion() != null;
  }
}
