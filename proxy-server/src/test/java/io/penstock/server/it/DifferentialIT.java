package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.demo.EmbeddedCluster;
import io.penstock.server.demo.ServerProcess;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The same requests to a plain server and through the proxy: the replies are the same bytes.
 *
 * <p>The requests are in {@code differential.txt}, one a line, in the syntax of inline commands and
 * sent as arrays.
 */
@ExtendWith(SharedCluster.class)
class DifferentialIT {

  private static final Deque<AutoCloseable> STARTED = new ArrayDeque<>();

  @SuppressWarnings("NullAway.Init")
  private static ServerProcess server;

  @SuppressWarnings("NullAway.Init")
  private static ServerProcess other;

  @SuppressWarnings("NullAway.Init")
  private static ProxyFixture clusterProxy;

  @SuppressWarnings("NullAway.Init")
  private static ProxyFixture singleProxy;

  @BeforeAll
  static void start(EmbeddedCluster cluster) {
    Reference.assumeHere();
    server = started(ServerProcess.start());
    other = started(ServerProcess.start());
    clusterProxy = started(ProxyFixture.of(cluster).startReady());
    singleProxy = started(ProxyFixture.of(other).startReady());
  }

  private static <T extends AutoCloseable> T started(T opened) {
    STARTED.addFirst(opened);
    return opened;
  }

  @AfterAll
  static void stop() throws Exception {
    for (AutoCloseable opened : STARTED) {
      opened.close();
    }
  }

  @BeforeEach
  void clean(EmbeddedCluster cluster) {
    server.text("FLUSHALL");
    other.text("FLUSHALL");
    cluster.masters().forEach(master -> master.text("FLUSHALL"));
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void aClusterBehindTheProxyAnswersAsOneServerDoes(int protocol) throws IOException {
    compare(clusterProxy, protocol);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void aSingleServerBehindTheProxyAnswersAsOneWithoutIt(int protocol) throws IOException {
    compare(singleProxy, protocol);
  }

  private static void compare(ProxyFixture proxy, int protocol) throws IOException {
    var differences = new SoftAssertions();
    int compared = 0;
    try (Wire direct = Wire.open(server.host(), server.port());
        Wire through = proxy.connect()) {
      for (Wire wire : List.of(direct, through)) {
        assertThat(wire.call("HELLO", Integer.toString(protocol))).doesNotStartWith("-");
      }
      for (String line : lines()) {
        List<byte[]> words = InlineWords.split(line);
        byte[] request = Wire.request(words.toArray(byte[][]::new));
        direct.write(request).flush();
        through.write(request).flush();
        String expected = direct.read();
        String actual = through.read();
        if (!actual.equals(expected)) {
          differences.assertThat(Wire.shown(actual)).as(line).isEqualTo(Wire.shown(expected));
        }
        compared++;
      }
    }
    System.out.println("compared " + compared + " replies in RESP" + protocol);
    differences.assertAll();
  }

  private static List<String> lines() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(DifferentialIT.class.getResourceAsStream("differential.txt"))) {
      return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .toList();
    }
  }

  /** Differences that are meant to be there, each with its reason. */
  @Test
  void differsWhereItHasTo() {
    try (Wire direct = Wire.open(server.host(), server.port());
        Wire through = clusterProxy.connect()) {
      // The proxy's own ids, and its name for itself: one server, not the cluster that it hides.
      assertThat(through.call("HELLO"))
          .isEqualTo(
              direct
                  .call("HELLO")
                  .replaceFirst("\\$2\r\nid\r\n:\\d+", "\\$2\r\nid\r\n" + idOf(through))
                  .replaceFirst("version\r\n\\$\\d+\r\n[^\r]*", "version\r\n\\$6\r\n7.0.15"));
      // In a cluster there is one database.
      assertThat(through.call("SELECT", "1"))
          .isEqualTo("-ERR SELECT is not allowed in cluster mode\r\n");
      assertThat(direct.call("SELECT", "1")).isEqualTo("+OK\r\n");
      assertThat(through.call("MOVE", "k", "1"))
          .isEqualTo("-ERR MOVE is not allowed in cluster mode\r\n");
      // Keys that a cluster keeps apart.
      assertThat(through.call("RENAME", "none", "none2")).startsWith("-CROSSSLOT ");
      assertThat(direct.call("RENAME", "none", "none2")).isEqualTo("-ERR no such key\r\n");
      // The proxy's table of commands is its own and of a newer server, in alphabetical order.
      assertThat(through.call("COMMAND", "COUNT")).matches(":\\d+\r\n");
      assertThat(through.call("COMMAND", "GETKEYS", "PING"))
          .isEqualTo("-ERR The command has no key arguments\r\n");
      assertThat(through.call("CLIENT", "NO-TOUCH", "on")).isEqualTo("+OK\r\n");
    }
  }

  private static String idOf(Wire wire) {
    return wire.call("CLIENT", "ID").strip();
  }

  @Test
  void clientInfoHasTheFieldsOfRedis() {
    try (Wire direct = Wire.open(server.host(), server.port());
        Wire through = clusterProxy.connect()) {
      Set<String> expected = fields(direct.call("CLIENT", "INFO"));
      Set<String> actual = fields(through.call("CLIENT", "INFO"));
      assertThat(actual).containsAll(expected);
      assertThat(through.call("CLIENT", "LIST")).contains("cmd=client|list");
    }
  }

  private static Set<String> fields(String info) {
    Set<String> names = new TreeSet<>();
    for (String field : Wire.content(info).strip().split(" ", -1)) {
      names.add(field.substring(0, field.indexOf('=')));
    }
    return names;
  }
}
