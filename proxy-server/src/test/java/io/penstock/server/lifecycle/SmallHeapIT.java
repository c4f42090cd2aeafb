package io.penstock.server.lifecycle;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.server.it.Keys;
import io.penstock.server.it.SharedCluster;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.wire.RespClient;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients that make Penstock keep more than a small heap can hold, and one that sends ordinary
 * requests.
 */
@ExtendWith(SharedCluster.class)
class SmallHeapIT {

  private static final Pattern CLIENT_MEMORY = Pattern.compile("mem_clients_normal:(\\d+)");
  private static final long IDLE_MEMORY = 1024 * 1024;

  private static PenstockProcess penstock;
  private static RespClient other;

  private final List<Socket> attackers = new ArrayList<>();

  @BeforeAll
  static void start(EmbeddedCluster cluster) throws IOException {
    penstock =
        PenstockProcess.start(
            PenstockProcess.command(
                "-Xmx192m", "-XX:MaxDirectMemorySize=192m", "-XX:+ExitOnOutOfMemoryError"),
            "--management.server.port=0",
            "--penstock.event-loops=2",
            "--penstock.backend.command-timeout=8s", // memory is under test, not time
            "--penstock.dispatch=" + System.getProperty("penstock.dispatch", "async"),
            "--penstock.transpond.local.resource=" + cluster.resource());
    other = penstock.connect();
    assertThat(other.text("SET", "small-heap", "v")).isEqualTo("OK");
  }

  @AfterAll
  static void stop() {
    other.close();
    penstock.close();
  }

  @AfterEach
  void assertMemoryIsReleased() throws IOException {
    for (Socket attacker : attackers) {
      attacker.close();
    }
    assertThat(penstock.isAlive()).as(() -> String.join("\n", penstock.log())).isTrue();
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() -> assertThat(clientMemory()).isLessThan(IDLE_MEMORY));
    assertThat(penstock.log()).noneMatch(line -> line.contains("OutOfMemoryError"));
  }

  private static long clientMemory() {
    Matcher matcher = CLIENT_MEMORY.matcher(other.text("INFO", "clients", "memory"));
    assertThat(matcher.find()).isTrue();
    return Long.parseLong(matcher.group(1));
  }

  private static String request(String... arguments) {
    var wire = new StringBuilder("*" + arguments.length + "\r\n");
    for (String argument : arguments) {
      wire.append('$').append(argument.length()).append("\r\n").append(argument).append("\r\n");
    }
    return wire.toString();
  }

  private static String[] names(String command, String prefix, int count) {
    var names = new String[count + 1];
    names[0] = command;
    for (int i = 1; i <= count; i++) {
      names[i] = prefix + i;
    }
    return names;
  }

  /** Sends until all is sent or the connection is closed; reads and discards the replies. */
  private static void send(Socket socket, byte[] bytes) {
    Thread.ofVirtual().start(() -> drain(socket));
    sendOnly(socket, bytes);
  }

  private static void sendOnly(Socket socket, byte[] bytes) {
    try {
      socket.getOutputStream().write(bytes);
    } catch (IOException e) {
      assertThat(socket.isClosed() || e.getMessage() != null).isTrue(); // closed for a limit
    }
  }

  private static void drain(Socket socket) {
    var some = new byte[64 * 1024];
    try {
      InputStream in = socket.getInputStream();
      int read = in.read(some);
      while (read >= 0) {
        read = in.read(some);
      }
    } catch (IOException e) {
      assertThat(e.getMessage()).isNotNull(); // closed for a limit
    }
  }

  /** Lets several clients send bytes, and checks that another client is answered meanwhile. */
  private void attack(int clients, IntFunction<String> bytes) throws IOException {
    attack(clients, bytes, SmallHeapIT::send);
  }

  private void attack(int clients, IntFunction<String> bytes, BiConsumer<Socket, byte[]> sender)
      throws IOException {
    for (int i = 0; i < clients; i++) {
      attackers.add(penstock.open());
    }
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<CompletableFuture<Void>> sent = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        Socket socket = attackers.get(i);
        byte[] content = bytes.apply(i).getBytes(ISO_8859_1);
        sent.add(CompletableFuture.runAsync(() -> sender.accept(socket, content), threads));
      }
      CompletableFuture<Void> all = CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new));
      do {
        assertThat(other.text("PING")).isEqualTo("PONG");
        assertThat(other.text("GET", "small-heap")).isEqualTo("v");
      } while (!all.isDone());
    }
    for (int i = 0; i < 100; i++) { // until Penstock has read everything
      assertThat(other.text("GET", "small-heap")).isEqualTo("v");
    }
  }

  @Test
  void channelsOfManyClients() throws IOException {
    attack(12, i -> request(names("SUBSCRIBE", "channel-" + i + "-", 50_000)));
  }

  @Test
  void channelsInOneRequest() throws IOException {
    attack(1, _ -> request(names("SUBSCRIBE", "c", 600_000)));
  }

  @Test
  void shardChannelsInOneRequest() throws IOException {
    attack(1, _ -> request(names("SSUBSCRIBE", "{s}", 300_000)));
  }

  @Test
  void queuedCommandsThatPenstockAnswersItself() throws IOException {
    attack(8, _ -> request("MULTI") + request("PING").repeat(400_000));
  }

  @Test
  void executedCommandsThatPenstockAnswersItself() throws IOException {
    attack(4, _ -> request("MULTI") + request("PING").repeat(150_000) + request("EXEC"));
  }

  @Test
  void queuedCommandsForNodes() throws IOException {
    String set = request("SET", "{q}key", "x".repeat(1_000));
    attack(12, _ -> request("MULTI") + set.repeat(15_000));
  }

  @Test
  void incompleteRequestsWithManyArguments() throws IOException {
    attack(24, _ -> "*1000000\r\n" + "$1\r\nx\r\n".repeat(900_000));
  }

  @Test
  void unreadReplies() throws IOException {
    other.text("SET", "{r}large", "x".repeat(100_000));
    attack(20, _ -> request("GET", "{r}large").repeat(1_000), SmallHeapIT::sendOnly);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void unreadMessages(int protocol) throws IOException {
    String hello = request("HELLO", Integer.toString(protocol));
    attack(20, _ -> hello + request("SUBSCRIBE", "unread"), SmallHeapIT::sendOnly);
    await().until(() -> other.text("PUBLISH", "unread", "first").equals("20"));
    String message = "m".repeat(100_000);
    for (int i = 0; i < 600; i++) {
      assertThat(Integer.parseInt(other.text("PUBLISH", "unread", message))).isBetween(0, 20);
      assertThat(other.text("GET", "small-heap")).isEqualTo("v");
    }
  }

  @Test
  void requestsInAFailoverHold(EmbeddedCluster cluster) throws IOException {
    Member master = cluster.masters().getFirst();
    String tag = Keys.tag(Keys.slotOf(cluster, master));
    Member replica = cluster.replicasOf(master).getFirst();
    replica.takesOver(true);
    master.kill();
    try {
      String set = request("SET", tag + "held", "x".repeat(10_000));
      attack(20, _ -> set.repeat(1_000));
    } finally {
      replica.takesOver(false);
      master.restart();
      cluster.awaitHealthy();
    }
  }

  @Test
  void watchedKeys() throws IOException {
    // A server compares each key with all keys that the client watches: 2,000 take 2 ms.
    attack(20, i -> request(names("WATCH", "{w" + i + "}", 2_000)));
  }

  @Test
  void pipelinedRequestsWithManyKeysOfOneSlot() throws IOException {
    attack(2, i -> request(names("EXISTS", "{k" + i + "}", 200_000)).repeat(2));
  }

  @Test
  void longClientNames() throws IOException {
    attack(40, _ -> request("CLIENT", "SETNAME", "n".repeat(4_000_000)));
  }

  @Test
  void clientNamesLargerThanTheHeap() throws IOException {
    attack(2, _ -> request("CLIENT", "SETNAME", "n".repeat(60_000_000)));
  }

  @Test
  void scripts() throws IOException {
    attack(
        4,
        i -> {
          var loads = new StringBuilder();
          for (int n = 0; n < 100; n++) {
            String script = "return '" + i + "-" + n + "x".repeat(30_000) + "'";
            loads.append(request("EVAL", script, "0"));
          }
          return loads.toString();
        });
  }
}
