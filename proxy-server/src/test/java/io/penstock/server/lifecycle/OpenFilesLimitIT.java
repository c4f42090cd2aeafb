package io.penstock.server.lifecycle;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.server.PenstockApplication;
import io.penstock.server.demo.RespConnection;
import io.penstock.server.demo.ServerProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A Penstock that may open few files. */
class OpenFilesLimitIT {

  private static final int FILES = 400;
  private static final Pattern LISTENING = Pattern.compile("Listening on 127\\.0\\.0\\.1:(\\d+)");
  private static final Pattern MOST = Pattern.compile("maxclients:(\\d+)");
  private static final String ADMITTED = " clients are admitted, not 10000 (penstock.max-clients)";

  @Test
  void clientsThereAreNoFilesForAreRefusedAndOthersServed() throws IOException {
    try (ServerProcess server = ServerProcess.start();
        Limited penstock = new Limited("redis://127.0.0.1:" + server.port())) {
      List<RespConnection> clients = new ArrayList<>();
      try {
        clients.add(penstock.connect());
        Matcher told = MOST.matcher(clients.getFirst().text("INFO", "clients"));
        assertThat(told.find()).isTrue();
        int most = Integer.parseInt(told.group(1));
        while (clients.size() < Math.min(most, FILES)) {
          clients.add(penstock.connect());
          assertThat(clients.getLast().text("PING")).isEqualTo("PONG");
        }
        for (int i = 0; i < 20; i++) {
          assertThat(penstock.greeting()).isEqualTo("-ERR max number of clients reached");
        }
        assertThat(penstock.log()).anyMatch(line -> line.contains(most + ADMITTED));

        server.restart(); // so that each event loop connects to it anew
        for (RespConnection client : clients) {
          await().pollDelay(Duration.ZERO).until(() -> serves(client));
        }
      } finally {
        clients.forEach(RespConnection::close);
      }
    }
  }

  private static boolean serves(RespConnection client) {
    try {
      return client.text("SET", "key", "value").equals("OK");
    } catch (RespConnection.ErrorReply e) {
      return false; // sent as the server ended
    }
  }

  /** In a JVM of its own. */
  private static final class Limited implements AutoCloseable {

    private final List<String> log = new CopyOnWriteArrayList<>();
    private final Process jvm;
    private final int port;

    Limited(String resource) throws IOException {
      jvm =
          new ProcessBuilder(
                  "sh",
                  "-c",
                  "ulimit -n " + FILES + " && exec \"$0\" \"$@\"",
                  ProcessHandle.current().info().command().orElse("java"),
                  "-cp",
                  System.getProperty("java.class.path"),
                  PenstockApplication.class.getName(),
                  "--penstock.bind=127.0.0.1",
                  "--penstock.port=0",
                  "--penstock.event-loops=2",
                  "--penstock.dispatch=" + System.getProperty("penstock.dispatch", "async"),
                  "--penstock.sync.max-connections-per-node=20",
                  "--management.server.port=0",
                  "--penstock.transpond.local.resource=" + resource)
              .redirectErrorStream(true)
              .start();
      BufferedReader output = jvm.inputReader(UTF_8);
      Thread.ofVirtual().start(() -> output.lines().forEach(log::add));
      try {
        await().atMost(Duration.ofSeconds(30)).until(() -> portTold() > 0 || !jvm.isAlive());
        port = portTold();
        assertThat(port).as(() -> String.join("\n", log)).isPositive();
      } catch (RuntimeException | Error e) {
        close();
        throw e;
      }
    }

    /** Answers 0 before it listens. */
    private int portTold() {
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

    RespConnection connect() {
      return RespConnection.open("127.0.0.1", port, Duration.ofSeconds(10));
    }

    /** What a client is told that asks nothing. */
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
}
