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
 * A client suite in another language: a program under {@code src/test/clients}. The libraries of
 * its lock file are installed from the package registry under {@code target/clients}. If the
 * runtime or the registry is missing, the test is skipped with the reason.
 */
enum ClientProgram {
  PYTHON("python3", "suite.py") {
    @Override
    List<String> install() {
      return List.of(
          "python3",
          "-m",
          "pip",
          "install",
          "--quiet",
          "--require-hashes",
          "--target",
          "lib",
          "-r",
          "requirements.txt");
    }
  },
  GO("go", "./suite") {
    @Override
    List<String> install() {
      return List.of("go", "build", "-mod=readonly", "-o", "suite", ".");
    }

    @Override
    String runtime() {
      return "";
    }
  },
  NODE("node", "suite.js") {
    @Override
    List<String> install() {
      return List.of("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts");
    }
  };

  private static final Path SOURCES = Path.of("src/test/clients");
  private static final Path TARGET = Path.of("target/clients");
  private static final int INSTALL_SECONDS = 240;
  private static final int RUN_SECONDS = 120;

  private final String language;
  private final String program;

  ClientProgram(String language, String program) {
    this.language = language;
    this.program = program;
  }

  /** Returns the command that installs the libraries into the working folder. */
  abstract List<String> install();

  /** Returns the program's interpreter; empty if it needs none. */
  String runtime() {
    return language;
  }

  private String folder() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Runs the suite and returns its output.
   *
   * @param host of the proxy, or the path of its Unix socket
   * @param port of the proxy; 0 for a Unix socket
   * @param authority the file of the certificate that the proxy's is issued by; null without TLS
   */
  String run(String host, int port, int protocol, @Nullable Path authority) {
    assumeInstalled();
    List<String> command = new ArrayList<>();
    if (!runtime().isEmpty()) {
      command.add(runtime());
    }
    command.addAll(List.of(program, host, Integer.toString(port), Integer.toString(protocol)));
    if (authority != null) {
      command.add(authority.toString());
    }
    return execute(command, RUN_SECONDS).text();
  }

  private void assumeInstalled() {
    try {
      assume(isOnPath(language), language + " is not on PATH");
      Path folder = TARGET.resolve(folder());
      Files.createDirectories(folder);
      try (FileChannel lock = FileChannel.open(TARGET.resolve(folder() + ".lock"), CREATE, WRITE);
          FileLock _ = lock.lock()) { // tests of other JVMs use the folder too
        installOnce(folder);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void installOnce(Path folder) throws IOException {
    var sources = new StringBuilder();
    List<Path> files = sources();
    for (Path file : files) {
      sources.append(Files.readString(file));
    }
    Path installedFor = folder.resolve("installed");
    if (Files.exists(installedFor) && Files.readString(installedFor).contentEquals(sources)) {
      return;
    }
    for (Path file : files) {
      Files.copy(file, folder.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
    }
    Output installed = execute(install(), INSTALL_SECONDS);
    assume(
        installed.code() == 0,
        "its libraries could not be installed: " + installed.text().strip().replace('\n', ' '));
    Files.writeString(installedFor, sources);
  }

  private List<Path> sources() throws IOException {
    try (Stream<Path> files = Files.list(SOURCES.resolve(folder()))) {
      return files.sorted().toList();
    }
  }

  private void assume(boolean holds, String reason) {
    if (!holds) {
      System.out.println("skipped: " + name() + " client, " + reason);
    }
    Assumptions.assumeTrue(holds, reason);
  }

  private static boolean isOnPath(String command) {
    return Stream.of(String.valueOf(System.getenv("PATH")).split(":", -1))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, command)));
  }

  /** Exit status and output of a command, standard error included. */
  private record Output(int code, String text) {}

  private Output execute(List<String> command, int seconds) {
    String file = folder() + "-" + ProcessHandle.current().pid() + ".log"; // one for each JVM
    Path printed = TARGET.resolve(file);
    var builder =
        new ProcessBuilder(command)
            .directory(TARGET.resolve(folder()).toFile())
            .redirectErrorStream(true)
            .redirectOutput(printed.toFile());
    builder.environment().putAll(Map.of("PYTHONPATH", "lib", "GOTOOLCHAIN", "local"));
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
