import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;

/** Runs scenarios and prints {@code ok NAME} or {@code failed NAME: reason} for each. */
final class Scenarios {

  static final int PATIENCE_SECONDS = 20;

  /** A scenario; it throws on failure. */
  interface Scenario {
    void run() throws Exception;
  }

  private final Map<String, Scenario> all = new LinkedHashMap<>();

  Scenarios add(String name, Scenario scenario) {
    all.put(name, scenario);
    return this;
  }

  /** Returns whether all succeeded. */
  boolean run() {
    boolean succeeded = true;
    for (var each : all.entrySet()) {
      try {
        each.getValue().run();
        System.out.println("ok " + each.getKey());
      } catch (Exception | AssertionError e) { // continue with the next scenario
        succeeded = false;
        System.out.println("failed " + each.getKey() + ": " + e.toString().replace('\n', ' '));
      }
    }
    return succeeded;
  }

  static void equal(Object actual, Object expected) {
    if (!Objects.equals(actual, expected)) {
      throw new AssertionError(actual + " instead of " + expected);
    }
  }

  /** Waits until the condition holds. */
  static void eventually(String what, Callable<Boolean> condition) throws Exception {
    long end = System.nanoTime() + PATIENCE_SECONDS * 1_000_000_000L;
    while (!condition.call()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("not in " + PATIENCE_SECONDS + " s: " + what);
      }
      Thread.sleep(20);
    }
  }
}
