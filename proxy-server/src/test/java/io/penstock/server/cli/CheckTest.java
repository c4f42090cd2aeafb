package io.penstock.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.cluster.TlsFiles;
import io.penstock.testkit.tls.TestAuthority;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class CheckTest {

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private boolean succeeds(String... options) {
    return Check.succeeds(
        new SpringApplication(CheckTest.class),
        List.of(options),
        new PrintStream(out, true, UTF_8));
  }

  @Test
  void printsHowManyUsersThereAre() {
    assertThat(
            succeeds(
                "--penstock.users.rules[0]=user app on >s3cret ~* +@all",
                "--penstock.users.rules[1]=user default off",
                "--penstock.transpond.local.resource=redis://h1:1"))
        .isTrue();
    assertThat(out.toString(UTF_8))
        .contains("  accept up to 10000 clients, as 2 users of penstock.users\n")
        .doesNotContain("s3cret");
  }

  @Test
  void namesTheRuleThatIsWrong(CapturedOutput log) {
    assertThat(
            succeeds(
                "--penstock.users.rules[0]=user app on >s3cret ~* +nosuch",
                "--penstock.transpond.local.resource=redis://h1:1"))
        .isFalse();
    assertThat(out + log.toString())
        .contains(
            "penstock.users.rules[0]",
            "user app: Unknown command or category name in ACL: +nosuch",
            "has a secret and is an argument")
        .doesNotContain("s3cret");
  }

  @Test
  void printsWhatPenstockWouldDoWithoutThePassword() {
    assertThat(
            succeeds(
                "--penstock.bind=127.0.0.1,::1",
                "--penstock.dispatch=sync",
                "--penstock.event-loops=2",
                "--penstock.max-clients=7",
                "--penstock.password=s3cret",
                "--server.address=127.0.0.1",
                "--management.server.port=9180",
                "--penstock.transpond.local.resource=redis-cluster://bob:s3cret@h1:1,h2:2"))
        .isTrue();
    assertThat(out.toString(UTF_8).lines())
        .containsExactly(
            "The configuration is valid (no file). Penstock would",
            "  listen on 127.0.0.1:6380, [::1]:6380 (transport auto, 2 event loops, dispatch sync)",
            "  proxy to the Redis Cluster of h1:1, h2:2",
            "  accept up to 7 clients, with a password (AUTH)",
            "  serve health and metrics on port 9180 of 127.0.0.1");
  }

  @Test
  void printsUnixSockets() {
    assertThat(
            succeeds(
                "--penstock.event-loops=2",
                "--penstock.path=/run/penstock.sock",
                "--penstock.mode=0660",
                "--penstock.owner=0:0",
                "--penstock.transpond.local.resource=redis-uds:///run/redis.sock?db=1",
                "--management.server.port=-1"))
        .isTrue();
    assertThat(out.toString(UTF_8).lines())
        .contains(
            "  listen on /run/penstock.sock, mode 0660, owner 0:0 (transport auto, 2 event loops,"
                + " dispatch async)",
            "  proxy to /run/redis.sock, database 1");
  }

  @Test
  void printsALineForEachListenerAndUpstream() {
    assertThat(
            succeeds(
                "--penstock.event-loops=2",
                "--penstock.max-clients=7",
                "--penstock.listeners.a.port=1",
                "--penstock.listeners.a.upstream=x",
                "--penstock.listeners.b.port=2",
                "--penstock.listeners.b.upstream=x",
                "--penstock.listeners.b.password=s3cret",
                "--penstock.upstreams.x=redis-cluster://h:1",
                "--penstock.upstreams.y=redis://h:2",
                "--management.server.port=-1"))
        .isTrue();
    assertThat(out.toString(UTF_8).lines())
        .containsExactlyInAnyOrder( // options have no order
            "The configuration is valid (no file). Penstock would",
            "  use transport auto, 2 event loops, dispatch async",
            "  as listener a: listen on 0.0.0.0:1, IPv6 too, for upstream x, and accept up to 7 clients,"
                + " without a password",
            "  as listener b: listen on 0.0.0.0:2, IPv6 too, for upstream x, and accept up to 7 clients, with"
                + " a password (AUTH)",
            "  for upstream x: proxy to the Redis Cluster of h:1",
            "  not use upstream y: no listener names it",
            "  not serve health and metrics (management.server.port is -1)");
  }

  @Test
  void printsALineForEachTcpServer() {
    assertThat(
            succeeds(
                "--penstock.event-loops=2",
                "--penstock.port=1",
                "--penstock.upstreams.raw.tcp.servers[0]=h:1 weight=2 max-conns=7",
                "--penstock.upstreams.raw.tcp.servers[1]=h:2 backup max-fails=0 slow-start=30s",
                "--penstock.upstreams.raw.tcp.servers[2]=h:3 max-fails=3 fail-timeout=20s",
                "--penstock.upstreams.raw.proxy-protocol=v2",
                "--penstock.upstreams.raw.tcp.balance=least-connections",
                "--management.server.port=-1"))
        .isTrue();
    assertThat(out.toString(UTF_8).lines())
        .containsExactly(
            "The configuration is valid (no file). Penstock would",
            "  listen on 0.0.0.0:1, IPv6 too (transport auto, 2 event loops, dispatch async)",
            "  proxy to 3 TCP servers, least-connections, PROXY protocol v2:",
            "    h:1 (weight 2, up to 7 connections)",
            "    h:2 (never out, slow start in 30 s, backup)",
            "    h:3 (out for 20 s after 3 failures)",
            "  accept up to 10000 clients",
            "  not serve health and metrics (management.server.port is -1)");
  }

  @Test
  void printsALineForEachShard() {
    assertThat(
            succeeds(
                "--penstock.event-loops=2",
                "--penstock.listeners.a.port=1",
                "--penstock.listeners.a.upstream=x",
                "--penstock.listeners.b.port=2",
                "--penstock.listeners.b.upstream=y",
                "--penstock.upstreams.x.shards.distribution=ketama",
                "--penstock.upstreams.x.shards.hash=md5",
                "--penstock.upstreams.x.shards.hash-tag={}",
                "--penstock.upstreams.x.shards.auto-eject.failures=3",
                "--penstock.upstreams.x.shards.servers[0]=redis://:s3cret@h:1?weight=2&name=a",
                "--penstock.upstreams.x.shards.servers[1]=redis://h:2",
                "--penstock.upstreams.y.shards.distribution=camellia",
                "--penstock.upstreams.y.shards.hold=true",
                "--penstock.upstreams.y.shards.slots[0].list=0,1,3",
                "--penstock.upstreams.y.shards.slots[0].to=z",
                "--penstock.upstreams.y.shards.slots[1].list=2",
                "--penstock.upstreams.y.shards.slots[1].to=redis://:s3cret@h:4",
                "--penstock.upstreams.z=redis-cluster://h:3"))
        .isTrue();
    assertThat(out.toString(UTF_8))
        .contains(
            "  for upstream x: proxy to 2 shards by ketama, hash md5, hash tag {}, each ejected"
                + " for 30 s after 3 failures:\n    a: h:1 (weight 2)\n    h:2\n")
        .contains(
            "  for upstream y: proxy to 2 shards by camellia, failover hold for all:\n    z: the Redis Cluster of h:3 (0-1,"
                + " 3)\n    h:4 (2)\n")
        .contains("  use upstream z as a part of y\n")
        .doesNotContain("s3cret");
  }

  @Test
  void printsWhichUpstreamIsSelectedWhen() {
    assertThat(
            succeeds(
                "--penstock.event-loops=2",
                "--penstock.listeners.a.port=1",
                "--penstock.listeners.a.upstream=x",
                "--penstock.listeners.b.port=2",
                "--penstock.listeners.b.upstream=y",
                "--penstock.upstreams.x.by-prefix[0].prefix=b:",
                "--penstock.upstreams.x.by-prefix[0].upstream=z",
                "--penstock.upstreams.x.by-prefix[1].prefix=a:",
                "--penstock.upstreams.x.by-prefix[1].upstream=z",
                "--penstock.upstreams.x.otherwise=other",
                "--penstock.upstreams.y.weighted[0].upstream=z",
                "--penstock.upstreams.y.weighted[0].weight=95",
                "--penstock.upstreams.y.weighted[1].upstream=x2",
                "--penstock.upstreams.y.by=client",
                "--penstock.listeners.c.port=3",
                "--penstock.listeners.c.upstream=s",
                "--penstock.upstreams.s.split.write=w",
                "--penstock.upstreams.s.split.read[0]=r",
                "--penstock.upstreams.w=redis://h:6",
                "--penstock.upstreams.r=redis-sentinel-slaves://h:7/m",
                "--penstock.upstreams.x2=redis://h:5",
                "--penstock.upstreams.other=redis://h:4",
                "--penstock.upstreams.z=redis-cluster://h:3"))
        .isTrue();
    assertThat(out.toString(UTF_8))
        .contains(
            "  for upstream x: proxy to 2 upstreams by prefix:\n"
                + "    \"a:\", \"b:\": the Redis Cluster of h:3\n"
                + "    otherwise: h:4\n")
        .contains(
            "  for upstream y: proxy to 2 upstreams by weight, for each client:\n"
                + "    weight 95: the Redis Cluster of h:3\n    weight 1: h:5\n")
        .contains(
            "  for upstream s: proxy to one upstream for writes and 1 for reads:, reads from:"
                + " replica-preferred\n    for writes: h:6\n    for reads, replicas: ")
        .contains("  use upstream z as a part of x, y\n");
  }

  @Test
  void printsWhatAResourceTableBecomes(@TempDir Path folder) throws IOException {
    Path table =
        Files.writeString(
            folder.resolve("table.json"),
            """
            {"type": "sharding", "operation": {"bucketSize": 3, "operationMap": {
              "0-1": "redis://:s3cret@h:1",
              "2": {"type": "rw_separate",
                    "read": {"type": "order", "resources":
                      ["redis-sentinel-slaves://s3cret@h:2/m", "redis://@h:3"]},
                    "write": "redis-sentinel://s3cret@h:2/m"}}}}
            """);

    assertThat(
            succeeds(
                "--penstock.transpond.local.type=complex",
                "--penstock.transpond.local.json-file=" + table))
        .isTrue();
    assertThat(out.toString(UTF_8))
        .contains(
            "  proxy to 2 shards by camellia, hash camellia-default:, reads from:"
                + " replica-preferred\n    h:1 (0-1)\n    one upstream for writes and 2 for reads,"
                + " itself included, the first that answers: the master m of the sentinels h:2;"
                + " replicas of the master m of the sentinels h:2; h:3 (2)\n")
        .doesNotContain("s3cret");
  }

  @Test
  void printsWhereAShareOfTheReadsGoesToo() {
    assertThat(
            succeeds(
                "--penstock.event-loops=2",
                "--penstock.listeners.a.port=1",
                "--penstock.listeners.a.upstream=x",
                "--penstock.upstreams.x.resource=redis://h:1",
                "--penstock.upstreams.x.shadow.upstream=y",
                "--penstock.upstreams.x.shadow.share=2.5",
                "--penstock.upstreams.y=redis-cluster://h:2"))
        .isTrue();
    assertThat(out.toString(UTF_8))
        .contains("    and send 2.5 % of its reads to upstream y too\n")
        .contains("  use upstream y as a shadow: the Redis Cluster of h:2\n");
  }

  @Test
  void printsWhichUpstreamsAreCopies() {
    assertThat(
            succeeds(
                "--penstock.event-loops=2",
                "--penstock.listeners.a.port=1",
                "--penstock.listeners.a.upstream=copied",
                "--penstock.upstreams.x=redis://h:1",
                "--penstock.upstreams.y=redis-cluster://h:2",
                "--penstock.upstreams.copied.primary=x",
                "--penstock.upstreams.copied.copies=y",
                "--penstock.upstreams.copied.reply=all"))
        .isTrue();
    assertThat(out.toString(UTF_8))
        .contains(
            "    and copy what is written to y, with at most 100000 writes or 64 MB waiting for"
                + " each\n    and reply to writes when the primary and all copies have done them\n")
        .contains("  use upstream x as the primary of copied\n")
        .contains("  use upstream y as a copy: the Redis Cluster of h:2\n");
  }

  @Test
  void opensNoPortAndContactsNoServer() throws IOException {
    try (ServerSocketChannel taken = ServerSocketChannel.open();
        ServerSocketChannel server = ServerSocketChannel.open()) {
      taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      int port = taken.socket().getLocalPort();

      assertThat(
              succeeds(
                  "--penstock.bind=127.0.0.1",
                  "--penstock.port=" + port,
                  "--management.server.port=" + port,
                  "--penstock.transpond.local.resource=redis://127.0.0.1:"
                      + server.socket().getLocalPort()))
          .isTrue();

      taken.configureBlocking(false);
      assertThat(taken.accept()).isNull();
      server.configureBlocking(false);
      assertThat(server.accept()).isNull();
    }
  }

  @Test
  void tellsOfAnExpiredCertificate(CapturedOutput log) {
    TestAuthority authority = TestAuthority.create("authority");
    TlsFiles files = authority.files(authority.issueExpired("edge"));

    assertThat(
            succeeds(
                "--penstock.tls.bundle=edge",
                "--penstock.transpond.local.resource=redis://h1:1",
                "--spring.ssl.bundle.pem.edge.keystore.certificate=" + files.certificate(),
                "--spring.ssl.bundle.pem.edge.keystore.private-key=" + files.key(),
                "--management.server.port=-1"))
        .isTrue();

    assertThat(log)
        .containsPattern("The certificate CN=edge of SSL bundle edge expired at 20[-0-9T:]+Z: ");
  }

  @Test
  void doesNotStartTheDemoCluster() {
    assertThat(
            succeeds(
                "--spring.profiles.active=demo",
                "--penstock.port=0",
                "--management.server.port=-1"))
        .isTrue();
    assertThat(out.toString(UTF_8))
        .contains("listen on a free port of 0.0.0.0, IPv6 too")
        .contains("proxy to a cluster of its own (profile demo)")
        .contains("not serve health and metrics (management.server.port is -1)");
  }

  @Test
  void rejectsAProxyThatIsItsOwnServer(CapturedOutput log) {
    assertThat(
            succeeds(
                "--penstock.port=7001",
                "--penstock.transpond.local.resource=redis://127.0.0.1:7001",
                "--management.server.port=-1"))
        .isFalse();
    assertThat(log.getAll()).contains("127.0.0.1:7001 is listener default of this Penstock");
  }

  @Test
  void failsLikeAStart(CapturedOutput log) {
    assertThat(succeeds("--penstock.backend.command-timeout=1")).isFalse();
    assertThat(succeeds("--spring.lifecycle.timeout-per-shutdown-phase=soon")).isFalse();
    assertThat(succeeds("--server.address=300.1.1.1")).isFalse();

    assertThat(out.toString(UTF_8)).isEmpty();
    assertThat(log)
        .contains("Key:    penstock.backend.command-timeout")
        .contains("Reason: it has no unit");
  }

  @ParameterizedTest
  @ValueSource(strings = {"management.server.port", "server.port"})
  void rejectsAnInvalidManagementPort(String key, CapturedOutput log) {
    for (String port : List.of("70000", "-2", "http", "${NO_SUCH_VARIABLE}")) {
      assertThat(succeeds("--" + key + "=" + port)).isFalse();
      assertThat(log).contains("Key:    " + key + "\n    Value:  " + port + "\n");
    }
    assertThat(log)
        .contains("Reason: must be a port from 0 to 65535, or -1")
        .contains("Reason: ${NO_SUCH_VARIABLE} is not set");
  }
}
