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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The application in a separate JVM, on a free port. */
final class PenstockProcess implements AutoCloseable {

  /** The JVM that the tests run on. */
  static final String JAVA = ProcessHandle.current().info().command().orElse("java");

  private static final Pattern LISTENING = Pattern.compile("Listening on 127\\.0\\.0\\.1:(\\d+)");

  private final List<String> log = new CopyOnWriteArrayList<>();
  private final Process jvm;
  private final int port;

  /** Starts {@code command} with the arguments and waits until it listens. */
  static PenstockProcess start(List<String> command, String... arguments) throws IOException {
    List<String> all = new ArrayList<>(command);
    all.addAll(List.of("--penstock.bind=127.0.0.1", "--penstock.port=0"));
    all.addAll(List.of(arguments));
    return new PenstockProcess(new ProcessBuilder(all).redirectErrorStream(true).start());
  }

  private PenstockProcess(Process jvm) {
    this.jvm = jvm;
    BufferedReader output = jvm.inputReader(UTF_8);
    Thread.ofVirtual().start(() -> output.lines().forEach(log::add));
    try {
      await().atMost(Duration.ofSeconds(30)).until(() -> loggedPort() > 0 || !jvm.isAlive());
      port = loggedPort();
      assertThat(port).as(() -> String.join("\n", log)).isPositive();
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  /** Returns the port, or 0 if it does not listen yet. */
  private int loggedPort() {
    return log.stream()
        .map(LISTENING::matcher)
        .filter(Matcher::find)
        .findFirst()
        .map(listening -> Integer.parseInt(listening.group(1)))
        .orElse(0);
  }

  List<String> log() {
    return log;
  }

  RespClient connect() {
    return RespClient.open("127.0.0.1", port, Duration.ofSeconds(10));
  }

  /** Opens a connection for raw bytes. */
  Socket open() throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), port);
  }

  long pid() {
    return jvm.pid();
  }

  /** Sends SIGTERM. */
  void terminate() {
    jvm.destroy();
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
    try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
      client.setSoTimeout(10_000);
      return new BufferedReader(new InputStreamReader(client.getInputStream(), UTF_8)).readLine();
    }
  }

  @Override
  public void close() {
    jvm.destroyForcibly().onExit().join();
  }
}
