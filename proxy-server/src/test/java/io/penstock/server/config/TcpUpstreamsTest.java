package io.penstock.server.config;

import static io.penstock.server.config.ConfigurationSources.settings;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.haproxy.HAProxyProtocolVersion;
import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.assembly.ProxySettings.Upstream;
import io.penstock.core.tcp.TcpBalance;
import io.penstock.core.tcp.TcpServer;
import io.penstock.core.tcp.TcpSettings;
import io.penstock.core.upstream.Endpoint;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Upstreams over plain TCP. */
class TcpUpstreamsTest {

  private static ProxySettings map(String listener, String upstream) {
    return settings(
        """
        penstock:
          client-timeout.idle: 5m
          reads.from: any
          listeners: { l: { port: 7001, upstream: x%s } }
          upstreams:
            x: %s
            cache: "redis-cluster://h:2"
        """
            .formatted(listener, upstream));
  }

  private static TcpSettings tcp(String upstream) {
    return ((Upstream.Tcp) map("", upstream).upstream("x")).servers();
  }

  @Test
  void serversAreWrittenAsNginxWritesThem() {
    TcpSettings settings =
        tcp(
            "{ tcp: { servers: [ '10.0.0.1:6379 weight=2 max_fails=3 fail_timeout=1m30s',"
                + " '[fd00::1]:6380 max-conns=7 slow-start=500ms backup',"
                + " 'unix:/run/redis.sock max-fails=0 fail-timeout=20 down' ] } }");

    assertThat(settings.servers())
        .containsExactly(
            new TcpServer(
                new Endpoint("10.0.0.1", 6379),
                "10.0.0.1:6379",
                2,
                0,
                3,
                Duration.ofSeconds(90),
                Duration.ZERO,
                false,
                false),
            new TcpServer(
                new Endpoint("fd00::1", 6380),
                "[fd00::1]:6380",
                1,
                7,
                1,
                Duration.ofSeconds(10),
                Duration.ofMillis(500),
                true,
                false),
            new TcpServer(
                Endpoint.ofUnixSocket("/run/redis.sock"),
                "unix:/run/redis.sock",
                1,
                0,
                0,
                Duration.ofSeconds(20),
                Duration.ZERO,
                false,
                true));
  }

  @Test
  void defaultsAreThoseOfTheReference() {
    TcpSettings settings = tcp("{ tcp: { servers: 'h:1' } }");

    assertThat(settings.balance()).isEqualTo(TcpBalance.ROUND_ROBIN);
    assertThat(settings.connect())
        .isEqualTo(new TcpSettings.Connect(Duration.ofSeconds(5), true, 0, Duration.ZERO));
    assertThat(settings.idleTimeout()).isEqualTo(Duration.ofMinutes(10));
    assertThat(settings.bufferSize()).isEqualTo(65_536);
    assertThat(settings.check()).isNull();
    assertThat(settings.transport().tls()).isNull();
  }

  @Test
  void theOtherOptionsAreMapped() {
    TcpSettings settings =
        tcp(
            "{ tcp: { servers: [ 'h:1', 'h:2' ], balance: consistent-hash, connect-timeout: 2s,"
                + " next-server: false, next-server-tries: 2, next-server-timeout: 5s,"
                + " idle-timeout: 1h, buffer-size: 16KB, tls: true, health-check: { interval: 1s,"
                + " timeout: 2s, fails: 3, passes: 4, send: \"PING\\r\\n\", expect: +PONG } },"
                + " proxy-protocol: v2, tls: { verify: ca } }");

    assertThat(settings.balance()).isEqualTo(TcpBalance.CONSISTENT_HASH);
    assertThat(settings.connect())
        .isEqualTo(new TcpSettings.Connect(Duration.ofSeconds(2), false, 2, Duration.ofSeconds(5)));
    assertThat(settings.idleTimeout()).isEqualTo(Duration.ofHours(1));
    assertThat(settings.bufferSize()).isEqualTo(16_384);
    assertThat(settings.transport().proxyProtocol()).isEqualTo(HAProxyProtocolVersion.V2);
    assertThat(settings.transport().tls()).isNotNull();
    assertThat(settings.check())
        .isEqualTo(
            new TcpSettings.Check(
                Duration.ofSeconds(1), Duration.ofSeconds(2), 3, 4, "PING\r\n", "+PONG"));
  }

  @Test
  void serversMayBeSeparatedByCommas() {
    TcpSettings settings = tcp("{ tcp: { servers: 'h:1 weight=2, h:2,unix:/run/a' } }");

    assertThat(settings.servers())
        .extracting(TcpServer::written)
        .containsExactly("h:1", "h:2", "unix:/run/a");
    assertThat(settings.servers().getFirst().weight()).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          {tcp: {balance: hash}} | tcp.servers | it is not set
          {tcp: {servers: ['h']}} | tcp.servers[0] | 'h' is no address
          {tcp: {servers: ['h:0']}} | tcp.servers[0] | 'h:0' is no address
          {tcp: {servers: ['fd00::1:6379']}} | tcp.servers[0] | 'fd00::1:6379' is no address
          {tcp: {servers: ['h:1', 'h:1 weight=2']}} | tcp.servers[1] | h:1 is there twice
          {tcp: {servers: ['h:1 weight=0']}} | tcp.servers[0] | weight is not between 1 and 65535
          {tcp: {servers: ['h:1 weight=2 weight=3']}} | tcp.servers[0] | weight is given twice
          {tcp: {servers: ['h:1 fail-timeout=soon']}} | tcp.servers[0] | fail-timeout is not a time
          {tcp: {servers: ['h:1 colour=red']}} | tcp.servers[0] | there is no parameter colour
          {tcp: {servers: ['h:1 resolve']}} | tcp.servers[0] | resolve has no meaning here
          {tcp: {servers: ['h:1 backup']}} | tcp.servers | all servers are backups
          {tcp: {servers: ['h:1 down', 'h:2 down']}} | tcp.servers | all servers are down
          {tcp: {servers: ['h:1']}, read-from: any} | read-from | this upstream is plain TCP
          {tcp: {servers: ['h:1', 'h:2 backup'], balance: hash}} | tcp.balance | hash has no backups
          {tcp: {servers: ['h:1 slow-start=1s', 'h:2'], balance: random-two}} | tcp.balance | random-two has no slow-start
          {tcp: {servers: ['h:1 weight=60000'], balance: consistent-hash}} | tcp.balance | the sum of the weights is 60000
          {tcp: {servers: ['h:1']}, reads: {from: any}} | reads.from | this upstream is plain TCP
          {tcp: {servers: ['h:1']}, backend: {connect-timeout: 1s}} | backend.connect-timeout | this upstream is plain TCP
          {tcp: {servers: ['h:1']}, cross-slot: emulate} | cross-slot | this upstream is plain TCP
          {tcp: {servers: ['h:1']}, shadow: {upstream: x}} | shadow.upstream | this upstream is plain TCP
          {tcp: {servers: ['h:1']}, password-file: x} | password-file | this upstream is plain TCP
          {tcp: {servers: ['h:1']}, tls: {verify: ca}} | tls.verify | the connections to the servers are without TLS
          {tcp: {servers: ['h:1']}, resource: 'redis://h:2'} | resource | this upstream has tcp too
          {tcp: {servers: ['h:1'], tls: true}, tls: {bundle: none}} | tls.bundle | there is no such bundle
          {tcp: {servers: ['unix:/s'], tls: true}} | tls.server-name | it is not set, and a Unix socket
          {tcp: {servers: ['127.0.0.1:7001']}} | tcp.servers | 127.0.0.1:7001 is listener l
          """)
  void whatIsWrongIsNamed(String upstream, String key, String reason) {
    ConfigurationFault fault = Faults.of(() -> map("", upstream));

    assertThat(fault.key()).isEqualTo("penstock.upstreams.x." + key);
    assertThat(fault.reason()).startsWith(reason);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          password: s3cret | password
          password-overlap: 1m | password-overlap
          client-timeout: { reply: 1m } | client-timeout.reply
          maxmemory-clients: 1GB | maxmemory-clients
          cross-slot: emulate | cross-slot
          cluster-facade: { enabled: true } | cluster-facade.enabled
          max-patterns: 7 | max-patterns
          """)
  void itsListenerHasNoKeysAboutCommands(String keys, String key) {
    ConfigurationFault fault = Faults.of(() -> map(", " + keys, "{ tcp: { servers: [ 'h:1' ] } }"));

    assertThat(fault.key()).isEqualTo("penstock.listeners.l." + key);
    assertThat(fault.reason()).startsWith("upstream x of this listener is plain TCP");
  }

  @Test
  void theDefaultListenerMayServeIt() {
    String upstream = "  upstreams: { raw: { tcp: { servers: [ 'h:1' ] } } }\n";

    assertThat(settings("penstock:\n  port: 0\n" + upstream).listeners().getFirst().upstream())
        .isEqualTo("raw");
    ConfigurationFault fault =
        Faults.of(() -> settings("penstock:\n  password: s3cret\n" + upstream));
    assertThat(fault.key()).isEqualTo("penstock.password");
    assertThat(fault.reason()).startsWith("upstream raw of this listener is plain TCP");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          { by-prefix: [ { prefix: a, upstream: raw } ], otherwise: cache } | by-prefix[0].upstream
          { weighted: [ { upstream: raw } ] } | weighted[0].upstream
          { split: { write: raw, read: [ cache ] } } | split.write
          { split: { write: cache, read: [ raw ] } } | split.read[0]
          { shards: { distribution: modula, servers: [ raw ] } } | shards.servers[0]
          """)
  void itIsNoPartOfAnotherUpstream(String upstream, String key) {
    ConfigurationFault fault =
        Faults.of(() -> map("", upstream + "\n    raw: { tcp: { servers: [ 'h:1' ] } }"));

    assertThat(fault.key()).isEqualTo("penstock.upstreams.x." + key);
    assertThat(fault.reason()).startsWith("upstream raw is plain TCP");
  }
}
