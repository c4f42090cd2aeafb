package io.penstock.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Fuzzes every target, each in a process of its own: how long, {@code fuzz.runs} and {@code
 * fuzz.seconds} say. An input that fails stays in {@code target/fuzz}.
 */
class FuzzTest {

  private static final Path CORPUS = Path.of("src/test/resources/corpus");
  private static final Path RESULTS = Path.of("target/fuzz");
  private static final int SHOWN = 40;

  @ParameterizedTest
  @EnumSource
  void whatIsInTheCorpusIsRight(Target target) throws Exception {
    List<Path> inputs;
    try (Stream<Path> files = Files.list(corpus(target))) {
      inputs = files.toList();
    }
    assertThat(inputs).isNotEmpty();
    for (Path input : inputs) {
      run(target, input);
    }
  }

  private static void run(Target target, Path input) throws Exception {
    try {
      target
          .code()
          .getMethod("fuzzerTestOneInput", byte[].class)
          .invoke(null, (Object) Files.readAllBytes(input));
    } catch (InvocationTargetException e) {
      throw new AssertionError(input.toString(), e.getCause());
    }
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsFound(Target target) throws Exception {
    if (limit("fuzz.runs", 0) == 0 && limit("fuzz.seconds", 0) == 0) {
      System.out.println("skipped: fuzzing " + name(target) + ": neither time nor runs for it");
      Assumptions.abort("neither time nor runs for it");
    }
    Path results = Files.createDirectories(RESULTS.resolve(name(target)));
    Files.createDirectories(results.resolve("corpus"));
    Path log = results.resolve("log");
    Process fuzzer =
        new ProcessBuilder(command(target, results))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    int code;
    try {
      code = fuzzer.waitFor();
    } finally {
      fuzzer.destroyForcibly();
    }
    List<String> lines = Files.readAllLines(log);
    String done =
        lines.stream().filter(line -> line.startsWith("Done ")).findFirst().orElse("not done");
    System.out.println("fuzzed " + name(target) + ": " + done);
    assertThat(code)
        .as(String.join("\n", lines.subList(Math.max(0, lines.size() - SHOWN), lines.size())))
        .isZero();
    assertThat(done).startsWith("Done ");
  }

  private static List<String> command(Target target, Path results) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(property("penstock.jvm-arguments").split(" ", -1)));
    command.addAll(
        List.of(
            "-XX:+EnableDynamicAgentLoading",
            "-Xmx512m",
            "-XX:+UseSerialGC",
            "-Dio.netty.allocator.type=unpooled", // which counts exactly
            "-Dio.netty.leakDetection.level=disabled",
            "-cp",
            System.getProperty("java.class.path", ""),
            "com.code_intelligence.jazzer.Jazzer",
            "--target_class=" + target.code().getName(),
            "--instrumentation_includes=" + target.instrumentation(),
            "--disabled_hooks=com.code_intelligence.jazzer.sanitizers.**",
            "--reproducer_path=" + results,
            "-artifact_prefix=" + results + File.separator,
            "-runs=" + limit("fuzz.runs", -1),
            "-max_total_time=" + limit("fuzz.seconds", 0),
            "-seed=" + property("fuzz.seed"),
            "-max_len=1024",
            "-rss_limit_mb=3000",
            "-timeout=20"));
    Path dictionary = Path.of("src/test/resources/" + name(target) + ".dict");
    if (Files.exists(dictionary)) {
      command.add("-dict=" + dictionary);
    }
    command.add(results.resolve("corpus").toString());
    command.add(corpus(target).toString());
    return command;
  }

  /** A number; 0 means no limit. */
  private static long limit(String property, long none) {
    long number = Long.parseLong(property(property));
    return number == 0 ? none : number;
  }

  private static String property(String name) {
    return Objects.requireNonNull(System.getProperty(name), name);
  }

  private static Path corpus(Target target) {
    return CORPUS.resolve(name(target));
  }

  private static String name(Target target) {
    return target.name().toLowerCase(Locale.ROOT);
  }
}
