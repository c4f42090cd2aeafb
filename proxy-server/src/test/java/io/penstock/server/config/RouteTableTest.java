package io.penstock.server.config;

import static io.penstock.server.config.ConfigurationSources.settings;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.assembly.ProxySettings.Mirror;
import io.penstock.core.assembly.ProxySettings.Upstream;
import io.penstock.core.copies.MirrorSettings;
import io.penstock.core.copies.ReplyPolicy;
import io.penstock.core.layout.ShardLayout;
import io.penstock.core.shards.ShardsUpstreamSettings;
import io.penstock.core.upstream.ReadFrom;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Resource tables of camellia-redis-proxy, in a file of their own. */
class RouteTableTest {

  private static final String SHARDED =
      "{'type': 'sharding', 'operation': {'bucketSize': %s, 'operationMap': {%s}}}";

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  private Upstream.Resp map(String table, String... keys) {
    return settings(yaml(write(table), keys)).respUpstream("default");
  }

  private Path write(String table) {
    try {
      return Files.writeString(folder.resolve("table.json"), table.replace('\'', '"'));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String yaml(Path file, String... keys) {
    StringBuilder text =
        new StringBuilder(
            """
            camellia-redis-proxy:
              port: 0
              transpond:
                local:
                  type: Complex
                  json-file: %s
            """
                .formatted(file));
    for (String key : keys) {
      text.append("    ").append(key).append('\n');
    }
    return text.toString();
  }

  private ConfigurationFault fault(String table, String... keys) {
    return Faults.of(() -> map(table, keys));
  }

  private static ShardsUpstreamSettings shards(Upstream.Resp upstream) {
    return (ShardsUpstreamSettings) upstream.kind();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        " redis://user:p@ss%40@h:1?db=2&db \n",
        "{'type': 'SIMPLE', 'operation': {'type': 'Simple', 'resource':"
            + " 'redis://user:p@ss%40@h:1?db=2&db'}}"
      })
  void aTableOfOneResourceIsThatResource(String table) {
    Upstream.Resp upstream = map(table);

    assertThat(upstream.kind().description()).startsWith("h:1");
    assertThat(upstream.kind().access().database()).isEqualTo(2);
    assertThat(upstream.kind().passwords()).containsExactly("p@ss%40");
    assertThat(Objects.requireNonNull(upstream.kind().access().credentials()).user())
        .isEqualTo("user");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          rediss://pw@h:1                           | MASTER  | true
          redis-uds://@/run/redis.sock              | MASTER  | false
          redis-cluster://@h:1,h:2                  | MASTER  | false
          rediss-cluster-slaves://@h:1              | REPLICA | true
          redis-sentinel://@h:1/m?sentinelPassword=s| MASTER  | false
          redis-sentinel-slaves://@h:1/m            | REPLICA | false
          redis-cluster-slaves://@h:1?withMaster=true | ANY   | false
          redis-proxies://@h:1,h:2?db=1             | MASTER  | false
          """)
  void eachSchemeIsWhatItIsWithoutATable(String url, ReadFrom from, boolean tls) {
    Upstream.Resp upstream =
        map("{'type':'simple','operation':{'type':'simple','resource':'" + url + "'}}");

    assertThat(upstream.reads().from()).isEqualTo(from);
    assertThat(upstream.kind().access().transport().tls() != null).isEqualTo(tls);
  }

  /** A key, and its buckets of three, six and eight with each function. */
  private static final String VECTORS =
      """
      foo                  | 0 0 6 | 0 0 6 | 1 4 6
      user:1000            | 1 4 6 | 1 4 6 | 0 3 1
      {user1000}.following | 2 5 3 | 2 2 6 | 0 3 3
      café:7               | 2 5 3 | 2 5 3 | 1 4 6
      {}x                  | 2 2 6 | 2 2 6 | 1 1 3
      a                    | 1 1 1 | 1 1 1 | 1 1 7
      order:20240131:00042 | 1 1 7 | 1 1 7 | 1 4 6
      polygenelubricants   | 2 2 0 | 2 2 0 | 2 2 6
      """;

  @ParameterizedTest
  @CsvSource({
    "redis-conf: {}, 1",
    "redis-conf: { sharding-func: com.netease.nim.DefaultShardingFunc }, 1",
    "redis-conf: { shading-func: DefaultHashTagShardingFunc }, 2",
    "'redis-conf: { sharding-func: a.CRC16HashTagShardingFunc, multi-write-mode: Z }', 3"
  })
  void aKeyIsInTheBucketOfCamellia(String function, int column) {
    List<ShardLayout> layouts =
        IntStream.of(3, 6, 8)
            .mapToObj(size -> shards(map(SHARDED.formatted(size, buckets(size)), function)))
            .map(ShardsUpstreamSettings::layout)
            .toList();
    for (String line : VECTORS.lines().toList()) {
      String[] vector = line.split("\\s*\\|\\s*");
      byte[] key = vector[0].getBytes(StandardCharsets.UTF_8);
      assertThat(
              layouts.stream()
                  .map(layout -> "" + layout.shardOf(key))
                  .collect(Collectors.joining(" ")))
          .as(line)
          .isEqualTo(vector[column]);
    }
  }

  /** The smallest int, for which camellia has no bucket, has that of its absolute value. */
  private static String buckets(int size) {
    return IntStream.range(0, size)
        .mapToObj(i -> "'%d': 'redis://@h:%d'".formatted(i, i + 1))
        .collect(Collectors.joining(", "));
  }

  @Test
  void readsOfBucketsGoElsewhereUnlessTheConfigurationSaysOtherwise() {
    String table =
        SHARDED.formatted(
            2,
            "'0': 'redis-sentinel://@s:1/m', '1': {'type': 'rw_separate', 'read': 'redis://@r:1',"
                + " 'write': 'redis://@w:1'}");
    String yaml =
        "penstock: { port: 0, reads: { from: %s }, transpond: { local: { type: complex,"
            + " json-file: %s } } }";

    assertThat(map(table).reads().from()).isEqualTo(ReadFrom.REPLICA_PREFERRED);
    assertThat(
            settings(yaml.formatted("replica", write(table)))
                .respUpstream("default")
                .reads()
                .from())
        .isEqualTo(ReadFrom.REPLICA);
    assertThat(Faults.of(() -> settings(yaml.formatted("master", write(table)))).reason())
        .startsWith("it is master: the servers for reads of split would not be read");
    assertThat(map(SHARDED.formatted(1, "'0': 'redis-sentinel://@s:1/m'")).reads().from())
        .isEqualTo(ReadFrom.MASTER);
  }

  private static final String MULTI =
      "{'type':'simple','operation':{'type':'rw_separate','read':'redis://@r:1','write':"
          + "{'type':'multi','resources':['redis://@w:1','redis://@b:1','redis-cluster://@c:1']}}}";

  @ParameterizedTest
  @CsvSource({
    "'', PRIMARY",
    "multi-write-mode: FIRST_RESOURCE_ONLY, PRIMARY",
    "multi-write-mode: unknown, PRIMARY",
    "multi-write-mode: all_resources_check_error, ALL",
    "multi-write-mode: 3, ALL"
  })
  void severalResourcesForWritesAreAPrimaryAndCopies(String mode, ReplyPolicy policy) {
    ProxySettings settings = settings(yaml(write(MULTI), "redis-conf: { " + mode + " }"));

    assertThat(settings.respUpstream("default").kind().description())
        .isEqualTo("one upstream for writes and 1 for reads: w:1; r:1");
    assertThat(settings.mirrorOf("default"))
        .isEqualTo(
            new Mirror(
                "default",
                "default",
                List.of("default-copy-1", "default-copy-2"),
                new MirrorSettings(policy, 100_000, 64 << 20)));
    assertThat(settings.respUpstream("default-copy-2").kind().description())
        .isEqualTo("the Redis Cluster of c:1");
    assertThat(settings.usedUpstreams())
        .containsExactly("default", "default-copy-1", "default-copy-2");
    assertThat(settings.wholesOf(settings.upstream("default"))).isEmpty();
    assertThat(settings.listeners().getFirst().upstream()).isEqualTo("default");
  }

  @Test
  void whatSeveralResourcesForWritesCannotBeIsNamed() {
    ConfigurationFault mode = fault(MULTI, "redis-conf: { multi-write-mode: 2 }");
    assertThat(mode.key()).endsWith("transpond.redis-conf.multi-write-mode");
    assertThat(mode.reason()).startsWith("clients would wait for all resources and not be told");
    assertThat(map("redis://@h:1", "redis-conf: { multi-write-mode: 2 }").kind()).isNotNull();

    String others =
        """
        penstock:
          port: 0
          transpond: { local: { type: complex, json-file: %s } }
          upstreams: { %s }
        """;
    assertThat(
            Faults.of(
                    () -> settings(others.formatted(write(MULTI), "default-copy-1: 'redis://h:1'")))
                .reason())
        .startsWith("the resource table has an upstream of this name");
    assertThat(
            Faults.of(() ->
                    settings(others.formatted(write(MULTI), "x: { split: { write: default } }")))
                .reason())
        .startsWith("upstream default has copies");
    assertThat(
            Faults.of(() ->
                    settings(
                        others.formatted(
                            write(MULTI),
                            "b: 'redis://b:1', d: 'redis://d:1', x: { primary: d, copies: [ b ] }")))
                .reason())
        .startsWith("upstream b has servers of a copy of upstream default");
  }

  @Test
  void aWrongTableIsNamedWithTheKeyAndWithoutItsPasswords() {
    ConfigurationFault fault = fault("{'type':'simple','operation':'redis://s3cret@h:1'}");

    assertThat(fault.key()).isEqualTo("camellia-redis-proxy.transpond.local.json-file");
    assertThat(fault.value()).endsWith("table.json");
    assertThat(fault.reason()).startsWith("at operation: it is not an object");
    assertThat(fault.toString()).doesNotContain("s3cret");
    assertThat(fault(" ".repeat(1 << 20) + "redis://@h:1").reason())
        .startsWith("it has more than 1048576 bytes");
  }

  @Test
  void aFileThatIsNotThereIsNamed() {
    assertThat(Faults.of(() -> settings(yaml(folder.resolve("none.json")))).reason())
        .isEqualTo("it is neither on the class path nor a file");
    assertThat(Faults.of(() -> settings(yaml(folder))).reason()).isEqualTo("it is a directory");
  }

  @Test
  void theClassPathIsSearchedFirst() {
    assertThat(
            settings(yaml(Path.of("route-table.json")))
                .respUpstream("default")
                .kind()
                .description())
        .isEqualTo("of-the-class-path:1");
  }

  @Test
  void keysThatTheTypeDoesNotHaveAreRejected() {
    assertThat(fault("redis://@h:1", "  resource: redis://@h:1").reason())
        .startsWith("type complex does not have it");
    assertThat(fault("redis://@h:1", "  password-file: x").key()).endsWith("local.password-file");
    assertThat(fault("redis://@h:1", "redis-conf: { sharding-func: com.example.Own }").reason())
        .isEqualTo("Penstock does not have this class");
    assertThat(
            fault("redis://@h:1", "redis-conf: { sharding-func: a.B, shading-func: a.B }").reason())
        .startsWith("it is the earlier name of sharding-func");
    assertThat(fault("redis://@h:1", "redis-conf: { heartbeat-interval-seconds: 30 }").reason())
        .startsWith("Penstock accepts only type, port, password");
    assertThat(
            Faults.of(() ->
                    settings("penstock: { port: 0, transpond: { local: { type: complex } } }"))
                .reason())
        .startsWith("it is not set, and type complex needs it");
    assertThat(map("redis://@h:1", "  dynamic: true", "  check-interval-millis: 4000").kind())
        .isNotNull();
  }
}
