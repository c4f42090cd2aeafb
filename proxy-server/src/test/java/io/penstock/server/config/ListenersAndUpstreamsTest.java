package io.penstock.server.config;

import static io.penstock.server.config.ConfigurationSources.read;
import static io.penstock.server.config.ConfigurationSources.yaml;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.cluster.ClusterFacade;
import io.penstock.core.listener.ListenAddress;
import io.penstock.core.listener.ListenAddress.Permissions;
import io.penstock.core.route.CrossSlot;
import io.penstock.core.topology.SingleUpstreamSettings;
import io.penstock.core.transport.Transport;
import io.penstock.core.upstream.Balance;
import io.penstock.core.upstream.Credentials;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ReadFrom;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.core.upstream.Zones;
import io.penstock.server.mapping.MissingResourceException;
import io.penstock.server.mapping.SettingsMapping;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

/**
 * {@code penstock.listeners} and {@code penstock.upstreams}, from a file to the core's settings.
 */
@ExtendWith(OutputCaptureExtension.class)
class ListenersAndUpstreamsTest {

  private static final String TWO =
      """
      penstock:
        max-clients: 500
        backend:
          command-timeout: 3s
        listeners:
          main: { port: 6380, upstream: orders }
          second:
            port: 6381
            upstream: sessions
            password: other
            max-clients: 7
        upstreams:
          orders:
            resource: "redis-cluster://app:secret@10.0.0.1:7000,10.0.0.2:7000"
            read-from: replica-preferred
            backend:
              connect-timeout: 4s
          sessions: "redis-sentinel://:secret@10.0.0.3:26379,10.0.0.4:26379/mymaster?db=2"
      """;

  @Test
  void listenersAndUpstreamsAreReadInTheirOrder() {
    ProxySettings settings = map(TWO);

    assertThat(settings.listeners())
        .extracting(ProxySettings.Listener::name, ProxySettings.Listener::upstream)
        .containsExactly(tuple("main", "orders"), tuple("second", "sessions"));
    assertThat(settings.respUpstreams())
        .extracting(ProxySettings.Upstream.Resp::name, upstream -> upstream.kind().description())
        .containsExactly(
            tuple("orders", "the Redis Cluster of 10.0.0.1:7000, 10.0.0.2:7000"),
            tuple(
                "sessions",
                "the master mymaster of the sentinels 10.0.0.3:26379, 10.0.0.4:26379,"
                    + " database 2"));
  }

  @Test
  void theExampleOfTheReadmeIsValid() throws IOException {
    String readme = Files.readString(Path.of("../README.md"));
    String begin = "```yaml\n";
    int from = readme.indexOf(begin) + begin.length();

    ProxySettings settings = map(readme.substring(from, readme.indexOf("```", from)));

    assertThat(settings.listeners())
        .extracting(ProxySettings.Listener::upstream)
        .containsExactly("orders", "sessions", "cache");
    assertThat(settings.respUpstreams())
        .extracting(upstream -> upstream.kind().description())
        .containsExactly(
            "the Redis Cluster of 10.0.0.1:7000, 10.0.0.2:7000",
            "the master sessions of the sentinels 10.0.1.1:26379, 10.0.1.2:26379",
            "2 shards by ketama: 10.0.2.1:6379; 10.0.2.2:6379");
  }

  private static org.assertj.core.groups.Tuple tuple(Object... values) {
    return org.assertj.core.groups.Tuple.tuple(values);
  }

  @Test
  void aListenerOverridesWhatIsSetForAll() {
    List<ProxySettings.Listener> listeners = map(TWO).listeners();

    assertThat(listeners).extracting(listener -> tcp(listener).port()).containsExactly(6380, 6381);
    assertThat(listeners)
        .extracting(listener -> listener.listen().maxClients())
        .containsExactly(500, 7);
    assertThat(listeners)
        .extracting(listener -> listener.listen().password())
        .containsExactly(null, "other");
    assertThat(listeners)
        .extracting(listener -> tcp(listener).hosts())
        .containsOnly(List.of("0.0.0.0"));
  }

  private static ListenAddress.Tcp tcp(ProxySettings.Listener listener) {
    return (ListenAddress.Tcp) listener.listen().address();
  }

  @Test
  void aListenerMayBeAUnixSocket() {
    assertThat(
            map("""
            penstock:
              listeners:
                plain: { path: /run/plain.sock }
                guarded: { path: /run/guarded.sock, mode: "0660", owner: "0:0" }
                grouped: { path: /run/grouped.sock, owner: ":0" }
                port: { port: 1 }
              upstreams: { a: "redis://h:1" }
            """)
                .listeners())
        .extracting(listener -> listener.listen().address())
        .containsExactly(
            new ListenAddress.Unix("/run/plain.sock"),
            new ListenAddress.Unix("/run/guarded.sock", new Permissions(0660, "0", "0")),
            new ListenAddress.Unix("/run/grouped.sock", new Permissions(null, null, "0")),
            new ListenAddress.Tcp("0.0.0.0", 1));
    assertThat(map("penstock: {path: /a, mode: '0600', upstreams: {a: 'redis://h:1'}}").listeners())
        .extracting(listener -> listener.listen().address())
        .containsExactly(new ListenAddress.Unix("/a", new Permissions(0600, null, null)));
  }

  @Test
  void aPathThatIsTooLongIsRejectedBeforeTheStart() {
    String path = "/" + "x".repeat(ListenAddress.Unix.MAX_PATH_BYTES);

    assertThat(faultOf("penstock: {path: " + path + ", upstreams: {a: 'redis://h:1'}}").reason())
        .isEqualTo(
            "it has %d bytes, and the longest possible name has %d"
                .formatted(path.length(), path.length() - 1));
  }

  @Test
  void keysOfTheDefaultListenerConflictToo() {
    String upstreams = ", upstreams: {a: 'redis://h:1'}}";

    assertThat(faultOf("penstock: {path: /a, port: 6380" + upstreams))
        .extracting(ConfigurationFault::key, ConfigurationFault::reason)
        .containsExactly(
            "penstock.path",
            "penstock.port is set too, and a listener is either a TCP port or a Unix socket");
    assertThat(faultOf("penstock: {mode: '0600'" + upstreams).key()).isEqualTo("penstock.mode");
    assertThat(faultOf("penstock: {path: /a, listeners: {m: {port: 1}}" + upstreams))
        .extracting(ConfigurationFault::key, ConfigurationFault::fix)
        .containsExactly("penstock.path", "move it to penstock.listeners.m.path, or remove it");
  }

  @Test
  void anEncryptedUnixSocketNeedsTheNameOfTheServer() {
    String file = "penstock: {upstreams: {a: {resource: 'rediss-uds:///a', tls: {%s}}}}";

    assertThat(faultOf(file.formatted("")))
        .extracting(ConfigurationFault::key, ConfigurationFault::reason)
        .containsExactly(
            "penstock.upstreams.a.tls.server-name",
            "it is not set, and a Unix socket has no host name that a certificate could be for");
    assertThat(map(file.formatted("verify: ca")).respUpstreams()).hasSize(1);
    assertThat(map(file.formatted("server-name: redis.example")).respUpstreams()).hasSize(1);
  }

  @Test
  void unixSocketsMayBeShards() {
    String file =
        """
        penstock:
          transport: %s
          upstreams:
            near: "redis-uds:///run/near.sock?db=1"
            all:
              shards:
                distribution: modula
                servers: [ "redis-uds:///run/a.sock?db=1&weight=2", near, "redis-uds://%%40b?db=1" ]
          listeners: { m: { port: 1, upstream: all } }
        """;

    if (Transport.EPOLL.unavailability() == null) {
      assertThat(map(file.formatted("epoll")).respUpstream("all").kind().addresses())
          .extracting(Endpoint::toString)
          .containsExactly("/run/a.sock", "/run/near.sock", "@b");
      assertThat(faultOf(file.formatted("nio")))
          .extracting(ConfigurationFault::key, ConfigurationFault::reason)
          .containsExactly(
              "penstock.upstreams.all.shards.distribution",
              "abstract names of Unix sockets need Linux and transport epoll or io_uring");
    }
  }

  @Test
  void anAbstractNameNeedsATransportThatHasThem() {
    String file =
        "penstock: {transport: %s, listeners: {m: {path: '@m'}}, upstreams: {a: 'redis://h:1'}}";

    assertThat(faultOf(file.formatted("nio")).reason())
        .isEqualTo("abstract names need Linux and transport epoll or io_uring");
    if (Transport.EPOLL.unavailability() == null) {
      assertThat(map(file.formatted("epoll")).listeners().getFirst().listen().address())
          .isEqualTo(new ListenAddress.Unix("@m"));
    }
  }

  @Test
  void aListenerMayHaveSeveralAddresses() {
    assertThat(
            map("""
            penstock:
              listeners:
                one: { port: 1, bind: [ 127.0.0.1, "::1" ] }
                two: { port: 1, bind: "127.0.0.2, 127.0.0.3" }
              upstreams: { a: "redis://h:1" }
            """)
                .listeners())
        .extracting(listener -> listener.listen().address())
        .containsExactly(
            new ListenAddress.Tcp(List.of("127.0.0.1", "::1"), 1),
            new ListenAddress.Tcp(List.of("127.0.0.2", "127.0.0.3"), 1));
    assertThat(map("penstock: {bind: [a, b], port: 2, upstreams: {a: 'redis://h:1'}}").listeners())
        .extracting(listener -> listener.listen().address())
        .containsExactly(new ListenAddress.Tcp(List.of("a", "b"), 2));
  }

  @Test
  void anUpstreamOverridesWhatIsSetForAll() {
    List<ProxySettings.Upstream.Resp> upstreams = map(TWO).respUpstreams();

    assertThat(upstreams)
        .extracting(upstream -> upstream.backend().commandTimeout())
        .containsOnly(Duration.ofSeconds(3));
    assertThat(upstreams)
        .extracting(upstream -> upstream.backend().connectTimeout())
        .containsExactly(Duration.ofSeconds(4), Duration.ofSeconds(1));
    assertThat(upstreams)
        .extracting(upstream -> upstream.reads().from())
        .containsExactly(ReadFrom.REPLICA_PREFERRED, ReadFrom.MASTER);
    assertThat(upstreams.getFirst().kind().access().credentials())
        .isEqualTo(new Credentials("app", "secret"));
  }

  @Test
  void commandsOverSlotsAreAsTheListenerSaysOrItsUpstreamOrAll() {
    ProxySettings settings =
        map(
            """
            penstock:
              cross-slot: report
              listeners:
                a: { port: 1, upstream: x }
                b: { port: 2, upstream: y }
                c: { port: 3, upstream: y, cross-slot: reject }
              upstreams:
                x: "redis-cluster://h:1"
                y: { resource: "redis-cluster://h:2", cross-slot: emulate }
            """);

    assertThat(settings.listeners())
        .extracting(listener -> listener.listen().crossSlot().mode())
        .containsExactly(CrossSlot.REPORT, CrossSlot.EMULATE, CrossSlot.REJECT);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          cross-slot: report, transpond: {local: {resource: 'redis-cluster://h:1'}}                    | REPORT
          cross-slot: report, upstreams: {x: {resource: 'redis-cluster://h:1', cross-slot: emulate}}   | EMULATE
          cross-slot: report, upstreams: {x: {resource: 'redis-cluster://h:1', cross-slot: reject}}    | REJECT
          upstreams: {x: 'redis-cluster://h:1'}                                                        | REJECT
          """)
  void theOnlyListenerDoesWhatItsUpstreamSays(String keys, CrossSlot mode) {
    ProxySettings settings = map("penstock: {%s}".formatted(keys));

    assertThat(settings.listeners().getFirst().listen().crossSlot().mode()).isEqualTo(mode);
  }

  @Test
  void readsAreMappedWithTheirZones() {
    ReadSettings expected =
        new ReadSettings(
            ReadFrom.ANY,
            Balance.LEAST_IN_FLIGHT,
            new Zones("a", Map.of("h:1", "a", "::1:2", "b")),
            1 << 20,
            Duration.ofSeconds(3),
            false);
    for (String keys :
        List.of(
            "reads: {from: any, balance: least-in-flight, zone: a, zones: ['h:1=a', '[::1]:2=b'],"
                + " max-replica-lag: 1MB, read-your-writes: 3s}",
            "read-from: any, read-balance: least-in-flight, zone: a, zones: ['h:1=a', '[::1]:2=b'],"
                + " max-replica-lag: 1MB, read-your-writes: 3s")) {
      ReadSettings reads =
          map("penstock: {upstreams: {x: {resource: 'redis-cluster://h:1', " + keys + "}}}")
              .respUpstreams()
              .getFirst()
              .reads();

      assertThat(reads).isEqualTo(expectedWith(expected, reads));
    }
  }

  /** The text of an IPv6 address is that of {@link Endpoint}. */
  private static ReadSettings expectedWith(ReadSettings expected, ReadSettings reads) {
    assertThat(reads.zones().byAddress())
        .isEqualTo(Map.of("h:1", "a", new Endpoint("::1", 2).toString(), "b"));
    return new ReadSettings(
        expected.from(),
        expected.balance(),
        reads.zones(),
        expected.maxLagBytes(),
        expected.readYourWrites(),
        expected.readOnly());
  }

  @ParameterizedTest
  @CsvSource({
    "redis-cluster-slaves://h:1, REPLICA",
    "redis-sentinel-slaves://h:1/m?withMaster=true, ANY"
  })
  void anUpstreamOfSlavesServesOnlyReads(String url, ReadFrom from) {
    ReadSettings reads =
        map("penstock: {upstreams: {x: '" + url + "'}}").respUpstreams().getFirst().reads();

    assertThat(reads.from()).isEqualTo(from);
    assertThat(reads.readOnly()).isTrue();
  }

  @Test
  void theDefaultForReadsConcernsOnlyUpstreamsWithReplicas() {
    ProxySettings settings =
        map(
            """
            penstock:
              reads: { from: replica }
              listeners: { l: { port: 0, upstream: a } }
              upstreams: { a: "redis-cluster://h:1", b: "redis://h:1" }
            """);

    assertThat(settings.respUpstreams())
        .extracting(upstream -> upstream.reads().from())
        .containsExactly(ReadFrom.REPLICA, ReadFrom.MASTER);
  }

  @Test
  void transpondIsTheUpstreamDefault() {
    ProxySettings settings =
        map(
            """
            penstock:
              listeners:
                one: { port: 1 }
                two: { port: 2, upstream: other }
              transpond: { local: { resource: "redis://h:1" } }
              upstreams: { other: "redis://h:2" }
            """);

    assertThat(settings.listeners())
        .extracting(ProxySettings.Listener::upstream)
        .containsExactly("default", "other");
    assertThat(settings.respUpstream("default").kind())
        .isEqualTo(new SingleUpstreamSettings(new Endpoint("h", 1), null, 0));
  }

  @Test
  void aListenerWithoutUpstreamServesTheOnlyOne() {
    ProxySettings settings =
        map("penstock: {port: 7, password: p, upstreams: {sessions: 'redis://h:1'}}");

    assertThat(settings.listeners())
        .extracting(ProxySettings.Listener::name, ProxySettings.Listener::upstream)
        .containsExactly(tuple("default", "sessions"));
    assertThat(settings.listeners().getFirst().listen().password()).isEqualTo("p");
  }

  @Test
  void theDemosResourceReplacesThatOfTheUpstreamDefault() {
    ProxySettings settings =
        map("penstock: {upstreams: {default: 'redis://h:1', b: 'redis://h:2'}}", "redis://demo:1");

    assertThat(settings.respUpstreams())
        .extracting(upstream -> upstream.kind().description())
        .containsExactly("demo:1", "h:2");
  }

  @Test
  void eachListenerHasItsOwnFacade() {
    List<ProxySettings.Listener> listeners =
        map("""
        penstock:
          listeners:
            one: { port: 1, cluster-facade: { enabled: true, announce-port: 11 } }
            two: { port: 2 }
          upstreams: { a: "redis-cluster://h:1" }
        """)
            .listeners();

    assertThat(listeners)
        .extracting(ProxySettings.Listener::facade)
        .containsExactly(new ClusterFacade(List.of(), null, 11), null);
  }

  @Test
  void environmentVariablesDefineAndOverride() {
    Map<String, Object> variables =
        Map.of(
            "PENSTOCK_LISTENERS_MAIN_PORT", "5",
            "PENSTOCK_LISTENERS_MAIN_MAX_CLIENTS", "6",
            "PENSTOCK_UPSTREAMS_ORDERS", "redis://h:1",
            "PENSTOCK_UPSTREAMS_MY_CACHE_BACKEND_COMMAND_TIMEOUT", "9s",
            "PENSTOCK_LISTENERS_SERVICE_HOST", "10.0.0.1",
            "PENSTOCK_UPSTREAMS_PORT", "tcp://10.0.0.1:6380",
            "PENSTOCK_UPSTREAMS_PORT_6380_TCP_ADDR", "10.0.0.1");
    String file =
        "penstock: {listeners: {main: {upstream: orders}}, upstreams: {my-cache: 'redis://h:2'}}";

    ProxySettings settings =
        map(
            List.of(
                new SystemEnvironmentPropertySource(
                    StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables),
                yaml(file)),
            null);

    assertThat(settings.listeners())
        .extracting(
            ProxySettings.Listener::name,
            listener -> tcp(listener).port(),
            listener -> listener.listen().maxClients())
        .containsExactly(tuple("main", 5, 6));
    assertThat(settings.respUpstreams())
        .extracting(
            ProxySettings.Upstream.Resp::name,
            upstream -> upstream.kind().description(),
            upstream -> upstream.backend().commandTimeout())
        .containsExactlyInAnyOrder(
            tuple("orders", "h:1", Duration.ofSeconds(2)),
            tuple("my-cache", "h:2", Duration.ofSeconds(9)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          listeners: {m: {port: 70000}}              | listeners.m.port | 70000 | must be from 0 to 65535
          listeners: {m: {port: many}}               | listeners.m.port | many | failed to convert java.lang.String to
          listeners: {m: {bind: h}}                  | listeners.m.port | - | it is not set
          listeners: {m: {port: 1, pasword: x}}      | listeners.m.pasword | - | there is no such key
          listeners: {m: {port: 1, client-timeout: {idle: 5}}} | listeners.m.client-timeout.idle | 5 | it has no unit
          listeners: {m: }                           | listeners.m | - | it has keys below it, and no value
          listeners: {m: 5}                          | listeners.m | - | it has keys below it, and no value
          listeners: {m: {port: 1, upstream: b}}     | listeners.m.upstream | b | there is no such upstream
          listeners: {m: {port: 1}, n: {port: 1}}    | listeners.n.port | 1 | the listener m has this port too
          listeners: {m: {port: 1, bind: [a, b]}, n: {port: 1, bind: [c, b]}} | listeners.n.port | 1 | the listener m has this port too, on b:1
          listeners: {m: {port: 1, bind: [a, b]}, n: {port: 1}} | listeners.n.port | 1 | the listener m has this port too, on a:1
          listeners: {m: {port: 1, bind: [a, a]}}    | listeners.m.bind | - | a is listed twice
          listeners: {m: {port: 1, bind: [a, '::']}} | listeners.m.bind | - | a and :: overlap
          listeners: {m: {port: 1, bind: []}}        | listeners.m.bind | | must not be empty
          listeners: {m: {port: 1, bind: [a, '']}}   | listeners.m.bind | - | must not be empty
          listeners: {m: {port: 1, bind: a b}}       | listeners.m.bind | a b | it has a space
          listeners: {m: {port: 1, path: /a}}        | listeners.m.path | /a | penstock.listeners.m.port is set too
          listeners: {m: {bind: [a, b], path: /a}}   | listeners.m.path | /a | penstock.listeners.m.bind is set too
          listeners: {m: {path: a}}                  | listeners.m.path | a | it is neither an absolute path nor @ and a name
          listeners: {m: {path: ''}}                 | listeners.m.path | | must not be empty
          listeners: {m: {path: /run/}}              | listeners.m.path | /run/ | it is the path of a folder
          listeners: {m: {path: /a, mode: 0660}}     | listeners.m.mode | 432 | it is not a zero and three octal digits
          listeners: {m: {path: /a, mode: '660'}}    | listeners.m.mode | 660 | it is not a zero and three octal digits
          listeners: {m: {path: /a, mode: '0680'}}   | listeners.m.mode | 0680 | it is not a zero and three octal digits
          listeners: {m: {port: 1, mode: '0660'}}    | listeners.m.mode | 0660 | it is for the file of a Unix socket
          listeners: {m: {port: 1, owner: root}}     | listeners.m.owner | root | it is for the file of a Unix socket
          listeners: {m: {path: /a, owner: no-such-user}} | listeners.m.owner | no-such-user | this machine has no user no-such-user
          listeners: {m: {path: /a, owner: ':no-such-group'}} | listeners.m.owner | :no-such-group | this machine has no group no-such-group
          listeners: {m: {path: /a, owner: ':'}}     | listeners.m.owner | : | it names nobody
          listeners: {m: {path: /a}, n: {path: /a}}  | listeners.n.path | /a | the listener m has this path too
          listeners: {m: {path: /a}, n: {path: /b/../a}} | listeners.n.path | /b/../a | the listener m has this path too
          listeners: {m: {path: /a, cluster-facade: {enabled: true}}} | listeners.m.cluster-facade.enabled | true | clients of a cluster connect to hosts and ports
          listeners: {m: {path: /a, proxy-protocol: {from: 10.0.0.1}}} | listeners.m.proxy-protocol.from | 10.0.0.1 | clients of the Unix socket /a have no IP address
          listeners: {m: {port: 1, password: ''}}    | listeners.m.password | | must not be empty
          listeners: [{port: 1}]                     | listeners[0] | - | penstock.listeners is not a list
          listeners: {m_n: {port: 1}}                | listeners.m_n | - | 'm_n' is not a name
          listeners: {a-b: {port: 1}, ab: {port: 2}} | listeners.a-b | - | the names a-b and ab differ only
          listeners: {m: {port: 1}}, password: s3cret | password | *** | it describes the listener default
          listeners: {m: {port: 1}}, port: 5         | port | 5 | it describes the listener default
          listeners: {m: {port: 1}}, cluster-facade: {enabled: true} | cluster-facade.enabled | true | it describes the
          max-clients: 0, listeners: {m: {port: 1}}  | max-clients | 0 | must be at least 1
          listeners: {m: {port: 1, max-clients: 0}}  | listeners.m.max-clients | 0 | must be at least 1
          backend: {command-timeout: 0s}, upstreams: {b: 'redis://h:1'} | backend.command-timeout | 0s | must be from 1ms
          upstreams: {b: 'redis://u:s3cret@h'}       | upstreams.b | redis://***@h | h has no port
          upstreams: {b: 'redis-sentinel://h:1/m?sentinelPassword=s3cret&x=1'} | upstreams.b | redis-sentinel://h:1/m?*** | a parameter after
          upstreams: {b: {resource: 'redis://u:s3cret@h'}} | upstreams.b.resource | redis://***@h | h has no port
          upstreams: {b: {read-from: master}}        | upstreams.b.resource | - | it is not set
          upstreams: {b: ''}                         | upstreams.b | | it is not set
          upstreams: {default: 'redis://h:2'}        | upstreams.default | redis://h:2 | penstock.transpond.local.resource is
          upstreams: {b: {resource: 'redis-cluster://h:1', read-from: slave}} | upstreams.b.read-from | slave | failed to convert java.lang.String to
          upstreams: {b: {resource: 'redis://h:1', read-from: replica}} | upstreams.b.read-from | replica | Penstock knows no replicas
          upstreams: {b: {resource: 'redis-cluster://h:1', zones: 'h:1'}} | upstreams.b.zones | h:1 | 'h:1' has no zone
          upstreams: {b: {resource: 'redis-cluster://h:1', zones: 'h=a'}} | upstreams.b.zones | h=a | h has no port
          upstreams: {b: {resource: 'redis-cluster-slaves://h:1', read-from: any}} | upstreams.b.read-from | any | the URL decides
          upstreams: {b: {resource: 'redis-cluster://h:1', read-from: any, reads: {from: replica}}} | upstreams.b.read-from | any | it is another name of penstock.upstreams.b.reads.from
          upstreams: {b: {resource: 'redis-cluster://h:1', zones: ['h:1=a', 'h=a']}} | upstreams.b.zones | - | h has no port
          upstreams: {b: {resource: 'redis://h:1', max-replica-lag: -1B}} | upstreams.b.max-replica-lag | -1B | must be at least 0
          """)
  void reportsWhatIsWrongAndWhere(String keys, String key, @Nullable String value, String reason) {
    String file = "penstock: {transpond: {local: {resource: 'redis://h:1'}}, %s}".formatted(keys);

    ConfigurationFault fault = faultOf(file);

    assertThat(fault.key()).isEqualTo("penstock." + key);
    assertThat(fault.value()).isEqualTo("-".equals(value) ? null : value == null ? "" : value);
    assertThat(fault.reason()).startsWith(reason);
    assertThat(fault.fix()).isNotBlank();
    assertThat(fault.toString()).doesNotContain("s3cret");
  }

  @Test
  void anUnknownUpstreamIsReportedWithThoseThatExist() {
    ConfigurationFault fault =
        faultOf(
            """
            penstock:
              listeners: { m: { port: 1, upstream: order } }
              upstreams: { orders: "redis://h:1", sessions: "redis://h:2" }
            """);

    assertThat(fault.fix()).isEqualTo("write one of orders, sessions");
  }

  @Test
  void severalUpstreamsNeedAChoice() {
    assertThat(faultOf("penstock: {upstreams: {a: 'redis://h:1', b: 'redis://h:2'}}").reason())
        .isEqualTo("there are several upstreams, and none is named default");
    assertThat(
            faultOf(
                    "penstock: {listeners: {m: {port: 1}}, upstreams: {a: 'redis://h:1', b:"
                        + " 'redis://h:2'}}")
                .key())
        .isEqualTo("penstock.listeners.m.upstream");
  }

  @Test
  void aMisspeltKeyOfAListenerIsReportedWithTheRightOne() {
    assertThat(faultOf("penstock: {listeners: {main: {prot: 1}}}").fix())
        .isEqualTo("write penstock.listeners.main.port, or remove it");
    assertThat(faultOf("penstock: {upstreams: {b: {command-timeout: 1s}}}").fix())
        .isEqualTo("write penstock.upstreams.b.backend.command-timeout, or remove it");
  }

  @Test
  void aMisspeltShortFormOrListIsReportedWithTheRightKey() {
    assertThat(faultOf("penstock: {upstreams: {b: {read-form: replica}}}").fix())
        .isEqualTo("write penstock.upstreams.b.read-from, or remove it");
    assertThat(faultOf("penstock: {comands: {deny: [keys]}}").fix())
        .isEqualTo("write penstock.commands.deny, or remove it");
  }

  @Test
  void anInvalidElementOfAListIsReportedWithItsPlace() {
    ConfigurationFault fault =
        faultOf("penstock: {upstreams: {b: {resource: 'redis-cluster://h:1', zones: ['h=a']}}}");

    assertThat(fault.origin()).contains("1:");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          upstreams: {b: {resource: 'redis-cluster://h:1', zone: z}} | penstock.upstreams.b.zone has no effect: reads go to the master unless penstock.upstreams.b.reads.from
          upstreams: {b: {resource: 'redis://h:1', max-replica-lag: 1MB}} | penstock.upstreams.b.max-replica-lag has no effect
          upstreams: {b: {resource: 'redis-cluster://h:1', read-from: any, zones: ['h:1=z']}} | penstock.upstreams.b.zones has no effect without
          upstreams: {b: {resource: 'redis://h:1', cross-slot: emulate}} | penstock.upstreams.b.cross-slot has no effect: all keys of upstream b are on one server
          listeners: {a: {port: 1, cross-slot: report}}, upstreams: {b: 'redis-sentinel://h:1/m'} | penstock.listeners.a.cross-slot has no effect
          transpond: {local: {resource: 'redis://h:1'}}, cross-slot: emulate | penstock.cross-slot has no effect
          transpond: {local: {resource: 'redis://h:1'}}, reads: {zone: z} | penstock.reads.zone has no effect: reads go to the master unless penstock.reads.from
          """)
  void aKeyWithoutEffectIsLogged(String keys, String line, CapturedOutput output) {
    map("penstock: {%s}".formatted(keys));

    assertThat(output).containsOnlyOnce(line);
  }

  @Test
  void aDefaultForSeveralUpstreamsIsNotLogged(CapturedOutput output) {
    map("penstock: {reads: {zone: z}, cross-slot: emulate, upstreams: {b: 'redis://h:1'}}");
    map("penstock: {upstreams: {b: {resource: 'redis-cluster://h:1', read-from: any, zone: z}}}");

    assertThat(output).doesNotContain("no effect");
  }

  @Test
  void aDefaultThatIsWrittenIsNotLogged(CapturedOutput output) {
    map(
        """
        penstock:
          transpond: {local: {resource: 'redis-cluster://h:1'}}
          reads: {from: master, balance: round-robin, read-your-writes: 1s}
        """);

    assertThat(output).doesNotContain("no effect");
  }

  @Test
  void thereMustBeAnUpstream() {
    assertThatExceptionOfType(MissingResourceException.class)
        .isThrownBy(() -> map("penstock: {listeners: {m: {port: 1}}}"));
  }

  @Test
  void listenersOfDifferentAddressesMayShareAPort() {
    assertThat(
            map("""
            penstock:
              listeners: { a: { port: 1, bind: 127.0.0.1 }, b: { port: 1, bind: 127.0.0.2 } }
              upstreams: { x: "redis://h:1" }
            """)
                .listeners())
        .hasSize(2);
    assertThat(
            faultOf(
                    """
                    penstock:
                      listeners: { a: { port: 1, bind: 127.0.0.1 }, b: { port: 1 } }
                      upstreams: { x: "redis://h:1" }
                    """)
                .key())
        .isEqualTo("penstock.listeners.b.port");
  }

  @ParameterizedTest
  @ValueSource(strings = {"listeners:", "upstreams:", "reads:"})
  void aSectionWithoutKeysIsIgnored(String section) {
    String file = "penstock:\n  transpond: {local: {resource: 'redis://h:1'}}\n  " + section;

    assertThat(map(file)).isEqualTo(map(file.replace(section, "")));
  }

  @Test
  void showsNoPassword() {
    PropertiesReader reader = new PropertiesReader(environment(List.of(yaml(TWO))));

    assertThat(read(reader).listeners().toString() + read(reader).upstreams())
        .doesNotContain("other")
        .doesNotContain("secret");
  }

  /** A wildcard address has all addresses of the machine; each of these is the listener's. */
  @ParameterizedTest
  @CsvSource({
    "0.0.0.0, redis://127.0.0.1:6380",
    "0.0.0.0, redis://127.1.2.3:6380",
    "0.0.0.0, redis://localhost:6380",
    "0.0.0.0, redis://0.0.0.0:6380",
    "'::', redis://127.0.0.1:6380",
    "'::', redis://[::1]:6380",
    "127.0.0.2, redis://127.0.0.2:6380",
    "localhost, redis://127.0.0.1:6380",
    "proxy.test, redis://Proxy.Test:6380",
    "0.0.0.0, 'redis-cluster://10.0.0.1:1,127.0.0.1:6380'",
    "0.0.0.0, 'redis-proxies://10.0.0.1:1,127.0.0.1:6380'",
    "0.0.0.0, 'redis-sentinel://10.0.0.1:1,127.0.0.1:6380/mymaster'"
  })
  void aListenerIsNotTheServerOfItsUpstream(String bind, String resource) {
    ConfigurationFault fault =
        faultOf(
            "penstock: {bind: '" + bind + "', transpond: {local: {resource: '" + resource + "'}}}");

    assertThat(fault.key()).isEqualTo("penstock.transpond.local.resource");
    assertThat(fault.reason())
        .endsWith(
            ":6380 is listener default of this Penstock, from which requests come back to this"
                + " upstream");
  }

  @ParameterizedTest
  @CsvSource({
    "0.0.0.0, redis://127.0.0.1:6379",
    "127.0.0.2, redis://127.0.0.1:6380",
    "0.0.0.0, redis://192.0.2.1:6380",
    "0.0.0.0, redis://[::1]:6380",
    "0.0.0.0, redis://other.test:6380",
    "0.0.0.0, 'redis-uds:///run/redis.sock'"
  })
  void otherAddressesMayBeServers(String bind, String resource) {
    assertThat(
            map("penstock: {bind: '"
                    + bind
                    + "', transpond: {local: {resource: '"
                    + resource
                    + "'}}}")
                .respUpstreams())
        .hasSize(1);
  }

  @Test
  void listenersMayNotLeadToEachOther() {
    String file =
        """
        penstock:
          listeners:
            one: { port: 1, upstream: a }
            two: { port: 2, upstream: b }
            three: { path: /run/three.sock, upstream: c }
          upstreams:
            a: "redis://127.0.0.1:2"
            b: { shards: { distribution: modula, servers: [ "redis://h:1", "redis-uds:///run/three.sock" ] } }
            c: "redis://%s:1"
        """;

    ConfigurationFault fault = faultOf(file.formatted("127.0.0.1"));
    assertThat(fault.key()).isEqualTo("penstock.upstreams.a");
    assertThat(fault.reason()).startsWith("127.0.0.1:2 is listener two of this Penstock");
    assertThat(map(file.formatted("10.0.0.1")).respUpstreams()).hasSize(3);
  }

  private static ConfigurationFault faultOf(String file) {
    return Faults.of(() -> map(file));
  }

  private static ProxySettings map(String file) {
    return map(file, null);
  }

  private static ProxySettings map(String file, @Nullable String demo) {
    return map(List.of(yaml(file)), demo);
  }

  private static ProxySettings map(List<PropertySource<?>> sources, @Nullable String demo) {
    PropertiesReader reader = new PropertiesReader(environment(sources));
    return new SettingsMapping(reader).map(read(reader), demo);
  }

  private static StandardEnvironment environment(List<PropertySource<?>> sources) {
    StandardEnvironment environment = ConfigurationSources.environment(sources);
    environment
        .getPropertySources()
        .addLast(
            new MapPropertySource("test", new LinkedHashMap<>(Map.of("penstock.event-loops", 1))));
    return environment;
  }
}
