package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Requests with a million arguments, while another client of the same event loop is served. */
@ExtendWith(SharedCluster.class)
class LongRequestsIT {

  private static final int KEYS = 1_000_000;
  private static final int PAIRS = KEYS / 2;

  @SuppressWarnings("NullAway.Init")
  private static ProxyFixture proxy;

  private int served; // requests of others meanwhile

  @BeforeAll
  static void startProxy(EmbeddedCluster shared) {
    proxy =
        ProxyFixture.of(shared).eventLoops(1).commandTimeout(Duration.ofSeconds(20)).startReady();
  }

  @AfterAll
  static void stopProxy() {
    proxy.close();
  }

  @Test
  void aMillionKeysAreWrittenReadAndDeleted() throws Exception {
    assertThat(askedBesideOthers(request("MSET", 0, PAIRS, true))).isEqualTo("+OK\r\n");

    var expected = new StringBuilder("*" + KEYS + "\r\n");
    for (int i = 0; i < KEYS; i++) {
      expected.append(i < PAIRS ? Wire.bulk("value " + i) : "$-1\r\n");
    }
    String values = askedBesideOthers(request("MGET", 0, KEYS, false));
    assertThat(difference(values, expected)).isNull();

    assertThat(askedBesideOthers(request("DEL", 0, KEYS, false))).isEqualTo(":" + PAIRS + "\r\n");
    assertThat(askedBesideOthers(request("EXISTS", 0, KEYS, false))).isEqualTo(":0\r\n");
    assertThat(served).isPositive();
  }

  /** Returns where a reply begins to differ, as the whole replies are too long to print. */
  private static @Nullable String difference(String reply, StringBuilder expected) {
    int at = 0;
    while (at < Math.min(reply.length(), expected.length())
        && reply.charAt(at) == expected.charAt(at)) {
      at++;
    }
    return at == expected.length() && at == reply.length()
        ? null
        : at + ": " + Wire.shown(reply.substring(at, Math.min(at + 100, reply.length())));
  }

  private String askedBesideOthers(byte[] request) throws Exception {
    try (RespClient wire = proxy.connect();
        RespClient other = proxy.connect();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<String> reply =
          threads.submit(() -> {
            wire.write(request);
            wire.flush();
            return wire.read();
          });
      while (!reply.isDone()) {
        assertThat(other.call("PING")).isEqualTo("+PONG\r\n");
        served++;
      }
      return reply.get();
    }
  }

  private static byte[] request(String name, int from, int to, boolean values) {
    var request = new ByteArrayOutputStream();
    int argc = 1 + (to - from) * (values ? 2 : 1);
    request.writeBytes(Wire.bytes("*" + argc + "\r\n" + Wire.bulk(name)));
    for (int i = from; i < to; i++) {
      request.writeBytes(Wire.bytes(Wire.bulk("many:" + i)));
      if (values) {
        request.writeBytes(Wire.bytes(Wire.bulk("value " + i)));
      }
    }
    return request.toByteArray();
  }
}
