package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.transport.Transport;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The same tests on each transport of this machine, with one event loop and with four. */
@ExtendWith(SharedCluster.class)
class TransportsIT {

  private static final long SEED = 31_337;

  record Setup(Transport transport, int eventLoops, int connectionsPerLoop) {}

  static Stream<Setup> setups() {
    List<Setup> setups = new ArrayList<>();
    for (Transport transport : List.of(Transport.IO_URING, Transport.EPOLL, Transport.NIO)) {
      Throwable why = transport.unavailability();
      if (why == null) {
        setups.add(new Setup(transport, 1, 1));
        setups.add(new Setup(transport, 4, 3));
      } else {
        System.out.println("skipped: " + transport + " is not available: " + why);
      }
    }
    return setups.stream();
  }

  @ParameterizedTest
  @MethodSource("setups")
  void serves(Setup setup, EmbeddedCluster cluster) {
    try (ProxyFixture proxy =
        ProxyFixture.of(cluster)
            .transport(setup.transport())
            .eventLoops(setup.eventLoops())
            .connectionsPerLoop(setup.connectionsPerLoop())
            .startReady()) {
      assertThat(proxy.proxy().transportName()).isEqualTo(setup.transport().configName());
      for (String protocol : List.of("2", "3")) {
        pipelines(proxy, protocol);
        largeValues(proxy, protocol);
      }
      manyClients(proxy);
      survivesLostConnections(proxy, cluster);
      vanishingClients(proxy);
    }
  }

  private static RespClient connect(ProxyFixture proxy, String protocol) {
    RespClient wire = proxy.connect();
    assertThat(wire.call("HELLO", protocol)).doesNotStartWith("-");
    return wire;
  }

  private static void pipelines(ProxyFixture proxy, String protocol) {
    try (RespClient wire = connect(proxy, protocol)) {
      for (int i = 0; i < 1_000; i++) {
        wire.write(Wire.request("SET", "t" + i, "value " + i))
            .write(Wire.request("MGET", "t" + i, "t" + i / 2, "t0"))
            .write(Wire.request("INCR", "t" + i));
      }
      wire.flush();
      for (int i = 0; i < 1_000; i++) {
        assertThat(wire.read()).isEqualTo("+OK\r\n");
        assertThat(wire.read())
            .isEqualTo(
                "*3\r\n"
                    + Wire.bulk("value " + i)
                    + Wire.bulk("value " + i / 2)
                    + Wire.bulk("value 0"));
        assertThat(wire.read()).startsWith("-ERR value is not an integer");
      }
    }
  }

  private static void largeValues(ProxyFixture proxy, String protocol) {
    try (RespClient wire = connect(proxy, protocol)) {
      for (int size : new int[] {0, 4_095, 4_096, 16_384, 70_000, 8 * 1024 * 1024}) {
        byte[] value = new byte[size];
        new Random(SEED).nextBytes(value);
        assertThat(wire.call(Wire.bytes("SET"), Wire.bytes("large"), value)).isEqualTo("+OK\r\n");
        wire.write(Wire.request("GET", "large"))
            .write(Wire.request("MGET", "large", "t1"))
            .write(Wire.request("STRLEN", "large"))
            .flush();
        byte[] expected = Wire.bytes(Wire.bulk(Wire.text(value)));
        assertThat(Arrays.equals(wire.readBytes(), expected)).isTrue();
        assertThat(wire.read().startsWith("*2\r\n" + Wire.text(expected))).isTrue();
        assertThat(wire.read()).isEqualTo(":" + size + "\r\n");
      }
      assertThat(wire.call("UNLINK", "large")).isEqualTo(":1\r\n");
    }
  }

  private static void manyClients(ProxyFixture proxy) {
    List<RespClient> wires = new ArrayList<>();
    try {
      for (int i = 0; i < 100; i++) {
        wires.add(connect(proxy, i % 2 == 0 ? "2" : "3"));
      }
      for (int i = 0; i < wires.size(); i++) {
        wires.get(i).send("SET", "many" + i, "value " + i);
      }
      for (RespClient wire : wires) {
        assertThat(wire.read()).isEqualTo("+OK\r\n");
      }
      for (int i = 0; i < wires.size(); i++) {
        wires.get(i).send("GET", "many" + (99 - i));
      }
      for (int i = 0; i < wires.size(); i++) {
        assertThat(wires.get(i).read()).isEqualTo(Wire.bulk("value " + (99 - i)));
      }
    } finally {
      wires.forEach(RespClient::close);
    }
  }

  private static void survivesLostConnections(ProxyFixture proxy, EmbeddedCluster cluster) {
    try (RespClient wire = proxy.connect()) {
      for (int i = 0; i < 5; i++) {
        for (Member master : cluster.masters()) {
          master.text("CLIENT", "KILL", "TYPE", "normal");
        }
        // A read is retried: the client gets no error.
        assertThat(wire.call("GET", "many1")).isEqualTo(Wire.bulk("value 1"));
        assertThat(wire.call("MGET", "many1", "many2", "many3")).startsWith("*3\r\n$7");
      }
    }
  }

  private static void vanishingClients(ProxyFixture proxy) {
    for (int i = 0; i < 20; i++) {
      RespClient wire = proxy.connect();
      wire.write(Wire.request("GET", "many" + i)).write("*2\r\n$3\r\nGET\r\n$1000\r\nx").flush();
      if (i % 2 == 0) {
        wire.reset();
      } else {
        wire.close();
      }
    }
    Awaitility.await().until(() -> proxy.stats().clientsNow() == 0);
  }
}
