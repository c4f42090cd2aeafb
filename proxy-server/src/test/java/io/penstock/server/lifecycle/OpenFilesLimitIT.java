package io.penstock.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Penstock with a low limit on open files. */
class OpenFilesLimitIT {

  private static final int FILES = 400;
  private static final Pattern MAX_CLIENTS = Pattern.compile("maxclients:(\\d+)");

  @Test
  void clientsBeyondTheFileLimitAreRejectedAndOthersServed() throws IOException {
    try (ServerProcess server = ServerProcess.start();
        PenstockProcess penstock = limited(server.port())) {
      List<RespClient> clients = new ArrayList<>();
      try {
        clients.add(penstock.connect());
        Matcher matcher = MAX_CLIENTS.matcher(clients.getFirst().text("INFO", "clients"));
        assertThat(matcher.find()).isTrue();
        int max = Integer.parseInt(matcher.group(1));
        while (clients.size() < Math.min(max, FILES)) {
          clients.add(penstock.connect());
          assertThat(clients.getLast().text("PING")).isEqualTo("PONG");
        }
        for (int i = 0; i < 20; i++) {
          assertThat(penstock.greeting()).isEqualTo("-ERR max number of clients reached");
        }
        assertThat(penstock.log())
            .anyMatch(line -> line.contains("only " + max + " clients are accepted"));

        server.restart(); // so that each event loop opens a new connection to it
        for (RespClient client : clients) {
          await().pollDelay(Duration.ZERO).until(() -> serves(client));
        }
      } finally {
        clients.forEach(RespClient::close);
      }
    }
  }

  private static PenstockProcess limited(int port) throws IOException {
    List<String> command =
        new ArrayList<>(List.of("sh", "-c", "ulimit -n " + FILES + " && exec \"$0\" \"$@\""));
    command.addAll(PenstockProcess.command(PenstockProcess.QUICK_START));
    return PenstockProcess.start(
        command,
        "--penstock.event-loops=2",
        "--penstock.dispatch=" + System.getProperty("penstock.dispatch", "async"),
        "--penstock.sync.max-connections-per-node=20",
        "--management.server.port=0",
        "--penstock.transpond.local.resource=redis://127.0.0.1:" + port);
  }

  private static boolean serves(RespClient client) {
    try {
      return client.text("SET", "key", "value").equals("OK");
    } catch (RespClient.ErrorReply e) {
      return false; // sent while the server was stopping
    }
  }
}
