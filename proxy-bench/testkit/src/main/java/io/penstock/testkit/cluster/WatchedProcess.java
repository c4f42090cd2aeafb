package io.penstock.testkit.cluster;

import io.penstock.testkit.wire.RespClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A proxy on a free port of 127.0.0.1, watched by the same shell as the embedded servers: it ends
 * with {@link #close}, or with this JVM, however the JVM ends.
 */
public final class WatchedProcess implements AutoCloseable {

  private static final String HOST = "127.0.0.1";
  private static final Duration START = Duration.ofSeconds(60);
  private static final Duration REPLY = Duration.ofSeconds(2);
  private static final Pattern ERROR =
      Pattern.compile("error|exception|fail|emerg|unrecognized", Pattern.CASE_INSENSITIVE);

  private final String name;
  private final int port;
  private final Watchdog watchdog;

  private WatchedProcess(String name, int port, Watchdog watchdog) {
    this.name = name;
    this.port = port;
    this.watchdog = watchdog;
  }

  /** How to start a program. */
  public interface Recipe {

    /**
     * Returns the command line; may write configuration files first.
     *
     * @param folder the program's own, removed when it ends
     * @param port to listen on; the one {@value FreePorts#BUS_OFFSET} above is free as well
     */
    List<String> command(Path folder, int port) throws IOException;
  }

  /**
   * Starts the program and returns when a {@code GET} through it is answered by a server.
   *
   * @throws IllegalStateException if the program ends first, or the time is up; the message has its
   *     first error, then the end of its output
   */
  public static WatchedProcess start(String name, Recipe recipe) {
    int port = FreePorts.take(HOST);
    WatchedProcess process;
    try {
      process = new WatchedProcess(name, port, prepare(recipe, port));
    } catch (RuntimeException e) {
      FreePorts.giveBack(port);
      throw e;
    }
    try {
      process.watchdog.start();
      process.awaitAnswer();
      return process;
    } catch (RuntimeException e) {
      Closing.after(e, process::close);
      throw e;
    }
  }

  public String host() {
    return HOST;
  }

  public int port() {
    return port;
  }

  public long pid() {
    return watchdog.pid();
  }

  /** Kills the program and removes its folder. */
  @Override
  public void close() {
    try {
      watchdog.close();
    } finally {
      FreePorts.giveBack(port);
    }
  }

  private static Watchdog prepare(Recipe recipe, int port) {
    Path folder = Watchdog.temporaryFolder("penstock-bench-");
    try {
      return Watchdog.over(folder, recipe.command(folder, port));
    } catch (IOException e) {
      throw withoutFolder(folder, new UncheckedIOException(e));
    } catch (RuntimeException e) {
      throw withoutFolder(folder, e);
    }
  }

  private static RuntimeException withoutFolder(Path folder, RuntimeException failure) {
    Closing.after(failure, () -> Watchdog.over(folder, List.of()).close());
    return failure;
  }

  private void awaitAnswer() {
    Waiting.until(
        name + " answers on port " + port,
        START,
        () -> !watchdog.isRunning() || answers(),
        this::lastWords);
    if (!watchdog.isRunning()) {
      throw new IllegalStateException(name + " ended at once: " + lastWords());
    }
  }

  /** A GET, because a proxy may answer a PING before it knows its servers. */
  private boolean answers() {
    try (RespClient connection = RespClient.open(HOST, port, REPLY)) {
      connection.text("GET", "0");
      return true;
    } catch (UncheckedIOException | RespClient.ErrorReply e) {
      return false;
    }
  }

  private String lastWords() {
    List<String> lines = watchdog.log();
    return firstError(lines) + "\n" + Watchdog.tail(lines);
  }

  /** Returns one line: Spring's description of a failed start, or the first line with an error. */
  private static String firstError(List<String> lines) {
    int described = lines.indexOf("Description:");
    if (described >= 0) {
      return lines.stream()
          .skip(described + 1)
          .takeWhile(line -> !line.equals("Action:"))
          .map(line -> line.strip().replaceAll("\\s+", " "))
          .filter(line -> !line.isEmpty())
          .collect(Collectors.joining(" "));
    }
    return lines.stream().filter(ERROR.asPredicate()).findFirst().orElse("(without an error)");
  }
}
