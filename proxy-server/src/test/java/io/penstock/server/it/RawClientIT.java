package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.cluster.Slot;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that client libraries do not send, as raw bytes. */
@ExtendWith(SharedCluster.class)
class RawClientIT {

  private static final int DEPTH = 10_000;
  private static final int CLIENTS = 500;
  private static final long SEED = 99_991;

  @SuppressWarnings("NullAway.Init")
  private static ProxyFixture proxy;

  @SuppressWarnings("NullAway.Init")
  private static EmbeddedCluster cluster;

  @BeforeAll
  static void startProxy(EmbeddedCluster shared) {
    cluster = shared;
    proxy = ProxyFixture.of(cluster).startReady();
  }

  @AfterAll
  static void stopProxy() {
    proxy.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void aPipelineOfTenThousandRequestsIsAnsweredInOrder(int protocol) throws Exception {
    try (RespClient wire = proxy.connect();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      assertThat(wire.call("HELLO", Integer.toString(protocol))).doesNotStartWith("-");
      Future<?> writing =
          threads.submit(() -> {
            for (int i = 0; i < DEPTH; i++) {
              switch (i % 5) {
                case 0 -> wire.write(Wire.request("SET", "deep:" + i, "value " + i));
                case 1 -> wire.write(Wire.request("GET", "deep:" + (i - 1)));
                case 2 -> wire.write(Wire.request("ECHO", "echo " + i));
                case 3 -> wire.write(Wire.request("MGET", "deep:" + (i - 3), "none", "deep:" + i));
                default -> wire.write(Wire.request("DEL", "deep:" + (i - 4), "none:" + i));
              }
            }
            wire.flush();
          });
      String missing = protocol == 2 ? "$-1\r\n" : "_\r\n";
      for (int i = 0; i < DEPTH; i++) {
        String expected =
            switch (i % 5) {
              case 0 -> "+OK\r\n";
              case 1 -> Wire.bulk("value " + (i - 1));
              case 2 -> Wire.bulk("echo " + i);
              case 3 -> "*3\r\n" + Wire.bulk("value " + (i - 3)) + missing + missing;
              default -> ":1\r\n";
            };
        assertThat(wire.read()).as("reply %d", i).isEqualTo(expected);
      }
      writing.get(10, TimeUnit.SECONDS);
    }
  }

  @Test
  void fiveHundredClientsAtOnceGetTheirOwnReplies() throws Exception {
    List<RespClient> wires = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(50)) {
      for (int i = 0; i < CLIENTS; i++) {
        wires.add(proxy.connect());
        wires.getLast().send("PING");
      }
      wires.forEach(wire -> assertThat(wire.read()).isEqualTo("+PONG\r\n"));
      assertThat(proxy.stats().clientsNow()).isGreaterThanOrEqualTo(CLIENTS);
      List<Future<?>> clients = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        int number = i;
        clients.add(threads.submit(() -> useAlone(wires.get(number), "client:" + number)));
      }
      for (Future<?> client : clients) {
        client.get(60, TimeUnit.SECONDS);
      }
    } finally {
      wires.forEach(RespClient::close);
    }
  }

  private static void useAlone(RespClient wire, String key) {
    for (int i = 0; i < 20; i++) {
      String value = key + " value " + i;
      assertThat(wire.call("SET", key, value)).isEqualTo("+OK\r\n");
      wire.write(Wire.request("GET", key)).write(Wire.request("STRLEN", key)).flush();
      assertThat(wire.read()).isEqualTo(Wire.bulk(value));
      assertThat(wire.read()).isEqualTo(":" + value.length() + "\r\n");
    }
  }

  @Test
  void keysMayBeAnyBytes() {
    Random random = new Random(SEED);
    List<String> keys = new ArrayList<>();
    keys.add("");
    keys.add("\r\n");
    keys.add("*1\r\n$4\r\nPING\r\n");
    keys.add("{");
    keys.add("{}");
    keys.add("}{");
    keys.add("{{tag}}");
    keys.add("a{tag}b");
    keys.add("c{tag}{other}");
    keys.add(new String("schlüssel".getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1));
    keys.add("x".repeat(70_000));
    for (int i = 0; i < 300; i++) {
      byte[] key = new byte[1 + random.nextInt(40)];
      random.nextBytes(key);
      keys.add(Wire.text(key));
    }
    try (RespClient wire = proxy.connect()) {
      for (int i = 0; i < keys.size(); i++) {
        assertThat(wire.call("SET", keys.get(i), "value " + i)).isEqualTo("+OK\r\n");
      }
      for (int i = 0; i < keys.size(); i++) {
        assertThat(wire.call("GET", keys.get(i)))
            .as("key %s", Wire.shown(keys.get(i)))
            .isEqualTo(Wire.bulk("value " + i));
        assertThat(cluster.masterOf(Slot.of(Wire.bytes(keys.get(i)))).isRunning()).isTrue();
      }
      List<String> exists = new ArrayList<>(List.of("EXISTS"));
      exists.addAll(keys);
      assertThat(wire.call(exists.toArray(String[]::new))).isEqualTo(":" + keys.size() + "\r\n");
      exists.set(0, "DEL");
      assertThat(wire.call(exists.toArray(String[]::new))).isEqualTo(":" + keys.size() + "\r\n");
    }
  }

  @Test
  void multiSlotCommandsKeepOrderAndDuplicates() {
    try (RespClient wire = proxy.connect()) {
      String[] k = {"one", "two", "three", "four", "five", "six"};
      Set<Integer> slots = new HashSet<>();
      for (String key : k) {
        slots.add(Slot.of(Wire.bytes(key)));
      }
      assertThat(slots).hasSize(k.length);
      assertThat(wire.call("DEL", k[0], k[1], k[2], k[3], k[4], k[5])).startsWith(":");
      // If a key is given twice, the last value wins, as on one server.
      assertThat(
              wire.call("MSET", k[0], "a", k[1], "b", k[0], "c", k[2], "d", k[3], "e", k[0], "f"))
          .isEqualTo("+OK\r\n");
      assertThat(wire.call("MGET", k[3], k[0], k[5], k[0], k[1], k[2], k[3]))
          .isEqualTo(
              "*7\r\n"
                  + Wire.bulk("e")
                  + Wire.bulk("f")
                  + "$-1\r\n"
                  + Wire.bulk("f")
                  + Wire.bulk("b")
                  + Wire.bulk("d")
                  + Wire.bulk("e"));
      assertThat(wire.call("EXISTS", k[0], k[1], k[0], k[5], k[0])).isEqualTo(":4\r\n");
      assertThat(wire.call("TOUCH", k[0], k[1], k[5], k[1])).isEqualTo(":3\r\n");
      assertThat(wire.call("HSET", k[4], "f", "v")).isEqualTo(":1\r\n");
      assertThat(wire.call("MGET", k[0], k[4], k[1]))
          .isEqualTo("*3\r\n" + Wire.bulk("f") + "$-1\r\n" + Wire.bulk("b"));
      assertThat(wire.call("DEL", k[0], k[0], k[5], k[1])).isEqualTo(":2\r\n");
      assertThat(wire.call("UNLINK", k[2], k[3], k[4], k[2], k[5])).isEqualTo(":3\r\n");
    }
  }

  @Test
  void aThousandKeysInOneCommandComeBackInOrder() {
    try (RespClient wire = proxy.connect()) {
      List<String> mset = new ArrayList<>(List.of("MSET"));
      List<String> mget = new ArrayList<>(List.of("MGET"));
      var expected = new StringBuilder("*2000\r\n");
      for (int i = 0; i < 1_000; i++) {
        mset.addAll(List.of("many:" + i, "value " + i));
      }
      for (int i = 0; i < 2_000; i++) {
        int number = (i * 7) % 1_000;
        mget.add("many:" + number);
        expected.append(Wire.bulk("value " + number));
      }
      assertThat(wire.call(mset.toArray(String[]::new))).isEqualTo("+OK\r\n");
      assertThat(wire.call(mget.toArray(String[]::new))).isEqualTo(expected.toString());
    }
  }

  @Test
  void commandsThatCannotBeSplitAreRejectedAsInACluster() {
    String crossSlot = "-CROSSSLOT Keys in request don't hash to the same slot\r\n";
    try (RespClient wire = proxy.connect()) {
      assertThat(wire.call("MSETNX", "one", "1", "two", "2")).isEqualTo(crossSlot);
      assertThat(wire.call("RENAME", "one", "two")).isEqualTo(crossSlot);
      assertThat(wire.call("SINTERSTORE", "one", "two", "three")).isEqualTo(crossSlot);
      assertThat(wire.call("SUNION", "one", "two")).isEqualTo(crossSlot);
      assertThat(wire.call("EVAL", "return 1", "2", "one", "two")).isEqualTo(crossSlot);
      assertThat(wire.call("ZUNION", "2", "one", "two")).isEqualTo(crossSlot);
      assertThat(wire.call("XREAD", "STREAMS", "one", "two", "0", "0")).isEqualTo(crossSlot);
      assertThat(wire.call("MSETNX", "{t}one", "1", "{t}two", "2")).isEqualTo(":1\r\n");
      assertThat(wire.call("RENAME", "{t}one", "{t}two")).isEqualTo("+OK\r\n");
      assertThat(wire.call("DEL", "{t}two")).isEqualTo(":1\r\n");
    }
  }

  @Test
  void inlineCommandsWork() {
    try (RespClient wire = proxy.connect()) {
      wire.write("PING\r\n").flush();
      assertThat(wire.read()).isEqualTo("+PONG\r\n");
      wire.write("\r\n\r\nset inline \"a \\x41\\n b\"\nGET inline\r\n").flush();
      assertThat(wire.read()).isEqualTo("+OK\r\n");
      assertThat(wire.read()).isEqualTo(Wire.bulk("a A\n b"));
      wire.write("mset i1 'one word' i2 2\r\nMGET i2 i1 i0\r\nDEL i1 i2\r\n").flush();
      assertThat(wire.read()).isEqualTo("+OK\r\n");
      assertThat(wire.read())
          .isEqualTo("*3\r\n" + Wire.bulk("2") + Wire.bulk("one word") + "$-1\r\n");
      assertThat(wire.read()).isEqualTo(":2\r\n");
      wire.write("SET " + "k".repeat(1_000) + " v\r\n").write(Wire.request("PING")).flush();
      assertThat(wire.read()).isEqualTo("+OK\r\n");
      assertThat(wire.read()).isEqualTo("+PONG\r\n");
    }
  }

  @Test
  void requestsMayBeSplitAnywhere() {
    Random random = new Random(SEED);
    String requests =
        Wire.request("SET", "pieces", "some value\r\n")
            + Wire.request("GET", "pieces")
            + "STRLEN pieces\r\n"
            + Wire.request("MGET", "pieces", "no pieces", "pieces");
    String value = Wire.bulk("some value\r\n");
    try (RespClient wire = proxy.connect()) {
      for (int round = 0; round < 20; round++) {
        for (int at = 0; at < requests.length(); ) {
          int length = Math.min(requests.length() - at, round == 0 ? 1 : 1 + random.nextInt(20));
          wire.write(requests.substring(at, at + length)).flush();
          at += length;
        }
        assertThat(wire.read()).isEqualTo("+OK\r\n");
        assertThat(wire.read()).isEqualTo(value);
        assertThat(wire.read()).isEqualTo(":12\r\n");
        assertThat(wire.read()).isEqualTo("*3\r\n" + value + "$-1\r\n" + value);
      }
    }
  }
}
