package io.penstock.core.session;

import static io.penstock.core.session.Requests.call;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.observe.MirrorStats;
import io.penstock.core.observe.ProxyStats;
import io.penstock.testkit.network.Peer;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerRepliesTest {

  private static final String KEYSPACE_QUESTION = "*2\r\n$4\r\nINFO\r\n$8\r\nkeyspace\r\n";

  private final Rig rig = Rig.cluster();

  @AfterEach
  void close() {
    rig.close();
  }

  @Test
  void keyspaceIsSummedOverAllMasters() {
    Peer client = rig.client();
    client.send(call("INFO keyspace"));
    rig.accept(0)
        .expect(KEYSPACE_QUESTION)
        .send(Wire.bulk("# Keyspace\r\ndb0:keys=3,expires=1,avg_ttl=400\r\n"));
    rig.accept(1)
        .expect(KEYSPACE_QUESTION)
        .send(Wire.bulk("# Keyspace\r\ndb0:keys=4,expires=3,avg_ttl=800\r\n"));

    client.expect(Wire.bulk("# Keyspace\r\ndb0:keys=7,expires=4,avg_ttl=700\r\n"));
  }

  @Test
  void countersOfNodesAreSummed() {
    Peer client = rig.client();
    client.send(call("info STATS"));
    for (int node = 0; node < 2; node++) {
      rig.accept(node)
          .expect("*1\r\n$4\r\nINFO\r\n")
          .send(Wire.bulk("# Stats\r\nkeyspace_hits:5\r\nexpired_keys:2\r\n"));
    }

    assertThat(client.readBulk())
        .startsWith("# Stats\r\n")
        .contains(
            "\r\nkeyspace_hits:10\r\n", "\r\nexpired_keys:4\r\n", "\r\nkeyspace_misses:0\r\n");
  }

  @Test
  void aMasterWithoutReplyIsMissingInTheSum() {
    Peer client = rig.client();
    client.send(call("INFO keyspace penstock"));
    rig.accept(0)
        .expect(KEYSPACE_QUESTION)
        .send(Wire.bulk("# Keyspace\r\ndb0:keys=3,expires=0,avg_ttl=0\r\n"));
    rig.accept(1).expect(KEYSPACE_QUESTION);
    rig.tick(Duration.ofSeconds(200));

    assertThat(client.readBulk())
        .contains("db0:keys=3,expires=0,avg_ttl=0\r\n")
        .contains("info_masters_asked:2\r\n", "info_masters_answered:1\r\n");
  }

  @Test
  void anErrorReplyIsNotCounted() {
    Peer client = rig.client();
    client.send(call("INFO keyspace"));
    rig.accept(0).expect(KEYSPACE_QUESTION).send("-NOPERM no\r\n");
    rig.accept(1).expect(KEYSPACE_QUESTION).send(Wire.bulk("# Keyspace\r\n"));

    client.expect(Wire.bulk("# Keyspace\r\n"));
  }

  @Test
  void localSectionsSendNoRequest() {
    rig.client()
        .send(call("INFO Cluster MODULES nonsense"))
        .expect(Wire.bulk("# Modules\r\n\r\n# Cluster\r\ncluster_enabled:0\r\n"));
    rig.client().send(call("INFO nonsense")).expect("$0\r\n\r\n");
  }

  @Test
  void infoIsAVerbatimStringInResp3() {
    Peer client = rig.client();
    client.send("HELLO 3\r\nINFO cluster\r\n");
    client.read("%7\r\n$6\r\nserver\r\n$5\r\nredis\r\n$7\r\nversion\r\n$6\r\n7.0.15\r\n".length());
    client.expect("$5\r\nproto\r\n:3\r\n$2\r\nid\r\n:1\r\n$4\r\nmode\r\n$10\r\nstandalone\r\n");
    client.expect("$4\r\nrole\r\n$6\r\nmaster\r\n$7\r\nmodules\r\n*0\r\n");

    client.expect("=34\r\ntxt:# Cluster\r\ncluster_enabled:0\r\n\r\n");
  }

  @Test
  void infoKeepsItsPlaceAmongTheReplies() {
    Peer client = rig.client();
    client.send(call("INFO keyspace") + call("ECHO later"));
    rig.accept(0).expect(KEYSPACE_QUESTION).send(Wire.bulk("# Keyspace\r\n"));
    rig.accept(1).expect(KEYSPACE_QUESTION).send(Wire.bulk("# Keyspace\r\n"));

    client.expect(Wire.bulk("# Keyspace\r\n") + "$5\r\nlater\r\n");
  }

  /** A loop without stats, and one whose stats cannot be written. */
  static Stream<CompletionStage<ProxyStats>> figuresThatFail() {
    return Stream.of(
        CompletableFuture.failedStage(new StackOverflowError()),
        CompletableFuture.completedStage(null));
  }

  @ParameterizedTest
  @MethodSource("figuresThatFail")
  void aFailureOfInfoClosesTheClient(CompletionStage<ProxyStats> figures) {
    try (var failing = new RigOptions().stats(() -> figures).start()) {
      failing.client().send(call("INFO clients") + call("ECHO later")).expectClosed();

      assertThat(failing.<Integer>onLoop(() -> failing.sessions().slots().inUse())).isZero();
      failing.client().send(call("ECHO on")).expect("$2\r\non\r\n");
    }
  }

  @Test
  void errorsAreCountedByPrefix() {
    Peer client = rig.client();
    client.send("FOO\r\nGET\r\nEVAL x\r\nMSETNX a 1 b 2\r\nPING\r\n");
    client.expect("-ERR unknown command 'FOO', with args beginning with: \r\n");
    client.expect("-ERR wrong number of arguments for 'get' command\r\n");
    client.expect("-ERR wrong number of arguments for 'eval' command\r\n");
    client.expect("-CROSSSLOT Keys in request don't hash to the same slot\r\n+PONG\r\n");

    assertThat(rig.onLoop(() -> rig.sessions().counters().errors()))
        .containsOnly(Map.entry("ERR", 3L), Map.entry("CROSSSLOT", 1L));
  }

  @Test
  void penstocksParametersNeedNoNode() {
    rig.client()
        .send(call("CONFIG GET save") + call("CONFIG GET MAXMEMORY maxmemory"))
        .expect("*2\r\n$4\r\nsave\r\n$0\r\n\r\n*2\r\n$9\r\nMAXMEMORY\r\n$1\r\n0\r\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "RequirePass",
        "requirepass\0x",
        "primaryauth",
        "PrimaryUser",
        "masterauth",
        "tls-key-file-pass",
        "ts-global-password"
      })
  void passwordsOfNodesAreHidden(String name) {
    Peer client = rig.client();
    String question = Wire.request("CONFIG", "GET", name, "maxmemory-policy");
    client.send(question);
    rig.accept(0)
        .expect(question)
        .send("*4\r\n" + Wire.bulk("maxmemory-policy") + Wire.bulk("allkeys-lru"))
        .send(Wire.bulk(name) + Wire.bulk("s3cret"));

    client.expect(
        name.startsWith("requirepass")
            ? "*2\r\n" + Wire.bulk("maxmemory-policy") + Wire.bulk("allkeys-lru")
            : "*4\r\n"
                + (Wire.bulk("maxmemory-policy") + Wire.bulk("allkeys-lru"))
                + (Wire.bulk(name) + Wire.bulk("")));
  }

  @Test
  void parameterNamesAreReturnedAsRequested() {
    Peer client = rig.client();
    String question = call("CONFIG GET MaxMemory MaxMemory-Policy");
    client.send(question);
    rig.accept(0)
        .expect(question)
        .send("*4\r\n" + Wire.bulk("MaxMemory-Policy") + Wire.bulk("noeviction"))
        .send(Wire.bulk("MaxMemory") + Wire.bulk("99"));

    client
        .expect("*4\r\n" + Wire.bulk("MaxMemory-Policy") + Wire.bulk("noeviction"))
        .expect(Wire.bulk("MaxMemory") + Wire.bulk("0"));
  }

  @Test
  void penstocksParametersReplaceThoseOfTheNode() {
    Peer client = rig.client();
    String question = call("CONFIG GET maxmemory* requirepass");
    client.send(question);
    rig.accept(0)
        .expect(question)
        .send("*6\r\n" + Wire.bulk("maxmemory") + Wire.bulk("99"))
        .send(Wire.bulk("maxmemory-policy") + Wire.bulk("allkeys-lru"))
        .send(Wire.bulk("requirepass") + Wire.bulk("s3cret"));

    client
        .expect("*6\r\n" + Wire.bulk("maxmemory") + Wire.bulk("0"))
        .expect(Wire.bulk("maxmemory-policy") + Wire.bulk("allkeys-lru"))
        .expect(Wire.bulk("requirepass") + Wire.bulk(""));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "maxclients 5; maxclients; it is a setting of this proxy: set penstock.max-clients in its configuration",
        "hz 20 MaxClients 5 hz 10; maxclients; it is a setting of this proxy: set penstock.max-clients in its configuration",
        "requirepass x; requirepass; it is a setting of this proxy: set penstock.password in its configuration",
        "databases 3; databases; it is a fixed value of this proxy and cannot be set"
      })
  void penstocksParametersCannotBeSetOnNodes(String parameters, String name, String why) {
    try (Rig allowing =
        new RigOptions()
            .allow("config|set")
            .config(() -> Map.of("maxclients", "7", "databases", "1", "requirepass", ""))
            .start()) {
      Peer client = allowing.client();
      client.send(call("CONFIG SET " + parameters));

      client.expect(
          "-ERR CONFIG SET failed (possibly related to argument '%s') - %s\r\n"
              .formatted(name, why));
      client.send(call("CONFIG GET databases")).expect("*2\r\n$9\r\ndatabases\r\n$1\r\n1\r\n");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"maxmemory 5", "masterauth x", "hz 20 maxmemory 5"})
  void otherParametersAreSetOnAllNodes(String parameters) {
    try (Rig allowing =
        new RigOptions()
            .allow("config|set")
            .config(() -> Map.of("maxclients", "7", "masterauth", ""))
            .start()) {
      Peer client = allowing.client();
      String request = call("CONFIG SET " + parameters);
      client.send(request);
      allowing.accept(0).expect(request).send("+OK\r\n");
      allowing.accept(1).expect(request).send("+OK\r\n");

      client.expect("+OK\r\n");
    }
  }

  @Test
  void penstocksParametersAreNotSetOnASingleServer() {
    try (Rig single =
        new RigOptions()
            .single()
            .allow("config|set")
            .config(() -> Map.of("maxclients", "7"))
            .start()) {
      Peer client = single.client();
      client
          .send(call("CONFIG SET maxclients 5"))
          .expect("-ERR CONFIG SET failed (possibly related to argument 'maxclients') - ")
          .expect(
              "it is a setting of this proxy: set penstock.max-clients in its configuration\r\n");
      client
          .send(call("MULTI") + call("CONFIG SET maxclients 5") + call("EXEC"))
          .expect("+OK\r\n-ERR CONFIG SET failed (possibly related to argument 'maxclients') - ")
          .expect(
              "it is a setting of this proxy: set penstock.max-clients in its configuration\r\n")
          .expect("-EXECABORT Transaction discarded because of previous errors.\r\n");
    }
  }

  @Test
  void resetstatResetsTheCountersOfInfo() {
    var clients = new AtomicLong(40);
    try (Rig counting =
        new RigOptions()
            .stats(() -> CompletableFuture.completedStage(accepted(clients.get())))
            .start()) {
      Peer client = counting.client();
      client.send(call("CONFIG RESETSTAT"));
      Peer one = counting.accept(0).expect(call("CONFIG RESETSTAT")).send("+OK\r\n");
      Peer two = counting.accept(1).expect(call("CONFIG RESETSTAT")).send("+OK\r\n");
      client.expect("+OK\r\n");
      clients.set(42);

      client.send(call("INFO stats"));
      one.expect("*1\r\n$4\r\nINFO\r\n").send("$0\r\n\r\n");
      two.expect("*1\r\n$4\r\nINFO\r\n").send("$0\r\n\r\n");
      assertThat(client.readBulk()).contains("\r\ntotal_connections_received:2\r\n");
    }
  }

  private static ProxyStats accepted(long clients) {
    ProxyStats none = ProxyStats.NONE;
    return new ProxyStats(
        none.commands(),
        0,
        clients,
        0,
        0,
        none.nodes(),
        none.redirects(),
        none.loops(),
        none.pubSub(),
        none.traffic(),
        none.errors(),
        none.held(),
        none.pressure(),
        none.reads(),
        none.crossSlot(),
        none.shadow(),
        MirrorStats.NONE);
  }

  @Test
  void expensivePatternsAreNotForwarded() {
    Peer client = rig.client();
    client.send(call("CONFIG GET *[" + "!".repeat(5_000)));
    client.send(call("CONFIG GET" + (" *[" + "!".repeat(2_100)).repeat(2)));
    client.send(call("CONFIG GET" + " save".repeat(2_000)) + call("CONFIG GET s*"));

    client.expect("-ERR pattern is too long: more than 4096 bytes\r\n".repeat(2));
    client.expect("-ERR CONFIG GET is too long: more than 16384 bytes\r\n");
    rig.accept(0).expect(call("CONFIG GET s*")).send("*0\r\n");
    client.expect("*2\r\n$4\r\nsave\r\n$0\r\n\r\n");
  }

  @Test
  void anErrorOfANodeLeavesPenstocksParameters() {
    Peer client = rig.client();
    client.send(call("CONFIG GET s*"));
    rig.accept(0).expect(call("CONFIG GET s*")).send("-NOPERM no\r\n");

    client.expect("*2\r\n$4\r\nsave\r\n$0\r\n\r\n");
  }

  @Test
  void theSlowLogHasTheLatestEntriesOfAllShards() {
    Peer client = rig.client();
    String question = call("SLOWLOG GET 2");
    client.send(question);
    String entry = "*3\r\n:1\r\n:%d\r\n:5\r\n";
    rig.accept(0).expect(question).send("*2\r\n" + entry.formatted(50) + entry.formatted(10));
    rig.accept(1).expect(question).send("*2\r\n" + entry.formatted(40) + entry.formatted(20));

    client.expect("*2\r\n" + entry.formatted(50) + entry.formatted(40));
  }
}
