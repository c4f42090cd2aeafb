package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Malicious and malformed bytes, sent to Penstock and to a server for comparison. */
class HostileBytesIT {

  private static final String PASSWORD = "s3cret";
  private static final int CONNECTIONS = 500;
  private static final int KILOBYTE = 1024;
  private static final int CHUNKS = 8 * KILOBYTE * KILOBYTE; // the allocator's smallest chunks
  private static final long SEED = Long.getLong("penstock.seed", 31_337);

  @SuppressWarnings("NullAway.Init")
  private static ServerProcess server;

  @SuppressWarnings("NullAway.Init")
  private static ServerProcess guarded;

  @SuppressWarnings("NullAway.Init")
  private static ProxyFixture proxy;

  @SuppressWarnings("NullAway.Init")
  private static ProxyFixture guardedProxy;

  @BeforeAll
  static void start() {
    server = ServerProcess.start();
    guarded = ServerProcess.builder().password(PASSWORD).start();
    proxy = ProxyFixture.of(server).startReady();
    guardedProxy = ProxyFixture.of(server).password(PASSWORD).startReady();
  }

  @AfterAll
  static void stop() {
    proxy.close();
    guardedProxy.close();
    server.close();
    guarded.close();
  }

  /** Sends the bytes and a PING, ends the output, and returns everything that is answered. */
  private static String answers(RespClient wire, String bytes) {
    try (wire) {
      wire.write(bytes).write(Wire.request("PING")).finishSending();
      return wire.readToEnd();
    }
  }

  private static void compare(String bytes) {
    String expected = answers(RespClient.open(server.host(), server.port()), bytes);

    assertThat(answers(proxy.connect(), bytes)).as(Wire.shown(bytes)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "*3000000000\r\n",
        "*999999999999999999999\r\n",
        "*-3000000000\r\n",
        "*2\r\n$4\r\nECHO\r\n$-5\r\n",
        "*2\r\n$4\r\nECHO\r\n$999999999999\r\n",
        "*2\r\n$4\r\nECHO\r\n*2\r\n$1\r\na\r\n",
        "*1\r\n*1\r\n*1\r\n*1\r\n",
        "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n:5\r\n",
        "$4\r\nPING\r\n",
        "+PING\r\n",
        ":1\r\n",
        "%1\r\n",
        "*1\r\n$4\r\nPINGPING\r\n",
        "*1\r\n$3\r\nPING\r\n",
        "*1\r\n$5\r\nPING\r\n",
        "*1\n$4\nPING\n",
        "*1\r\n$4\r\nPING\n\r",
        "*0\r\n*0\r\n*0\r\nx\r\n",
        "*1\r\n$0\r\n\r\n",
        "*2\r\n$0\r\n\r\n$0\r\n\r\n",
        "\r\n\r\n\n\n",
        "PING\n",
        "PING\0\r\n",
        "\0\0\0\0\r\n",
        "'\r\n",
        "\"\\x\r\n",
        "PING \"\\xZZ\"\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "\u0016\u0003\u0001\u0002\r\n",
        "QUIT\r\nPING\r\n",
        "*1\r\n$4\r\nQUIT\r\n*x\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\n\r\nSET a b\r\n"
      })
  void hostileBytesGetTheRepliesOfTheServer(String bytes) {
    compare(bytes);
  }

  @Test
  void randomBytesGetTheRepliesOfTheServer() {
    Random random = new Random(SEED);
    byte[] alphabet = Wire.bytes("*$\r\n\r\n0123456789-+:\"'\\ xPING\0\u00ff");
    System.out.println("random bytes of -Dpenstock.seed=" + SEED);
    for (int round = 0; round < 400; round++) {
      byte[] noise = new byte[1 + random.nextInt(60)];
      random.nextBytes(noise);
      for (int i = 0; round % 2 == 0 && i < noise.length; i++) {
        noise[i] = alphabet[random.nextInt(alphabet.length)];
      }
      compare(Wire.text(noise));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "*60000000\r\n",
        "*11\r\n",
        "*2\r\n$4\r\nAUTH\r\n$16385\r\n",
        "*2\r\n$4\r\nAUTH\r\n$999999999999\r\n",
        "*2\r\n$4\r\nAUTH\r\n$-5\r\n",
        "*x\r\n",
        "AUTH \"\r\n"
      })
  void unauthenticatedClientsGetTheErrorsOfTheServer(String bytes) {
    String expected = answers(RespClient.open(guarded.host(), guarded.port()), bytes);

    assertThat(answers(guardedProxy.connect(), bytes)).isEqualTo(expected);
  }

  /** More arguments than Redis allowed before 7.0 are rejected with the error text of that time. */
  @ParameterizedTest
  @ValueSource(strings = {"*2000000000\r\n", "*1000000000\r\n$1\r\na\r\n", "*60000000\r\n"})
  void aRequestOfABillionArgumentsIsRejectedAtItsHeader(String bytes) {
    assertThat(answers(proxy.connect(), bytes))
        .isEqualTo("-ERR Protocol error: invalid multibulk length\r\n");
  }

  @Test
  void headersReserveNoMemoryBeforeAuthentication() {
    long taken = takenBy(guardedProxy, "*60000000\r\n", "*10\r\n$16384\r\n", "*10\r\n");

    System.out.println(CONNECTIONS + " headers before AUTH take " + taken / KILOBYTE + " KB");
    assertThat(taken).isLessThan(CONNECTIONS * 17L * KILOBYTE + CHUNKS);
  }

  @Test
  void headersReserveNoMemoryForAnnouncedLengths() {
    long taken =
        takenBy(proxy, "*1048576\r\n", "*2\r\n$4\r\nECHO\r\n$536870912\r\n", "*60000000\r\n");

    System.out.println(CONNECTIONS + " headers take " + taken / KILOBYTE + " KB");
    assertThat(taken).isLessThan(CONNECTIONS * 65L * KILOBYTE + CHUNKS);
  }

  /** Returns the direct memory used by connections that have sent only a header. */
  private static long takenBy(ProxyFixture through, String... headers) {
    List<RespClient> wires = new ArrayList<>();
    try (RespClient other = through.connect()) {
      other.call("AUTH", PASSWORD);
      assertThat(other.call("PING")).isEqualTo("+PONG\r\n");
      long before = LimitsIT.directMemory();
      for (int i = 0; i < CONNECTIONS; i++) {
        RespClient wire = through.connect();
        wires.add(wire);
        wire.write(headers[i % headers.length]).flush();
      }
      for (int i = 0; i < CONNECTIONS; i++) {
        if (headers[i % headers.length].startsWith("*60000000")) {
          assertThat(wires.get(i).read()).startsWith("-ERR Protocol error: ");
        }
      }
      assertThat(other.call("PING")).isEqualTo("+PONG\r\n");
      return LimitsIT.directMemory() - before;
    } finally {
      wires.forEach(RespClient::close);
    }
  }
}
