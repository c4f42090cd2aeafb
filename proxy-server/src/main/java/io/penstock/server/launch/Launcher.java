package io.penstock.server.launch;

import java.lang.reflect.InvocationTargetException;
import org.jspecify.annotations.Nullable;

/**
 * Starts Penstock if this Java is new enough; otherwise prints which one is needed. Compiled for
 * Java 8. The application class is loaded by name, so that an older Java does not load it.
 */
public final class Launcher {

  /** The Java version that the rest of Penstock is compiled for. */
  static final int REQUIRED = 25;

  private static final String APPLICATION = "io.penstock.server.PenstockApplication";

  private Launcher() {}

  /** Calls the application's main method and rethrows its exceptions. */
  public static void main(String[] arguments) throws Throwable {
    String error =
        versionError(
            System.getProperty("java.specification.version", ""),
            System.getProperty("java.version", "?"),
            System.getProperty("java.home", "?"));
    if (error != null) {
      System.err.println(error);
      System.exit(1);
    }
    try {
      Class.forName(APPLICATION).getMethod("main", String[].class).invoke(null, (Object) arguments);
    } catch (InvocationTargetException e) {
      Throwable cause = e.getCause();
      throw cause == null ? e : cause;
    }
  }

  /** Returns why this Java cannot run Penstock, or null if it can. */
  static @Nullable String versionError(String specification, String version, String home) {
    return major(specification) >= REQUIRED
        ? null
        : "Penstock needs Java "
            + REQUIRED
            + " or newer; this is Java "
            + version
            + " ("
            + home
            + "). Start it with a newer java.";
  }

  /** Java 8 and older report 1.8; a version that is not a number is assumed to be new enough. */
  private static int major(String specification) {
    String number = specification.startsWith("1.") ? specification.substring(2) : specification;
    try {
      return Integer.parseInt(number);
    } catch (NumberFormatException e) {
      return Integer.MAX_VALUE;
    }
  }
}
