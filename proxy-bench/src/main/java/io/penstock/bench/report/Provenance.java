package io.penstock.bench.report;

import io.penstock.bench.harness.PenstockSetup;
import io.penstock.bench.harness.Programs;
import io.penstock.bench.load.RedisBenchmark;
import io.penstock.testkit.cluster.ServerBinary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Where figures come from. Every result says so. */
public final class Provenance {

  private static final int DIGEST_BYTES = 8;
  private static final double KIB_PER_GIB = 1 << 20;

  private Provenance() {}

  /**
   * Collects the facts of a measurement. Call it before the measurement, because of the load
   * average.
   *
   * @param checkout the working copy that the jar was built from
   */
  public static Map<String, String> collect(Path checkout, PenstockSetup setup) throws IOException {
    Map<String, String> facts = hereAndNow(checkout);
    facts.put("Jar", "`" + setup.jar().getFileName() + "`, SHA-256 " + digest(setup.jar()));
    facts.put("Shared", "load, proxies and servers share the machine");
    facts.put(
        "JVM", System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
    facts.put("JVM flags", "`" + String.join(" ", setup.jvmFlags()) + "`");
    facts.put("Penstock", "`" + String.join("` `", setup.settings()) + "`");
    facts.put("Servers", version(ServerBinary.find().path(), "--version"));
    RedisBenchmark.program()
        .ifPresent(path -> facts.put("redis-benchmark", version(path, "--version")));
    program(facts, "nutcracker", "-V", "nutcracker");
    program(facts, "nginx", "-v", "nginx");
    return facts;
  }

  /** The time, the commit and the machine. */
  static Map<String, String> hereAndNow(Path checkout) {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put(
        "Date",
        LocalDateTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.MINUTES).toString());
    facts.put("Commit", "`" + commit(checkout) + "`");
    facts.put("Machine", machine());
    facts.put("Kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    facts.put("Load average", firstLine(read("/proc/loadavg")));
    return facts;
  }

  /** The commit of a working copy, with {@code -dirty} when it was changed since. */
  static String commit(Path checkout) {
    String said =
        Programs.output(
            "git", "-C", checkout.toString(), "describe", "--always", "--dirty", "--abbrev=12");
    return said.isEmpty() || said.startsWith("fatal") ? "unknown" : said;
  }

  private static String machine() {
    String model = field(read("/proc/cpuinfo"), "model name");
    String memory = field(read("/proc/meminfo"), "MemTotal").replaceAll("\\D", "");
    String gib = memory.isEmpty() ? "?" : "%.0f".formatted(Long.parseLong(memory) / KIB_PER_GIB);
    String cpu = model.isEmpty() ? System.getProperty("os.arch") : model;
    return cpu + ", " + Runtime.getRuntime().availableProcessors() + " cores, " + gib + " GiB";
  }

  private static void program(
      Map<String, String> facts, String fact, String option, String... names) {
    Optional<Path> path = Programs.find(names);
    path.ifPresent(found -> facts.put(fact, version(found, option)));
  }

  private static String version(Path program, String option) {
    return firstLine(Programs.output(program.toString(), option)).replaceAll(" sha=.*", "");
  }

  private static String digest(Path file) throws IOException {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
      return HexFormat.of().formatHex(Arrays.copyOf(digest, DIGEST_BYTES));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private static String field(String text, String name) {
    return text.lines()
        .filter(line -> line.startsWith(name))
        .map(line -> line.substring(line.indexOf(':') + 1).strip())
        .findFirst()
        .orElse("");
  }

  private static String firstLine(String text) {
    return text.lines().findFirst().orElse("unknown");
  }

  private static String read(String file) {
    try {
      return Files.readString(Path.of(file));
    } catch (IOException e) {
      return "";
    }
  }
}
