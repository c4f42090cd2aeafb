package io.penstock.bench.harness;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How a Penstock process is started.
 *
 * @param jar the executable one
 * @param jvmFlags for its JVM, which is of the JDK that runs this one
 * @param settings Penstock's own, each {@code key=value}; of equal keys the last wins
 */
public record PenstockSetup(Path jar, List<String> jvmFlags, List<String> settings) {

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

  /** The {@code java} that is used. */
  public static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  List<String> command(String resource, int port) {
    List<String> command = new ArrayList<>(List.of(java()));
    command.addAll(jvmFlags);
    command.addAll(List.of("-jar", jar.toAbsolutePath().toString()));
    command.add("--penstock.bind=127.0.0.1");
    command.add("--penstock.port=" + port);
    command.add("--penstock.transpond.local.resource=" + resource);
    command.add("--management.server.port=-1");
    settings.forEach(setting -> command.add("--" + setting));
    return command;
  }
}
