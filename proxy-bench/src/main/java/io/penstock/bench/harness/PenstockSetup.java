package io.penstock.bench.harness;

import io.penstock.testkit.cluster.WatchedProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How a Penstock process is started.
 *
 * @param jar the executable one; a relative path is one from the folder that it is started in
 * @param jvmFlags for its JVM, which is of the JDK that runs this one
 * @param settings Penstock's own, each {@code key=value}; of equal keys the last wins
 */
public record PenstockSetup(Path jar, List<String> jvmFlags, List<String> settings) {

  private static final String MANAGEMENT_PORT = "management.server.port";

  /** What a proxy's second port is above its first; see {@link WatchedProcess}. */
  static final int SECOND_PORT = 10_000;

  public PenstockSetup {
    jvmFlags = List.copyOf(jvmFlags);
    settings = List.copyOf(settings);
  }

  /** With one more setting. */
  public PenstockSetup with(String key, Object value) {
    String wanted = key + "=";
    List<String> all = new ArrayList<>(settings);
    all.removeIf(setting -> setting.startsWith(wanted));
    all.add(wanted + value);
    return new PenstockSetup(jar, jvmFlags, all);
  }

  /** With one more setting, unless that one is there. */
  public PenstockSetup withDefault(String key, Object value) {
    return has(key) ? this : with(key, value);
  }

  /** Whether anything is set for it. */
  public boolean has(String key) {
    return settings.stream().anyMatch(setting -> setting.startsWith(key + "="));
  }

  /** With a management port, the one above the client port {@code port} that is kept free. */
  PenstockSetup managed(int port) {
    return with(MANAGEMENT_PORT, managementPort(port));
  }

  /** The management port of one that has one, and listens on {@code port}. */
  public static int managementPort(int port) {
    return port + SECOND_PORT;
  }

  /** The {@code java} that is used. */
  public static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  /** The command line of one in front of these servers; without a management port of its own. */
  List<String> command(String resource, int port) {
    return withDefault(MANAGEMENT_PORT, -1)
        .with("penstock.bind", "127.0.0.1")
        .with("penstock.port", port)
        .with("penstock.transpond.local.resource", resource)
        .command();
  }

  /** The command line of one that is what the settings say. */
  List<String> command() {
    List<String> command = new ArrayList<>(List.of(java()));
    command.addAll(jvmFlags);
    command.addAll(List.of("-jar", jar.toString()));
    settings.forEach(setting -> command.add("--" + setting));
    return command;
  }
}
