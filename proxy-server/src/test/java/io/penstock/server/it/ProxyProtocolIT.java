package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.limit.PasswordGuesses;
import io.penstock.core.listener.AcceptSettings;
import io.penstock.core.listener.AddressRange;
import io.penstock.core.listener.ProxyProtocol;
import io.penstock.core.observe.CloseReason;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The PROXY protocol of a load balancer, on the transport of this machine, with a cluster. */
@ExtendWith({SharedCluster.class, OutputCaptureExtension.class})
class ProxyProtocolIT {

  private static final String HEADER = "PROXY TCP4 203.0.113.9 10.0.0.1 4321 6380\r\n";

  private static ProxyFixture.Builder behind(EmbeddedCluster cluster, String from) {
    var protocol = new ProxyProtocol(List.of(AddressRange.parse(from)), Duration.ofSeconds(10));
    return ProxyFixture.of(cluster).arrivals(AcceptSettings.DEFAULTS.with(protocol));
  }

  private static RespClient connect(ProxyFixture proxy) {
    RespClient client = proxy.connect();
    client.write(HEADER);
    return client;
  }

  /** The guesses of one client do not delay others that come through the same balancer. */
  @Test
  void guessesCountForTheAddressOfTheHeader(EmbeddedCluster cluster) {
    List<RespClient> attackers = new ArrayList<>();
    try (ProxyFixture proxy = behind(cluster, "127.0.0.0/8").password("secret").startReady();
        RespClient other = proxy.connect();
        RespClient neighbour = proxy.connect()) {
      for (int i = 0; i < PasswordGuesses.BURST + 20; i++) {
        RespClient attacker = connect(proxy);
        attackers.add(attacker);
        attacker.send("AUTH", "guess" + i);
      }
      await().until(() -> proxy.stats().pressure().authenticationDelays() > 0);

      other.write("PROXY TCP4 203.0.113.10 10.0.0.1 4321 6380\r\n");
      assertThat(other.call("AUTH", "secret")).isEqualTo("+OK\r\n");
      neighbour.write("PROXY TCP6 2001:db8::9 2001:db8::1 4321 6380\r\n");
      assertThat(neighbour.call("HELLO", "3", "AUTH", "default", "secret")).startsWith("%");
      for (RespClient attacker : attackers) {
        assertThat(attacker.read()).startsWith("-WRONGPASS");
      }
    } finally {
      attackers.forEach(RespClient::close);
    }
  }

  @Test
  void theAddressOfTheHeaderIsTheClientsEverywhere(EmbeddedCluster cluster, CapturedOutput output) {
    try (ProxyFixture proxy = behind(cluster, "127.0.0.0/8").password("secret").startReady();
        RespClient client = connect(proxy)) {
      assertThat(client.call("AUTH", "wrong")).startsWith("-WRONGPASS");
      assertThat(client.call("AUTH", "secret")).isEqualTo("+OK\r\n");
      client.write(Wire.request("SET", "k", "v")).write(Wire.request("GET", "k")).flush();
      assertThat(client.read()).isEqualTo("+OK\r\n");
      assertThat(client.read()).isEqualTo(Wire.bulk("v"));
      assertThat(client.call("CLIENT", "INFO")).contains(" addr=203.0.113.9:4321 ");
      await()
          .untilAsserted(
              () -> assertThat(output).contains("(203.0.113.9:4321) failed to authenticate"));
      try (RespClient other = connect(proxy)) {
        assertThat(other.call("AUTH", "secret")).isEqualTo("+OK\r\n");
        assertThat(other.call("CLIENT", "KILL", "ADDR", "203.0.113.9:4321")).isEqualTo(":1\r\n");
      }
      assertThat(client.readToEnd()).isEmpty();
    }
  }

  @Test
  void tlsFollowsTheHeader(EmbeddedCluster cluster) throws IOException {
    try (ProxyFixture proxy = behind(cluster, "127.0.0.1").tls(TlsOfTests.listener()).startReady();
        Socket balancer = new Socket(proxy.host(), proxy.port())) {
      balancer.getOutputStream().write(Wire.bytes(HEADER));
      try (var client =
          (SSLSocket)
              TlsOfTests.AUTHORITY
                  .clients()
                  .getSocketFactory()
                  .createSocket(balancer, proxy.host(), proxy.port(), true)) {
        client.getOutputStream().write(Wire.bytes(Wire.request("CLIENT", "INFO")));
        assertThat(line(client.getInputStream(), 2)).contains(" addr=203.0.113.9:4321 ");
      }
    }
  }

  @Test
  void aFailedHandshakeIsLoggedWithTheAddressOfTheHeader(
      EmbeddedCluster cluster, CapturedOutput output) {
    try (ProxyFixture proxy = behind(cluster, "127.0.0.1").tls(TlsOfTests.listener()).start();
        RespClient client = connect(proxy)) {
      client.send("PING");
      assertThat(client.readToEnd()).doesNotContain("PONG");
      await()
          .untilAsserted(() ->
              assertThat(output)
                  .contains("The connection from 203.0.113.9:4321 is closed: the TLS handshake"));
    }
  }

  @Test
  void aHeaderThatIsNotValidIsLoggedInWords(EmbeddedCluster cluster, CapturedOutput output) {
    try (ProxyFixture proxy = behind(cluster, "127.0.0.1").start();
        RespClient client = proxy.connect()) {
      client.write("PROXY TCP4 nonsense\r\n").flush();
      assertThat(client.isClosedByPeer()).isTrue();
      await()
          .untilAsserted(() ->
              assertThat(output).contains("is closed: its PROXY protocol header is not valid: "));
      assertThat(output).doesNotContain("io.netty.handler.codec.haproxy.HAProxyProtocolException");
    }
  }

  private static String line(InputStream in, int wanted) throws IOException {
    var text = new StringBuilder();
    for (int lines = 0; lines < wanted; ) {
      int next = in.read();
      assertThat(next).isNotNegative();
      lines += next == '\n' ? 1 : 0;
      text.append((char) next);
    }
    return text.toString();
  }

  @Test
  void whoMayNotSendAHeaderOrSendsNoneIsClosed(EmbeddedCluster cluster) {
    try (ProxyFixture elsewhere = behind(cluster, "192.0.2.0/24").start();
        RespClient client = elsewhere.connect()) {
      assertThat(client.isClosedByPeer()).isTrue();
      await().until(() -> closed(elsewhere) == 1);
    }
    try (ProxyFixture proxy = behind(cluster, "::ffff:127.0.0.1").start();
        RespClient client = proxy.connect()) {
      client.send("CLIENT", "INFO");
      assertThat(client.isClosedByPeer()).isTrue();
      await().until(() -> closed(proxy) == 1);
    }
  }

  private static long closed(ProxyFixture proxy) {
    return proxy.stats().pressure().closed().getOrDefault(CloseReason.PROXY_PROTOCOL, 0L);
  }
}
