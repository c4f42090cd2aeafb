package io.penstock.server;

import java.security.Security;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * Properties that the application sets for its whole JVM, unless the user has set them: {@code java
 * -D...} wins. Netty, Lettuce, Spring and the JVM read them once, when a class is initialized, so
 * they are set before anything else. The core sets none, because it may share its JVM with other
 * code; {@code io.penstock.core} documents what it expects of its host.
 */
final class JvmProperties {

  /** System properties; docs/architecture.md gives the reason for each. */
  static final Map<String, String> SYSTEM =
      Map.of(
          "io.netty.iouring.pollAddMultishotEnabled",
          "false",
          "io.lettuce.core.iouring",
          "false",
          "jdk.tls.rejectClientInitiatedRenegotiation",
          "true",
          "io.netty.leakDetection.level",
          "disabled");

  /** Whether Spring uses the bean definitions generated when the jar was built. */
  static final String AOT_ENABLED = "spring.aot.enabled";

  /** A security property: how long the JVM caches the address of a host name, in seconds. */
  static final String DNS_TTL = "networkaddress.cache.ttl";

  /** The older name of {@link #DNS_TTL}, a system property. */
  private static final String OLD_DNS_TTL = "sun.net.inetaddr.ttl";

  private JvmProperties() {}

  /** Sets the properties. {@code main} calls this before anything else. */
  static void set() {
    Properties system = System.getProperties();
    missing(system, isPackaged()).forEach(System::setProperty);
    if (Security.getProperty(DNS_TTL) == null && system.getProperty(OLD_DNS_TTL) == null) {
      Security.setProperty(DNS_TTL, "5");
    }
  }

  /** Returns the system properties that are not present yet and must be set. */
  static Map<String, String> missing(Properties present, boolean packaged) {
    Map<String, String> missing = new TreeMap<>(SYSTEM);
    if (packaged) {
      missing.put(AOT_ENABLED, "true");
    }
    missing.keySet().removeIf(name -> present.getProperty(name) != null);
    return missing;
  }

  /**
   * Returns whether the application runs from a jar, whose manifest has a version. Classes in a
   * folder may be newer than the bean definitions generated from them.
   */
  private static boolean isPackaged() {
    return JvmProperties.class.getPackage().getImplementationVersion() != null;
  }
}
