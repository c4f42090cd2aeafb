package io.penstock.server.it;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/**
 * A client suite or a framework's suite as a program of its own: under {@code src/test/clients}.
 * The libraries of its lock file are installed from the package registry under {@code
 * target/clients}. If the runtime, the registry or a library is missing, the test is skipped with
 * the reason.
 */
@SuppressWarnings("ImmutableEnumChecker") // the lists cannot be changed
enum ClientProgram {
  PYTHON(Language.PYTHON, "python", "suite.py"),
  GO(Language.GO, "go", "./suite"),
  NODE(Language.NODE, "node", "suite.js"),
  SPRING_SESSION(Language.JAVA, "frameworks/java", "SpringSession.java", "default"),
  SPRING_SESSION_INDEXED(Language.JAVA, "frameworks/java", "SpringSession.java", "indexed"),
  REDISSON(Language.JAVA, "frameworks/java", "Redisson.java"),
  RQ(Language.PYTHON, "frameworks/python", "rq_suite.py"),
  CELERY(Language.PYTHON, "frameworks/python", "celery_suite.py"),
  BULLMQ(Language.NODE, "frameworks/node", "bullmq.js"),
  SIDEKIQ(Language.RUBY, "frameworks/ruby", "sidekiq_suite.rb");

  /** How programs are started, and how their libraries are installed into the working folder. */
  @SuppressWarnings("ImmutableEnumChecker") // nor these
  private enum Language {
    PYTHON(
        "python3",
        List.of("python3"),
        "python3",
        "-m",
        "pip",
        "install",
        "--quiet",
        "--require-hashes",
        "--target",
        "lib",
        "-r",
        "requirements.txt"),
    GO("go", List.of(), "go", "build", "-mod=readonly", "-o", "suite", "."),
    NODE("node", List.of("node"), "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"),
    /** Programs of source files, run by the JDK of this JVM. */
    JAVA(
        java(),
        List.of(java(), "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", "lib/*"),
        Path.of("../mvnw").toAbsolutePath().normalize().toString(),
        "-q",
        "-B",
        "-ntp",
        "dependency:copy-dependencies",
        "-DoutputDirectory=lib"),
    /** Libraries of the system: there is no registry for Ruby that every machine reaches. */
    RUBY(
        "ruby",
        List.of("ruby"),
        "ruby",
        "-e",
        "require 'sidekiq'; abort 'Sidekiq 6 is needed' unless Sidekiq::VERSION.start_with?('6.')");

    private final String executable;
    private final List<String> runtime;
    private final List<String> install;

    Language(String executable, List<String> runtime, String... install) {
      this.executable = executable;
      this.runtime = runtime;
      this.install = List.of(install);
    }

    private static String java() {
      return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }
  }

  private static final Path SOURCES = Path.of("src/test/clients");
  private static final Path TARGET = Path.of("target/clients");
  private static final int INSTALL_SECONDS = 240;
  private static final int RUN_SECONDS = 240;

  private final Language language;
  private final String folder;
  private final List<String> program;

  /**
   * @param folder below {@code src/test/clients}; programs of one folder share their libraries
   * @param further arguments of the program
   */
  ClientProgram(Language language, String folder, String program, String... further) {
    this.language = language;
    this.folder = folder;
    this.program = Stream.concat(Stream.of(program), Stream.of(further)).toList();
  }

  /** Returns the programs of frameworks. */
  static List<ClientProgram> frameworks() {
    return Stream.of(values()).filter(each -> each.folder.startsWith("frameworks/")).toList();
  }

  /** Returns its name in lists of scenarios. */
  String title() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * Runs the suite of a client library and returns its output.
   *
   * @param host of the proxy, or the path of its Unix socket
   * @param port of the proxy; 0 for a Unix socket
   * @param authority the file of the certificate that the proxy's is issued by; null without TLS
   */
  String run(String host, int port, int protocol, @Nullable Path authority) {
    List<String> arguments = new ArrayList<>(List.of(Integer.toString(protocol)));
    if (authority != null) {
      arguments.add(authority.toString());
    }
    return run(host, port, arguments);
  }

  /** Runs the suite of a framework and returns its output. */
  String run(String host, int port) {
    return run(host, port, List.of());
  }

  private String run(String host, int port, List<String> arguments) {
    assumeInstalled();
    List<String> command = new ArrayList<>(language.runtime);
    command.add(program.getFirst());
    command.add(host);
    command.add(Integer.toString(port));
    command.addAll(program.subList(1, program.size()));
    command.addAll(arguments);
    return execute(command, RUN_SECONDS).text();
  }

  private void assumeInstalled() {
    try {
      assume(isOnPath(language.executable), language.executable + " is not on PATH");
      Path target = TARGET.resolve(folder);
      Files.createDirectories(target);
      try (FileChannel lock = FileChannel.open(TARGET.resolve(folder + ".lock"), CREATE, WRITE);
          FileLock _ = lock.lock()) { // tests of other JVMs use the folder too
        installOnce(target);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void installOnce(Path target) throws IOException {
    var sources = new StringBuilder();
    List<Path> files = sources();
    for (Path file : files) {
      sources.append(Files.readString(file));
    }
    Path installedFor = target.resolve("installed");
    if (Files.exists(installedFor) && Files.readString(installedFor).contentEquals(sources)) {
      return;
    }
    for (Path file : files) {
      Files.copy(file, target.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
    }
    Output installed = execute(language.install, INSTALL_SECONDS);
    assume(
        installed.code() == 0,
        "its libraries could not be installed: " + installed.text().strip().replace('\n', ' '));
    Files.writeString(installedFor, sources);
  }

  private List<Path> sources() throws IOException {
    try (Stream<Path> files = Files.list(SOURCES.resolve(folder))) {
      return files.sorted().toList();
    }
  }

  private void assume(boolean holds, String reason) {
    if (!holds) {
      System.out.println("skipped: " + title() + " suite, " + reason);
    }
    Assumptions.assumeTrue(holds, reason);
  }

  private static boolean isOnPath(String command) {
    return Stream.of(String.valueOf(System.getenv("PATH")).split(":", -1))
        .anyMatch(each -> Files.isExecutable(Path.of(each).resolve(command)));
  }

  /** Exit status and output of a command, standard error included. */
  private record Output(int code, String text) {}

  private Output execute(List<String> command, int seconds) {
    String file = title() + "-" + ProcessHandle.current().pid() + ".log"; // one for each JVM
    Path printed = TARGET.resolve(file);
    var builder =
        new ProcessBuilder(command)
            .directory(TARGET.resolve(folder).toFile())
            .redirectErrorStream(true)
            .redirectOutput(printed.toFile());
    builder
        .environment()
        .putAll(
            Map.of(
                "PYTHONPATH", "lib",
                "GOTOOLCHAIN", "local",
                "JAVA_HOME", System.getProperty("java.home")));
    try {
      Process process = builder.start();
      try {
        boolean ended = process.waitFor(seconds, TimeUnit.SECONDS);
        String text = Files.readString(printed, StandardCharsets.UTF_8);
        return ended
            ? new Output(process.exitValue(), text)
            : new Output(-1, text + "not done after " + seconds + " s");
      } finally {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
