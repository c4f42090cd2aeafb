package io.penstock.server.launch;

import java.lang.reflect.InvocationTargetException;
import org.jspecify.annotations.Nullable;

/**
 * Starts Penstock if this Java is new enough, and otherwise says which one is needed. Compiled for
 * Java 8; the name of the application's class keeps it from being loaded by others.
 */
public final class Launcher {

  /** What the rest of Penstock is compiled for. */
  static final int NEEDED = 25;

  private static final String APPLICATION = "io.penstock.server.PenstockApplication";

  private Launcher() {}

  /** Calls the application's main method, and throws what that throws. */
  public static void main(String[] arguments) throws Throwable {
    String complaint =
        complaint(
            System.getProperty("java.specification.version", ""),
            System.getProperty("java.version", "?"),
            System.getProperty("java.home", "?"));
    if (complaint != null) {
      System.err.println(complaint);
      System.exit(1);
    }
    try {
      Class.forName(APPLICATION).getMethod("main", String[].class).invoke(null, (Object) arguments);
    } catch (InvocationTargetException e) {
      Throwable cause = e.getCause();
      throw cause == null ? e : cause;
    }
  }

  /** Why this Java cannot run Penstock, or null if it can. */
  static @Nullable String complaint(String specification, String version, String home) {
    return major(specification) >= NEEDED
        ? null
        : "Penstock needs Java "
            + NEEDED
            + " or newer, and this is Java "
            + version
            + " ("
            + home
            + "): start it with the java of a newer one.";
  }

  /** Java 8 and older call themselves 1.8; what is no number is believed to be new. */
  private static int major(String specification) {
    String number = specification.startsWith("1.") ? specification.substring(2) : specification;
    try {
      return Integer.parseInt(number);
    } catch (NumberFormatException e) {
      return Integer.MAX_VALUE;
    }
  }
}
