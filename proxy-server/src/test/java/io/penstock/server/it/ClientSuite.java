package io.penstock.server.it;

import java.util.LinkedHashMap;
import java.util.Map;

/** What {@code clients/scenarios.txt} lists, done with a library of this JVM. One thread. */
abstract class ClientSuite implements AutoCloseable {

  /** Fails by throwing. */
  interface Scenario {
    void run() throws Exception;
  }

  private final Map<String, Scenario> scenarios = new LinkedHashMap<>();

  final void add(String name, Scenario scenario) {
    scenarios.put(name, scenario);
  }

  /** Runs all and answers each one's {@code ok} or {@code failed}, as the programs print it. */
  final String run() {
    var report = new StringBuilder();
    scenarios.forEach((name, scenario) -> report.append(run(name, scenario)).append('\n'));
    return report.toString();
  }

  private static String run(String name, Scenario scenario) {
    try {
      scenario.run();
      return "ok " + name;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "failed " + name + ": interrupted";
    } catch (Exception | AssertionError e) {
      return "failed " + name + ": " + e.toString().replace('\n', ' ');
    }
  }

  @Override
  public abstract void close();
}
