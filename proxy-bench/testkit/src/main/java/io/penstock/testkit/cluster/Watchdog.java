package io.penstock.testkit.cluster;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The shell that watches one server: it starts and signals the server, and removes it and its
 * folder when this JVM closes the pipe or dies. See {@code watchdog.sh}.
 */
final class Watchdog implements AutoCloseable {

  /**
   * Leaves the terminal's process group where that is possible, so that Ctrl-C reaches only the
   * JVM.
   */
  private static final String LAUNCH =
      "if command -v setsid >/dev/null 2>&1; then exec setsid sh -c \"$0\" watchdog \"$@\";"
          + " else exec sh -c \"$0\" watchdog \"$@\"; fi";

  private static final String SCRIPT = script();

  /** Linux's file system in memory. */
  private static final Path MEMORY = Path.of("/dev/shm");

  private static final int TAIL_LINES = 15;

  private static final long ENOUGH = 1L << 30; // bytes: containers have 64 MB, too little

  private final Path folder;
  private final Process shell;
  private final Writer orders;
  private final BufferedReader answers;
  private boolean running;
  private long pid;

  private Watchdog(Path folder, Process shell) {
    this.folder = folder;
    this.shell = shell;
    this.orders = shell.outputWriter(StandardCharsets.UTF_8);
    this.answers = shell.inputReader(StandardCharsets.UTF_8);
  }

  /**
   * Makes a temporary folder that is removed when the returned watchdog is closed; starts no
   * process.
   *
   * @param prefix how the folder's name begins
   */
  static Watchdog overFolder(String prefix) {
    return over(temporaryFolder(prefix), List.of());
  }

  /** Watches {@code folder}, and {@code command} once {@link #start} was called. */
  static Watchdog over(Path folder, List<String> command) {
    List<String> launch = new ArrayList<>(List.of("sh", "-c", LAUNCH, SCRIPT, folder.toString()));
    launch.addAll(command);
    try {
      return new Watchdog(
          folder, new ProcessBuilder(launch).redirectError(Redirect.DISCARD).start());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start sh, which watches over embedded servers", e);
    }
  }

  /**
   * A temporary folder in memory where there is room. Members of a cluster write their view of it
   * to disk and wait for that; on a busy disk they would suspect one another.
   */
  static Path quickFolder(String prefix) {
    try {
      if (Files.isWritable(MEMORY) && Files.getFileStore(MEMORY).getUsableSpace() > ENOUGH) {
        return Files.createTempDirectory(MEMORY, prefix);
      }
    } catch (IOException e) {
      // use the usual place, or let that fail
    }
    return temporaryFolder(prefix);
  }

  static Path temporaryFolder(String prefix) {
    try {
      return Files.createTempDirectory(prefix);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make a temporary folder", e);
    }
  }

  /**
   * Returns the lines the server has printed so far, or one line that says why they cannot be read.
   */
  List<String> log() {
    Path log = folder.resolve("server.log");
    try {
      return Files.exists(log) ? Files.readAllLines(log) : List.of();
    } catch (IOException e) {
      return List.of("(no log: " + e.getMessage() + ")");
    }
  }

  /** The last of these lines. */
  static String tail(List<String> lines) {
    return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
  }

  Path folder() {
    return folder;
  }

  /** Starts the command and returns its process id. */
  long start() {
    order("start");
    pid = Long.parseLong(answer("started"));
    running = true;
    return pid;
  }

  /** Process id of the newest start, 0 before the first. */
  long pid() {
    return pid;
  }

  boolean isRunning() {
    try {
      if (running && answers.ready()) {
        answer("ended");
        running = false;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return running;
  }

  /** Sends a signal, named without {@code SIG}; nothing happens when the command has ended. */
  void signal(String name) {
    if (isRunning()) {
      order(name);
    }
  }

  /** Blocks until the command has ended and its sockets are closed. */
  void awaitEnd() {
    if (isRunning()) {
      answer("ended");
      running = false;
    }
  }

  /** Kills the command and removes the folder. Returns when both are done. */
  @Override
  public void close() {
    try {
      orders.close();
      if (!shell.waitFor(10, TimeUnit.SECONDS)) {
        shell.destroyForcibly();
      }
      running = false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void order(String order) {
    try {
      orders.write(order + "\n");
      orders.flush();
    } catch (IOException e) {
      throw new UncheckedIOException("the shell that watches " + folder + " is gone", e);
    }
  }

  private String answer(String expected) {
    try {
      String line = answers.readLine();
      if (line == null || !line.startsWith(expected + " ")) {
        throw new IllegalStateException(
            "the shell that watches " + folder + " said '" + line + "', not '" + expected + "'");
      }
      return line.substring(expected.length() + 1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String script() {
    try (InputStream in = Watchdog.class.getResourceAsStream("watchdog.sh")) {
      if (in == null) {
        throw new IllegalStateException("watchdog.sh is missing beside " + Watchdog.class);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
