package io.penstock.server.lifecycle;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What several listeners of one process share: its memory, and its end. */
class ListenersProcessIT {

  private static final int MEGABYTE = 1024 * 1024;
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final ServerProcess one = ServerProcess.start();
  private final ServerProcess two = ServerProcess.start();
  private PenstockProcess penstock;

  /** The limit of the process is 32 MB, half of the direct memory. */
  @BeforeEach
  void start() throws IOException {
    penstock =
        PenstockProcess.startWithListeners(
            PenstockProcess.command("-Xmx192m", "-XX:MaxDirectMemorySize=64m"),
            List.of("one", "two"),
            "--management.server.port=0",
            "--penstock.event-loops=2",
            "--penstock.maxmemory-clients=28MB",
            "--penstock.dispatch=" + System.getProperty("penstock.dispatch", "async"),
            "--penstock.upstreams.one=redis://127.0.0.1:" + one.port(),
            "--penstock.upstreams.two=redis://127.0.0.1:" + two.port());
  }

  @AfterEach
  void stop() {
    penstock.close();
    one.close();
    two.close();
  }

  /**
   * Queues so many megabytes in a transaction, which keeps them in a buffer of a power of two.
   * Returns when they are counted.
   */
  private Socket queue(String listener, int megabytes) throws IOException {
    Socket client = penstock.open(listener);
    client.getOutputStream().write(Wire.request("MULTI").getBytes(ISO_8859_1));
    String set = Wire.request("SET", "k", "x".repeat(MEGABYTE / 16));
    client.getOutputStream().write(set.repeat(16 * megabytes).getBytes(ISO_8859_1));
    client.setSoTimeout((int) PATIENCE.toMillis());
    String replies = "+OK\r\n" + "+QUEUED\r\n".repeat(16 * megabytes);
    assertThat(client.getInputStream().readNBytes(replies.length())).asString().isEqualTo(replies);
    return client;
  }

  private boolean isLoggedAsClosed(String listener) {
    return penstock.log().stream()
        .anyMatch(line ->
            line.contains("Listener " + listener + ": Client") && line.contains("uses the most"));
  }

  @Test
  void theirClientsShareTheMemoryOfTheProcess() throws IOException {
    try (RespClient other = penstock.connect("two");
        Socket large = queue("one", 15);
        Socket medium = queue("two", 7);
        Socket last = queue("two", 7)) {
      await().atMost(PATIENCE).until(() -> isLoggedAsClosed("one"));

      assertThat(isLoggedAsClosed("two")).isFalse();
      assertThat(other.text("SET", "k", "v")).isEqualTo("OK");
      assertThat(List.of(large, medium, last)).noneMatch(Socket::isClosed);
    }
  }

  /** Increments a counter until the connection ends. Returns the last reply. */
  private long count(String listener, AtomicInteger started) {
    long last = 0;
    try (RespClient client = penstock.connect(listener)) {
      while (true) {
        last = Long.parseLong(client.call("INCR", "n").substring(1).strip());
        if (last == 100) {
          started.incrementAndGet();
        }
      }
    } catch (UncheckedIOException e) {
      return last;
    }
  }

  @Test
  void sigtermAnswersWhatIsInFlightOnEachListener() throws Exception {
    var started = new AtomicInteger();
    List<Future<Long>> counted = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (String listener : List.of("one", "two")) {
        counted.add(threads.submit(() -> count(listener, started)));
      }
      await().atMost(PATIENCE).until(() -> started.get() == 2);

      penstock.terminate();

      assertThat(penstock.awaitEnd()).isEqualTo(143);
      assertThat(one.text("GET", "n"))
          .as("each increment that ran was answered")
          .isEqualTo(Long.toString(counted.getFirst().get()));
      assertThat(two.text("GET", "n")).isEqualTo(Long.toString(counted.getLast().get()));
    }
    await().until(() -> penstock.log().stream().anyMatch(line -> line.endsWith("Stopped")));
  }
}
