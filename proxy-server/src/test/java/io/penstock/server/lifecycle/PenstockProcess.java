package io.penstock.server.lifecycle;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.testkit.wire.RespClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The packaged application in a separate JVM, on free ports. */
final class PenstockProcess implements AutoCloseable {

  /** The JVM that the tests run on. */
  private static final String JAVA = ProcessHandle.current().info().command().orElse("java");

  /**
   * A flag for tests without load. Without C2, a start needs little more than half the CPU, and
   * tests start Penstock while others run.
   */
  static final String QUICK_START = "-XX:TieredStopAtLevel=1";

  /** What the build packages. */
  static final Path JAR = Path.of("target/penstock.jar").toAbsolutePath();

  private static final Pattern LISTENING =
      Pattern.compile("(?:Listener (\\S+): )?Listening on 127\\.0\\.0\\.1:(\\d+)");
  private static final String DEFAULT = "default";

  private final List<String> log = new CopyOnWriteArrayList<>();
  private final Process jvm;
  private final Map<String, Integer> ports;

  /** Returns the command that runs the jar with these flags of the JVM. */
  static List<String> command(String... flags) {
    List<String> command = new ArrayList<>(List.of(JAVA));
    command.addAll(List.of(flags));
    command.addAll(List.of("-jar", JAR.toString()));
    return command;
  }

  /** Starts {@code command} with the arguments and waits until it listens. */
  static PenstockProcess start(List<String> command, String... arguments) throws IOException {
    List<String> all = new ArrayList<>(command);
    all.addAll(List.of("--penstock.bind=127.0.0.1", "--penstock.port=0"));
    all.addAll(List.of(arguments));
    return start(all, 1);
  }

  /** Starts {@code command} with listeners that serve the upstreams with the same names. */
  static PenstockProcess startWithListeners(
      List<String> command, List<String> listeners, String... arguments) throws IOException {
    List<String> all = new ArrayList<>(command);
    for (String name : listeners) {
      String key = "--penstock.listeners." + name;
      all.addAll(List.of(key + ".bind=127.0.0.1", key + ".port=0", key + ".upstream=" + name));
    }
    all.addAll(List.of(arguments));
    return start(all, listeners.size());
  }

  private static PenstockProcess start(List<String> command, int listeners) throws IOException {
    return new PenstockProcess(
        new ProcessBuilder(command).redirectErrorStream(true).start(), listeners);
  }

  private PenstockProcess(Process jvm, int listeners) {
    this.jvm = jvm;
    BufferedReader output = jvm.inputReader(UTF_8);
    Thread.ofVirtual().start(() -> output.lines().forEach(log::add));
    try {
      await()
          .atMost(Duration.ofMinutes(1))
          .failFast(() -> assertThat(jvm.isAlive()).as(this::output).isTrue())
          .untilAsserted(() -> assertThat(loggedPorts()).as(this::output).hasSize(listeners));
      ports = loggedPorts();
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  /** Returns the ports of the listeners that listen, by their names. */
  private Map<String, Integer> loggedPorts() {
    return log.stream()
        .map(LISTENING::matcher)
        .filter(Matcher::find)
        .collect(
            Collectors.toMap(
                line -> line.group(1) == null ? DEFAULT : line.group(1),
                line -> Integer.parseInt(line.group(2))));
  }

  private String output() {
    return String.join("\n", log);
  }

  private int port(String listener) {
    return Objects.requireNonNull(ports.get(listener), listener);
  }

  List<String> log() {
    return log;
  }

  RespClient connect() {
    return connect(DEFAULT);
  }

  /** Connects to one of several listeners. */
  RespClient connect(String listener) {
    return RespClient.open("127.0.0.1", port(listener), Duration.ofSeconds(10));
  }

  /** Opens a connection for raw bytes. */
  Socket open() throws IOException {
    return open(DEFAULT);
  }

  /** Opens a connection for raw bytes to one of several listeners. */
  Socket open(String listener) throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), port(listener));
  }

  long pid() {
    return jvm.pid();
  }

  /** Sends SIGTERM. The log can be read on: {@link Process#destroy} would close it. */
  void terminate() {
    jvm.toHandle().destroy();
  }

  /** Waits until the process ends and returns its exit status. */
  int awaitEnd() {
    return jvm.onExit().orTimeout(30, TimeUnit.SECONDS).join().exitValue();
  }

  boolean isAlive() {
    return jvm.isAlive();
  }

  /** Connects, sends nothing, and returns the first line that Penstock sends. */
  String greeting() throws IOException {
    try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port(DEFAULT))) {
      client.setSoTimeout(10_000);
      return new BufferedReader(new InputStreamReader(client.getInputStream(), UTF_8)).readLine();
    }
  }

  @Override
  public void close() {
    jvm.destroyForcibly().onExit().join();
  }
}
