package io.penstock.server.config;

import static io.penstock.server.config.ConfigurationSources.environment;
import static io.penstock.server.config.ConfigurationSources.read;
import static io.penstock.server.config.ConfigurationSources.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.layout.Distribution;
import io.penstock.core.layout.LayoutSettings;
import io.penstock.core.layout.ShardServer;
import io.penstock.core.layout.SlotShare;
import io.penstock.core.shards.EjectionSettings;
import io.penstock.core.shards.ShardsUpstreamSettings;
import io.penstock.core.topology.SingleUpstreamSettings;
import io.penstock.core.upstream.Credentials;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ReadFrom;
import io.penstock.server.mapping.SettingsMapping;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** {@code penstock.upstreams.NAME.shards}, from a file to the core's settings. */
@ExtendWith(OutputCaptureExtension.class)
class ShardsTest {

  private static final Path EXAMPLE = Path.of("../config/shards.yml");

  /** Three kinds of shards, as users write them. */
  private static final String THREE =
      """
      penstock:
        listeners:
          a: { port: 1, upstream: cache }
          b: { port: 2, upstream: old-codis }
          c: { port: 3, upstream: buckets }
        upstreams:
          cache:
            shards:
              distribution: ketama
              hash: fnv1a_64
              hash-tag: "{}"
              auto-eject: { failures: 2, retry: 30s }
              servers: [ "redis://10.0.0.5:6379?weight=2&name=a", "redis://10.0.0.6:6379?name=b" ]
          old-codis: { shards: { distribution: codis, slots: [ { range: 0-511, to: group-1 }, { range: 512-1023, to: group-2 } ] } }
          buckets:   { shards: { distribution: camellia, hash: camellia-default, slots: [ { list: [ 0, 2, 4 ], to: "redis://10.0.0.7:6379" }, { list: [ 1, 3, 5 ], to: sessions } ] } }
          group-1: "redis-sentinel://:s3cret@10.0.0.1:26379/one"
          group-2: "redis-sentinel://:s3cret@10.0.0.1:26379/two"
          sessions: "redis-cluster://10.0.0.8:7000"
      """;

  @Test
  void aListIsAMasterWithReplicas() {
    ProxySettings settings =
        map(
            """
            penstock:
              upstreams:
                x:
                  read-from: replica-preferred
                  shards:
                    distribution: camellia
                    slots:
                      - { list: [ 0 ], to: [ "redis://:pw@h:1?db=2", "redis://:pw@h:2?db=2", "redis://:pw@h:3?db=2" ] }
                      - { list: [ 1 ], to: "redis://h:4?db=2" }
            """);
    var pair = (SingleUpstreamSettings) shards(settings, "x").shards().getFirst();
    assertThat(pair.node()).isEqualTo(new Endpoint("h", 1));
    assertThat(pair.replicas()).containsExactly(new Endpoint("h", 2), new Endpoint("h", 3));
    assertThat(pair.database()).isEqualTo(2);
    assertThat(pair.description()).isEqualTo("h:1 with replicas h:2, h:3, database 2");
    assertThat(shards(settings, "x").layout().shards()).containsExactly("h:1", "h:4");
    assertThat(settings.respUpstream("x").reads().from()).isEqualTo(ReadFrom.REPLICA_PREFERRED);
  }

  @Test
  void serversOfARingAreRead() {
    ShardsUpstreamSettings cache = shards(map(THREE), "cache");

    assertThat(cache.layout().settings())
        .isEqualTo(
            new LayoutSettings(
                Distribution.KETAMA,
                "fnv1a_64",
                "{}",
                List.of(
                    new ShardServer("a", "10.0.0.5:6379", 2),
                    new ShardServer("b", "10.0.0.6:6379", 1)),
                List.of()));
    assertThat(cache.shards())
        .containsExactly(
            new SingleUpstreamSettings(new Endpoint("10.0.0.5", 6379), null, 0),
            new SingleUpstreamSettings(new Endpoint("10.0.0.6", 6379), null, 0));
    assertThat(cache.ejection()).isEqualTo(new EjectionSettings(2, Duration.ofSeconds(30)));
    assertThat(cache.holds()).isFalse();
  }

  @Test
  void slotsBelongToOtherUpstreams() {
    ProxySettings settings = map(THREE);

    ShardsUpstreamSettings codis = shards(settings, "old-codis");
    assertThat(codis.layout().settings().slots())
        .containsExactly(SlotShare.range(0, 511, "group-1"), SlotShare.range(512, 1023, "group-2"));
    assertThat(codis.shards())
        .containsExactly(
            settings.respUpstream("group-1").kind(), settings.respUpstream("group-2").kind());
    ShardsUpstreamSettings buckets = shards(settings, "buckets");
    assertThat(buckets.layout().partitions()).isEqualTo(6);
    assertThat(buckets.layout().shards()).containsExactly("10.0.0.7:6379", "sessions");
    assertThat(buckets.shards().get(1)).isEqualTo(settings.respUpstream("sessions").kind());
    assertThat(buckets.ejection()).isNull();
  }

  @Test
  void aPartOfServedShardsIsUsed() {
    ProxySettings settings = map(THREE);

    assertThat(settings.wholesOf(settings.upstream("group-2"))).containsExactly("old-codis");
    assertThat(settings.wholesOf(settings.upstream("sessions"))).containsExactly("buckets");
    assertThat(settings.wholesOf(settings.upstream("cache"))).isEmpty();
  }

  @Test
  void aServerMayBeASectionOrAName() {
    ShardsUpstreamSettings shards =
        of(
            "distribution: ketama, hold: true, auto-eject: {failures: 3}, servers: [{to:"
                + " 'redis://u:p,w@h:1?db=3', name: a, weight: 4}, {to: ['redis://h:2?db=3']}, x]",
            "redis://h:3?db=3");

    assertThat(shards.layout().settings().servers())
        .containsExactly(
            new ShardServer("a", "h:1", 4),
            new ShardServer(null, "h:2", 1),
            new ShardServer("x", "x", 1));
    assertThat(shards.shards().getFirst())
        .isEqualTo(
            new SingleUpstreamSettings(new Endpoint("h", 1), new Credentials("u", "p,w"), 3));
    assertThat(shards.holds()).isTrue();
    assertThat(shards.ejection()).isEqualTo(new EjectionSettings(3, Duration.ofSeconds(30)));
  }

  @Test
  void tokensOfDynomiteAreRead() {
    ShardsUpstreamSettings shards =
        of(
            "distribution: dynomite, servers: ['redis://h:1?token=1,2', {to: 'redis://h:2', token:"
                + " [4294967295]}]",
            "redis://h:3");

    assertThat(shards.layout().settings().servers())
        .extracting(ShardServer::tokens)
        .containsExactly(List.of(1L, 2L), List.of(4294967295L));
  }

  @Test
  void aShardMayHaveSeveralShares() {
    ShardsUpstreamSettings shards =
        of(
            "distribution: camellia, slots: [{list: '0,2', to: 'redis://h:1'}, {range: 1-1, to: x},"
                + " {list: [3], to: 'redis://h:1'}]",
            "redis://h:2");

    assertThat(shards.shards()).hasSize(2);
    assertThat(shards.layout().ownerOf(3)).isZero();
  }

  @Test
  void environmentVariablesOverrideAndDefine() {
    ProxySettings settings =
        map(
            List.of(
                new SystemEnvironmentPropertySource(
                    StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                    Map.of(
                        "PENSTOCK_UPSTREAMS_X_SHARDS_SERVERS", "redis://h:1, redis://h:2?name=b",
                        "PENSTOCK_UPSTREAMS_X_SHARDS_AUTOEJECT_RETRY", "5s",
                        "PENSTOCK_UPSTREAMS_X_SHARDS_HASHTAG", "{}")),
                yaml("penstock: {upstreams: {x: {shards: {distribution: modula}}}}")));

    ShardsUpstreamSettings shards = shards(settings, "x");
    assertThat(shards.layout().shards()).containsExactly("h:1", "b");
    assertThat(shards.ejection()).isEqualTo(new EjectionSettings(2, Duration.ofSeconds(5)));
    assertThat(shards.layout().settings().hashTag()).isEqualTo("{}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          {servers: ['redis://h:1']}                    | distribution | - | it is not set
          {distribution: ketamo, servers: ['redis://h:1']} | distribution | ketamo | failed to convert java.lang.String to
          {distribution: ketama}                        | servers | - | there is no server
          {distribution: ketama, servers: ['']}         | servers[0] | | it is not set
          {distribution: ketama, servers: ['redis://u:s3cret@h']} | servers[0] | redis://***@h | h has no port
          {distribution: ketama, servers: ['redis://h:1', 'y']} | servers[1] | y | there is no upstream y
          {distribution: ketama, servers: ['redis://h:1', 'b']} | servers[1] | b | upstream b would be a part of itself
          {distribution: ketama, servers: ['p']}        | servers[0] | p | upstream p is the proxies h:8, which cannot be a part of another one
          {distribution: ketama, servers: ['r']}        | servers[0] | r | upstream r is only for reads
          {distribution: ketama, servers: ['redis-cluster://h:1']} | servers[0] | redis-cluster://h:1 | the URL of a shard names a single server
          {distribution: ketama, servers: ['redis://h:1?weight=0']} | servers[0] | redis://h:1?weight=0 | its weight is '0', not a number from 1
          {distribution: ketama, servers: ['redis://h:1?wieght=2']} | servers[0] | redis://h:1?*** | a parameter after its ? does not exist
          {distribution: ketama, servers: ['redis://h:1?name=']} | servers[0] | redis://h:1?name= | its name is empty
          {distribution: dynomite, servers: ['redis://h:1?token=x']} | servers[0] | redis://h:1?*** | its token is not a number
          {distribution: dynomite, servers: ['redis://h:1']} | servers[0] | redis://h:1 | it has no token
          {distribution: ketama, servers: [{to: 'redis://h:1?name=a', name: b}]} | servers[0].to | redis://h:1?name=a | name is in the URL and beside it
          {distribution: ketama, servers: [{to: 'redis://h:1?weight=2', weight: 2}]} | servers[0].to | redis://h:1?weight=2 | weight is in the URL
          {distribution: ketama, servers: [{name: b}]}  | servers[0].to | - | it is not set
          {distribution: ketama, servers: [{to: 'redis://h:1', wieght: 2}]} | servers[0].wieght | - | there is no such key
          {distribution: ketama, servers: [{to: 'redis://h:1', weight: 0}]} | servers[0].weight | 0 | must be from 1 to 1000000
          {distribution: ketama, servers: [{to: 'redis://h:1', token: [x]}]} | servers[0].token[0] | x | failed to convert java.lang.String to
          {distribution: ketama, servers: [{to: ['c', 'redis://h:2']}]} | servers[0].to | - | a list names a master and its replicas by their URLs, and c is none
          {distribution: ketama, servers: [{to: ['redis://h:1', 'c']}]} | servers[0].to | - | a replica is not a URL
          {distribution: ketama, servers: [{to: ['redis://h:1', 'redis://h:1']}]} | servers[0].to | - | h:1 is listed twice
          {distribution: ketama, servers: [{to: ['redis://h:1', 'redis://h:2?db=1']}]} | servers[0].to | - | replica h:2 has another user, password or database than its master h:1
          {distribution: ketama, servers: [{to: ['redis://h:1', 'redis://h:2']}, 'redis://h:2']} | servers[1] | redis://h:2 | penstock.upstreams.b.shards.servers[0].to is the same server
          {distribution: ketama, servers: [['redis://h:1', 'redis://h:2']]} | servers[0][0] | - | a list of a master and its replicas is not a server
          {distribution: ketama, servers: ['redis://h:1', 'redis://h:1?name=b']} | servers[1] | redis://h:1?name=b | penstock.upstreams.b.shards.servers[0] is the same server
          {distribution: ketama, servers: ['redis://h:7', 'c']} | servers[1] | c | penstock.upstreams.b.shards.servers[0] is the same server
          {distribution: ketama, servers: ['redis://h:1?name=b', 'redis://h:2?name=b']} | servers[1] | redis://h:2?name=b | servers[0] is named b too
          {distribution: ketama, servers: ['redis://h:1?db=1', 'redis://h:2?db=2']} | servers[1] | redis://h:2?db=2 | its database is 2, and that of penstock.upstreams.b.shards.servers[0] is 1
          {distribution: ketama, servers: ['redis://h:1?db=1', 'c']} | servers[1] | c | its database is 0, and that of
          {distribution: ketama, hash: sha1, servers: ['redis://h:1']} | hash | sha1 | ketama has no hash sha1
          {distribution: ketama, hash-tag: '{', servers: ['redis://h:1']} | hash-tag | { | it does not have two characters
          {distribution: rmux, servers: ['redis://h:1?weight=2']} | servers[0] | redis://h:1?weight=2 | rmux has no weights
          {distribution: ketama, servers: ['redis://h:1'], slots: [{range: 0-1, to: 'redis://h:2'}]} | slots | - | ketama computes the places of keys
          {distribution: codis, servers: ['redis://h:1']} | slots | - | codis needs to know which slots
          {distribution: codis, slots: [{range: 0-1023, to: ''}]} | slots[0].to | | it is not set
          {distribution: codis, slots: [{range: 0-1023}]} | slots[0].to | - | it is not set
          {distribution: codis, slots: [{to: 'redis://h:1'}]} | slots[0].range | - | neither range nor list is set
          {distribution: codis, slots: [{range: 0-1, list: [2], to: 'redis://h:1'}]} | slots[0].range | 0-1 | range and list are both set
          {distribution: codis, slots: [{range: all, to: 'redis://h:1'}]} | slots[0].range | all | it is not a range
          {distribution: codis, slots: [{range: 5-1, to: 'redis://h:1'}]} | slots[0].range | 5-1 | it ends before it begins
          {distribution: codis, slots: [{range: 0-1024, to: 'redis://h:1'}]} | slots[0].range | 0-1024 | there is no slot 1024
          {distribution: codis, slots: [{range: 0-1000, to: 'redis://h:1'}]} | slots | - | slots 1001-1023 belong to no shard
          {distribution: codis, slots: [{range: 0-600, to: 'redis://h:1'}, {range: 600-1023, to: c}]} | slots[1].range | 600-1023 | slot 600 belongs to slots[0] already
          {distribution: codis, slots: ['redis://h:1']} | slots[0] | redis://h:1 | it is not a section of keys
          {distribution: camellia, slots: [{list: [0, x], to: 'redis://h:1'}]} | slots[0].list[1] | x | failed to convert java.lang.String to
          {distribution: camellia, slots: [{list: [0], to: 'redis://h:1?weight=2'}]} | slots[0].to | redis://h:1?weight=2 | redis:// has no parameter weight
          {distribution: camellia, slots: [{list: [0], to: 'redis://h:1'}, {list: [1], to: 'redis://:s3cret@h:1'}]} | slots[1].to | redis://***@h:1 | penstock.upstreams.b.shards.slots[0].to is the same server
          {distribution: codis, auto-eject: {failures: 1}, slots: [{range: 0-1023, to: c}]} | auto-eject.failures | 1 | codis does not say where
          {distribution: ketama, auto-eject: {retry: 1s}, servers: [c]} | auto-eject.retry | 1s | c is not a single server
          {distribution: ketama, auto-eject: {failures: 0}, servers: ['redis://h:1']} | auto-eject.failures | 0 | must be from 1
          {distribution: ketama, auto-eject: {retry: 30}, servers: ['redis://h:1']} | auto-eject.retry | 30 | it has no unit
          {distribution: ketama, auto-eject: true, servers: ['redis://h:1']} | auto-eject | - | it has keys below it
          {distribution: ketama, hold: maybe, servers: ['redis://h:1']} | hold | maybe | failed to convert java.lang.String to
          {distribution: ketama, servers: [{to: 'redis://h:1', weight: 'redis://u:s3cret@h:1'}]} | servers[0].weight | redis://***@h:1 | it is not a value of this kind
          """)
  void reportsWhatIsWrongAndWhere(
      String shards, String key, @Nullable String value, String reason) {
    ConfigurationFault fault =
        faultOf(
            """
            penstock:
              upstreams: { b: { shards: %s }, c: "redis-cluster://h:7", p: "redis-proxies://h:8", r: "redis-cluster-slaves://h:9" }
              listeners: { l: { port: 1, upstream: b } }
            """
                .formatted(shards));

    assertThat(fault.key())
        .isEqualTo("penstock.upstreams.b.shards" + (key.isEmpty() ? "" : "." + key));
    assertThat(fault.value()).isEqualTo("-".equals(value) ? null : value == null ? "" : value);
    assertThat(fault.reason()).startsWith(reason);
    assertThat(fault.fix()).isNotBlank();
    assertThat(fault.toString()).doesNotContain("s3cret");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          shards: {distribution: ketama}                       | shards.distribution | only an upstream with a name has shards
          transpond: {shards: {distribution: ketama}}          | transpond.shards.distribution | only an upstream with a name has shards
          transpond: {local: {shards: {servers: ['redis://h:1']}}} | transpond.local.shards.servers[0] | only an upstream with a name has shards
          upstreams: {b: {shards: x}}                          | upstreams.b.shards | it has keys below it, and no value
          upstreams: {b: {resource: 'redis://h:1', shards: {hold: true}}} | upstreams.b.resource | this upstream has shards too
          upstreams: {b: {read-from: replica, shards: {distribution: ketama, servers: ['redis://h:1']}}} | upstreams.b.read-from | Penstock knows no replicas of this upstream
          """)
  void reportsShardsInAWrongPlace(String keys, String key, String reason) {
    ConfigurationFault fault = faultOf("penstock: {%s}".formatted(keys));

    assertThat(fault.key()).isEqualTo("penstock." + key);
    assertThat(fault.reason()).startsWith(reason);
    assertThat(fault.fix()).isNotBlank();
  }

  @Test
  void aMisspeltKeyOfAServerIsReportedWithTheRightOne() {
    assertThat(
            faultOf("penstock: {upstreams: {b: {shards: {servers: [a, {to: x, wieght: 2}]}}}}")
                .fix())
        .isEqualTo("write penstock.upstreams.b.shards.servers[1].weight, or remove it");
    assertThat(faultOf("penstock: {upstreams: {b: {shards: {hash-tags: x}}}}").fix())
        .isEqualTo("write penstock.upstreams.b.shards.hash-tag, or remove it");
  }

  @Test
  void aGapInAListIsReportedWithoutValues() {
    List<PropertySource<?>> sources =
        List.of(
            new MapPropertySource(
                "gap", Map.of("penstock.upstreams.b.shards.servers[2]", "redis://:s3cret@h:3")),
            yaml("penstock: {upstreams: {b: {shards: {distribution: modula}}}}"));

    ConfigurationFault fault = Faults.of(() -> map(sources));

    assertThat(fault.key()).isEqualTo("penstock.upstreams.b.shards.servers");
    assertThat(fault.reason()).startsWith("an element of the list is missing");
    assertThat(fault.toString()).doesNotContain("s3cret");
  }

  @Test
  void anElementOfAListIsReportedWithItsPlace() {
    assertThat(
            faultOf("penstock: {upstreams: {b: {shards: {distribution: modula, servers: ['q']}}}}")
                .origin())
        .contains("1:");
  }

  @ParameterizedTest
  @ValueSource(strings = {"read-from: any", "cross-slot: emulate"})
  void settingsOfAPartThatDoNotConcernItAreLogged(String setting, CapturedOutput output) {
    String whole =
        "w: {backend: {command-timeout: 9s}, shards: {distribution: modula, servers: [%s]}}";
    String part = "penstock: {listeners: {l: {port: 1, upstream: w}}, upstreams: {%s, p: %s}}";
    map(part.formatted(whole.formatted("p"), "'redis://h:1'"));
    assertThat(output).doesNotContain("do not concern");

    map(part.formatted(whole.formatted("p"), "{resource: 'redis-cluster://h:1', " + setting + "}"));
    assertThat(output)
        .containsOnlyOnce(
            "backend, topology, reads and cross-slot of upstream p do not concern it as a part of"
                + " upstream w: the settings of w do");
  }

  @Test
  void theDefaultForReadsDoesNotConcernShards() {
    ProxySettings settings =
        map(
            """
            penstock:
              reads: { from: replica }
              upstreams: { x: { shards: { distribution: modula, servers: [ "redis://h:1" ] } } }
            """);

    assertThat(settings.respUpstream("x").reads().from()).isEqualTo(ReadFrom.MASTER);
  }

  @Test
  void theExampleIsValid() throws IOException {
    ProxySettings settings = map(Files.readString(EXAMPLE));

    assertThat(settings.respUpstreams())
        .filteredOn(each -> each.kind() instanceof ShardsUpstreamSettings)
        .extracting(ProxySettings.Upstream::name)
        .containsExactly("cache", "old-codis", "buckets");
  }

  @Test
  void showsNoPassword() {
    PropertiesReader reader = new PropertiesReader(environment(List.of(yaml(THREE))));
    PenstockProperties.Shards shards =
        Objects.requireNonNull(read(reader).upstreams().values().iterator().next().shards());

    assertThat(List.of(shards, shards.servers(), shards.slots()).toString())
        .doesNotContain("redis:");
    assertThat(map(THREE).respUpstreams())
        .allSatisfy(each -> assertThat(each.kind().description()).doesNotContain("s3cret"));
  }

  private static ShardsUpstreamSettings of(String keys, String x) {
    ProxySettings settings =
        map(
            """
            penstock:
              upstreams: { b: { shards: { %s } }, x: "%s" }
              listeners: { l: { port: 1, upstream: b } }
            """
                .formatted(keys, x));
    return shards(settings, "b");
  }

  private static ShardsUpstreamSettings shards(ProxySettings settings, String upstream) {
    return (ShardsUpstreamSettings) settings.respUpstream(upstream).kind();
  }

  private static ConfigurationFault faultOf(String file) {
    return Faults.of(() -> map(file));
  }

  private static ProxySettings map(String file) {
    return map(List.of(yaml(file)));
  }

  private static ProxySettings map(List<PropertySource<?>> sources) {
    PropertiesReader reader = new PropertiesReader(environment(sources));
    return new SettingsMapping(reader).map(read(reader), null);
  }
}
