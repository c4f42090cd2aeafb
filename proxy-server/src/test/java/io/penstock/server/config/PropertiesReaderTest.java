package io.penstock.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.haproxy.HAProxyProtocolVersion;
import io.penstock.core.route.CrossSlot;
import io.penstock.core.tls.ListenerTls.ClientAuth;
import io.penstock.core.tls.NodeTls.Verify;
import io.penstock.core.transport.Transport;
import io.penstock.core.upstream.Balance;
import io.penstock.core.upstream.ReadFrom;
import io.penstock.server.change.ReloadMode;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.FileSystemResource;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.beanvalidation.LocalValidatorFactoryBean;

class PropertiesReaderTest {

  private static final LocalValidatorFactoryBean VALIDATOR = new LocalValidatorFactoryBean();

  @BeforeAll
  static void startValidator() {
    VALIDATOR.afterPropertiesSet();
  }

  @AfterAll
  static void stopValidator() {
    VALIDATOR.close();
  }

  private static PenstockProperties.OutputBufferLimit outputLimit(
      DataSize hard, DataSize soft, int seconds) {
    return new PenstockProperties.OutputBufferLimit(hard, soft, seconds);
  }

  @Test
  void everyKeyHasItsDocumentedDefault() {
    PenstockProperties properties = read(Map.of());

    assertThat(properties.port()).isEqualTo(6380);
    assertThat(properties.bind()).containsExactly("0.0.0.0");
    assertThat(properties.dispatch()).isEqualTo(PenstockProperties.Dispatch.ASYNC);
    assertThat(properties.transport()).isEqualTo(Transport.AUTO);
    assertThat(properties.eventLoops()).isNull();
    assertThat(properties.maxClients()).isEqualTo(10_000);
    assertThat(properties.password()).isNull();
    assertThat(properties.protoMaxBulkLen()).isEqualTo(DataSize.ofMegabytes(512));
    assertThat(properties.backend())
        .isEqualTo(
            new PenstockProperties.Backend(
                Duration.ofSeconds(1),
                Duration.ofSeconds(2),
                1,
                2_048,
                Duration.ofSeconds(10),
                10_000,
                4_096,
                DataSize.ofMegabytes(64)));
    assertThat(properties.maxConnectionRate()).isZero();
    assertThat(properties.tcpKeepalive()).isEqualTo(Duration.ofMinutes(5));
    assertThat(properties.clientOutputBufferLimit().normal())
        .isEqualTo(outputLimit(DataSize.ofBytes(0), DataSize.ofBytes(0), 0));
    assertThat(properties.clientOutputBufferLimit().pubsub())
        .isEqualTo(outputLimit(DataSize.ofMegabytes(32), DataSize.ofMegabytes(8), 60));
    assertThat(properties.maxmemoryClients()).isNull();
    assertThat(properties.clientTimeout())
        .isEqualTo(
            new PenstockProperties.ClientTimeout(
                Duration.ZERO,
                Duration.ofMinutes(1),
                Duration.ofSeconds(30),
                Duration.ofMinutes(5)));
    assertThat(properties.maxInFlight())
        .isEqualTo(new PenstockProperties.MaxInFlight(4_096, 1_048_576));
    assertThat(properties.maxPatterns()).isEqualTo(10_000);
    assertThat(properties.crossSlot()).isEqualTo(CrossSlot.REJECT);
    assertThat(properties.crossSlotMaxBytes()).isEqualTo(DataSize.ofMegabytes(64));
    assertThat(properties.crossSlotMaxKeys()).isEqualTo(1_024);
    assertThat(properties.crossSlotScripts()).isFalse();
    assertThat(properties.crossSlotPoll()).isEqualTo(Duration.ofMillis(20));
    assertThat(properties.topology())
        .isEqualTo(new PenstockProperties.Topology(Duration.ofSeconds(30), Duration.ofSeconds(1)));
    assertThat(properties.commands())
        .isEqualTo(new PenstockProperties.Commands(List.of(), List.of()));
    assertThat(properties.transpond().type()).isEqualTo("local");
    assertThat(properties.transpond().local().type()).isEqualTo("simple");
    assertThat(properties.transpond().local().resource()).isNull();
  }

  @Test
  void readsEveryKey() {
    PenstockProperties properties =
        read(
            Map.ofEntries(
                Map.entry("penstock.port", "7"),
                Map.entry("penstock.bind", "::1"),
                Map.entry("penstock.dispatch", "sync"),
                Map.entry("penstock.sync.max-connections-per-node", "13"),
                Map.entry("penstock.transport", "io_uring"),
                Map.entry("penstock.eventLoops", "3"),
                Map.entry("penstock.max-clients", "8"),
                Map.entry("penstock.password", "s3cret"),
                Map.entry("penstock.password-file", "/run/p"),
                Map.entry("penstock.password-overlap", "40s"),
                Map.entry("penstock.reload", "on-change"),
                Map.entry("penstock.management-token", "t0ken"),
                Map.entry("penstock.management-token-file", "/run/t"),
                Map.entry("penstock.transpond.local.json-file", "table.json"),
                Map.entry("penstock.transpond.local.dynamic", "true"),
                Map.entry("penstock.transpond.local.check-interval-millis", "4000"),
                Map.entry("penstock.transpond.redis-conf.sharding-func", "a.B"),
                Map.entry("penstock.transpond.redis-conf.shading-func", "a.C"),
                Map.entry("penstock.transpond.redis-conf.multi-write-mode", "1"),
                Map.entry("penstock.transpond.local.password-file", "/run/n"),
                Map.entry("penstock.transpond.local.sentinel-password-file", "/run/s"),
                Map.entry("penstock.proto-max-bulk-len", "2MB"),
                Map.entry("penstock.max-connection-rate", "21"),
                Map.entry("penstock.tcp-keepalive", "22s"),
                Map.entry("penstock.client-output-buffer-limit.normal.hard-limit", "23MB"),
                Map.entry("penstock.client-output-buffer-limit.normal.soft-limit", "24MB"),
                Map.entry("penstock.client-output-buffer-limit.normal.soft-seconds", "25"),
                Map.entry("penstock.maxmemory-clients", "26MB"),
                Map.entry("penstock.client-timeout.idle", "27s"),
                Map.entry("penstock.client-timeout.authentication", "28s"),
                Map.entry("penstock.client-timeout.request", "29s"),
                Map.entry("penstock.client-timeout.reply", "30s"),
                Map.entry("penstock.max-in-flight.per-client", "31"),
                Map.entry("penstock.max-in-flight.total", "3200"),
                Map.entry("penstock.max-patterns", "35"),
                Map.entry("penstock.cross-slot", "emulate"),
                Map.entry("penstock.cross-slot-max-bytes", "42MB"),
                Map.entry("penstock.cross-slot-max-keys", "43"),
                Map.entry("penstock.cross-slot-scripts", "true"),
                Map.entry("penstock.cross-slot-poll", "44ms"),
                Map.entry("penstock.backend.max-in-flight-per-connection", "33"),
                Map.entry("penstock.backend.max-unsent", "34MB"),
                Map.entry("penstock.client-output-buffer-limit.pubsub.hard-limit", "12MB"),
                Map.entry("penstock.client-output-buffer-limit.pubsub.soft-limit", "0"),
                Map.entry("penstock.client-output-buffer-limit.pubsub.soft-seconds", "5"),
                Map.entry("penstock.backend.connect-timeout", "9ms"),
                Map.entry("penstock.backend.command-timeout", "10s"),
                Map.entry("penstock.backend.connections-per-loop", "2"),
                Map.entry("penstock.backend.exclusive-connections-per-loop", "12"),
                Map.entry("penstock.backend.failover-hold", "13s"),
                Map.entry("penstock.backend.failover-hold-requests", "14"),
                Map.entry("penstock.topology.refresh-period", "1m"),
                Map.entry("penstock.topology.min-refresh-interval", "11s"),
                Map.entry("penstock.reads.from", "lowest-latency"),
                Map.entry("penstock.reads.balance", "least-in-flight"),
                Map.entry("penstock.reads.zone", "z1"),
                Map.entry("penstock.reads.zones", "h:1=z1,h:2=z2"),
                Map.entry("penstock.reads.max-replica-lag", "36MB"),
                Map.entry("penstock.reads.read-your-writes", "37s"),
                Map.entry("penstock.commands.allow", "debug,config|set"),
                Map.entry("penstock.path", "/run/p.sock"),
                Map.entry("penstock.mode", "0660"),
                Map.entry("penstock.owner", "u:g"),
                Map.entry("penstock.event-loop-time-slice", "35ms"),
                Map.entry("penstock.readiness", "every-slot"),
                Map.entry("penstock.commands.deny[0]", "@scripting"),
                Map.entry("penstock.transpond.local.resource", "rediss://h:1"),
                Map.entry("penstock.transpond.local.tls.bundle", "backend"),
                Map.entry("penstock.transpond.local.tls.verify", "ca"),
                Map.entry("penstock.transpond.local.tls.server-name", "name"),
                Map.entry("penstock.transpond.local.proxy-protocol", "v2"),
                Map.entry("penstock.proxy-protocol.from[0]", "10.0.0.0/8"),
                Map.entry("penstock.proxy-protocol.from[1]", "::1"),
                Map.entry("penstock.proxy-protocol.timeout", "39s"),
                Map.entry("penstock.drain-timeout", "41s"),
                Map.entry("penstock.tls.bundle", "edge"),
                Map.entry("penstock.tls.client-auth", "want"),
                Map.entry("penstock.tls.users[0].cn", "orders-*"),
                Map.entry("penstock.tls.users[0].user", "app"),
                Map.entry("penstock.tls.users[1].dns", "*.shop"),
                Map.entry("penstock.tls.users[2].uri", "spiffe://a/*"),
                Map.entry("penstock.tls.users[2].user", "s"),
                Map.entry("penstock.users.rules[0]", "user App.1 on >x ~* +@all"),
                Map.entry("penstock.users.acl-file", "/run/users.acl"),
                Map.entry("penstock.users.password-selects-user", "true"),
                Map.entry("penstock.users.settings[App.1].password-files[0]", "/run/app"),
                Map.entry("penstock.users.settings[App.1].rate-limit", "7/s"),
                Map.entry("penstock.users.settings[App.1].burst", "9"),
                Map.entry("penstock.users.settings[App.1].excess", "wait"),
                Map.entry("penstock.users.settings[App.1].max-connections", "3"),
                Map.entry("penstock.users.settings[App.1].max-bytes-in-flight", "2MB"),
                Map.entry("penstock.users.settings[App.1].upstream", "orders"),
                Map.entry("penstock.users.settings[App.1].key-prefix", "{app}:"),
                Map.entry("penstock.users.settings[App.1].key-prefix-channels", "true"),
                Map.entry("penstock.users.settings[App.1].key-prefix-scripts", "true"),
                Map.entry("penstock.users.settings[App.1].key-prefix-dbsize", "true"),
                Map.entry("penstock.users.settings[App.1].pass-through", "true"),
                Map.entry("penstock.tls.handshake-timeout", "38s"),
                Map.entry("penstock.transpond.local.shadow.upstream", "copy"),
                Map.entry("penstock.transpond.local.shadow.share", "2.5"),
                Map.entry("penstock.cluster-facade.enabled", "true"),
                Map.entry("penstock.cluster-facade.nodes[0]", "h:2"),
                Map.entry("penstock.cluster-facade.announce-host", "h"),
                Map.entry("penstock.cluster-facade.announce-port", "2")));

    assertThat(properties)
        .isEqualTo(
            new PenstockProperties(
                7,
                List.of("::1"),
                "/run/p.sock",
                "0660",
                "u:g",
                PenstockProperties.Dispatch.SYNC,
                new PenstockProperties.Sync(13),
                Transport.IO_URING,
                3,
                Duration.ofMillis(35),
                8,
                21,
                Duration.ofSeconds(22),
                "s3cret",
                "/run/p",
                Duration.ofSeconds(40),
                new PenstockProperties.Users(
                    List.of("user App.1 on >x ~* +@all"),
                    "/run/users.acl",
                    true,
                    Map.of(
                        "App.1",
                        new PenstockProperties.UserOptions(
                            List.of("/run/app"),
                            "7/s",
                            9,
                            PenstockProperties.Excess.WAIT,
                            3,
                            DataSize.ofMegabytes(2),
                            "orders",
                            "{app}:",
                            true,
                            true,
                            true,
                            true))),
                new PenstockProperties.ProxyProtocol(
                    List.of("10.0.0.0/8", "::1"), Duration.ofSeconds(39)),
                new PenstockProperties.ClientTls(
                    "edge",
                    ClientAuth.WANT,
                    List.of(
                        new PenstockProperties.CertificateUser("orders-*", null, null, "app"),
                        new PenstockProperties.CertificateUser(null, "*.shop", null, null),
                        new PenstockProperties.CertificateUser(null, null, "spiffe://a/*", "s")),
                    Duration.ofSeconds(38)),
                DataSize.ofMegabytes(2),
                new PenstockProperties.ClientOutputBufferLimit(
                    outputLimit(DataSize.ofMegabytes(23), DataSize.ofMegabytes(24), 25),
                    outputLimit(DataSize.ofMegabytes(12), DataSize.ofBytes(0), 5)),
                DataSize.ofMegabytes(26),
                new PenstockProperties.ClientTimeout(
                    Duration.ofSeconds(27),
                    Duration.ofSeconds(28),
                    Duration.ofSeconds(29),
                    Duration.ofSeconds(30)),
                new PenstockProperties.MaxInFlight(31, 3_200),
                35,
                CrossSlot.EMULATE,
                DataSize.ofMegabytes(42),
                43,
                true,
                Duration.ofMillis(44),
                Duration.ofSeconds(41),
                new PenstockProperties.Backend(
                    Duration.ofMillis(9),
                    Duration.ofSeconds(10),
                    2,
                    12,
                    Duration.ofSeconds(13),
                    14,
                    33,
                    DataSize.ofMegabytes(34)),
                new PenstockProperties.Topology(Duration.ofMinutes(1), Duration.ofSeconds(11)),
                new PenstockProperties.Reads(
                    ReadFrom.LOWEST_LATENCY,
                    Balance.LEAST_IN_FLIGHT,
                    "z1",
                    List.of("h:1=z1", "h:2=z2"),
                    DataSize.ofMegabytes(36),
                    Duration.ofSeconds(37)),
                new PenstockProperties.Commands(
                    List.of("debug", "config|set"), List.of("@scripting")),
                Readiness.EVERY_SLOT,
                ReloadMode.ON_CHANGE,
                "t0ken",
                "/run/t",
                new PenstockProperties.Transpond(
                    "local",
                    new PenstockProperties.Local(
                        "simple",
                        "rediss://h:1",
                        "table.json",
                        true,
                        4000,
                        "/run/n",
                        "/run/s",
                        new PenstockProperties.NodeTls("backend", Verify.CA, "name"),
                        HAProxyProtocolVersion.V2,
                        new PenstockProperties.Shadow("copy", 2.5)),
                    new PenstockProperties.RedisConf("a.B", "a.C", "1")),
                new PenstockProperties.ClusterFacade(true, List.of("h:2"), "h", 2),
                Map.of(),
                Map.of()));
  }

  @ParameterizedTest
  @CsvSource({
    "PENSTOCK_MAX_CLIENTS, 5",
    "PENSTOCK_MAXCLIENTS, 5",
  })
  void readsEnvironmentVariables(String name, String value) {
    assertThat(readVariables(Map.of(name, value)).maxClients()).isEqualTo(5);
  }

  @ParameterizedTest
  @ValueSource(strings = {"CAMELLIA_REDIS_PROXY_PASSWORD", "CAMELLIAREDISPROXY_PASSWORD"})
  void readsEnvironmentVariablesOfTheCompatibleTree(String name) {
    assertThat(readVariables(Map.of(name, "s3cret")).password()).isEqualTo("s3cret");
  }

  @Test
  void readsNestedEnvironmentVariablesOfTheCompatibleTree() {
    PenstockProperties properties =
        readVariables(
            Map.of(
                "CAMELLIA_REDIS_PROXY_TYPE", "sync",
                "CAMELLIA_REDIS_PROXY_TRANSPOND_LOCAL_RESOURCE", "redis://h:1"));

    assertThat(properties.dispatch()).isEqualTo(PenstockProperties.Dispatch.SYNC);
    assertThat(properties.transpond().local().resource()).isEqualTo("redis://h:1");
  }

  @Test
  void rejectsBothTreesInEnvironmentVariables() {
    ConfigurationFault fault =
        faultOf(() ->
            readVariables(
                Map.of("PENSTOCK_MAX_CLIENTS", "5", "CAMELLIA_REDIS_PROXY_PASSWORD", "s3cret")));

    assertThat(fault.key()).isEqualTo("camellia-redis-proxy.password");
    assertThat(fault.value()).isNull();
    assertThat(fault.reason()).startsWith("penstock.max-clients is set too");
  }

  @Test
  void ignoresKubernetesVariablesOfTheOtherTree() {
    assertThat(
            readVariables(
                    Map.of(
                        "CAMELLIA_REDIS_PROXY_PORT", "tcp://10.0.0.7:80", "PENSTOCK_PORT", "6000"))
                .port())
        .isEqualTo(6000);
  }

  @Test
  void ignoresKubernetesVariablesOfAServiceNamedPenstock() {
    assertThat(
            readVariables(Map.of("PENSTOCK_SERVICE_HOST", "1.2.3.4", "PENSTOCK_PORT", "6000"))
                .port())
        .isEqualTo(6000);
  }

  @Test
  void ignoresKubernetesVariablesWithTheCompatibleTree() {
    PenstockProperties properties =
        readVariables(
            Map.of(
                "PENSTOCK_PORT", "tcp://10.0.0.7:6380",
                "CAMELLIA_REDIS_PROXY_PASSWORD", "s3cret"));

    assertThat(properties.port()).isEqualTo(6380);
    assertThat(properties.password()).isEqualTo("s3cret");
  }

  @Test
  void namesTheSourceOfAPortFromKubernetes() {
    ConfigurationFault fault =
        faultOf(() -> readVariables(Map.of("PENSTOCK_PORT", "tcp://10.0.0.7:6380")));

    assertThat(fault.key()).isEqualTo("penstock.port");
    assertThat(fault.fix()).contains("enableServiceLinks: false");
  }

  @ParameterizedTest
  @CsvSource({
    "penstok.port, write penstock.port",
    "pentsock.transpond.local.resource, write penstock.transpond.local.resource",
    "Penstocks.maxClients, write penstock.max-clients",
    "penstok.nonsense, write penstock.nonsense",
    "camelia-redis-proxy.transpond.type, write camellia-redis-proxy.transpond.type",
    "camelia-redis-proxy.nonsense, write camellia-redis-proxy.nonsense"
  })
  void rejectsAMisspeltPrefix(String key, String fix) {
    ConfigurationFault fault = faultOf(() -> read(Map.of(key, "s3cret")));

    assertThat(fault.reason()).isEqualTo("there is no such key");
    assertThat(fault.fix()).isEqualTo(fix + ", or remove it");
    assertThat(fault.value()).isNull();
  }

  @Test
  void ignoresKeysOfOtherPrograms() {
    Map<String, Object> others = new LinkedHashMap<>();
    for (String key :
        List.of("spring.a", "server.port", "info.b", "pen", "stock.x", "my.key", "_", "[0]")) {
      others.put(key, "1");
    }

    assertThat(read(others)).isEqualTo(read(Map.of()));
  }

  @Test
  void rejectsAVariableWithAMisspeltPrefixIfTheRestIsAKey() {
    ConfigurationFault fault = faultOf(() -> readVariables(Map.of("PENSTOK_MAX_CLIENTS", "5")));

    assertThat(fault.origin()).contains("PENSTOK_MAX_CLIENTS");
    assertThat(fault.fix()).isEqualTo("write penstock.max-clients, or remove it");
    assertThat(readVariables(Map.of("PENSTOK_HOME", "/opt"))).isEqualTo(read(Map.of()));
  }

  @Test
  void ignoresKubernetesVariablesOfASimilarlyNamedService() {
    assertThat(
            readVariables(
                Map.of(
                    "PENSTOCK2_PORT", "6380",
                    "PENSTOCKS_SERVICE_HOST", "10.0.0.1",
                    "PENTOCK_PORT", "tcp://10.0.0.1:6380")))
        .isEqualTo(read(Map.of()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          penstock.prot                   | write penstock.port, or remove it
          penstock.max-client             | write penstock.max-clients, or remove it
          penstock.backend.comand-timeout | write penstock.backend.command-timeout, or remove it
          penstock.command-timeout        | write penstock.backend.command-timeout, or remove it
          penstock.resource               | write penstock.transpond.local.resource, or remove it
          penstock.backend.max-in-flight  | remove it; docs/reference/configuration.md lists the keys
          penstock.something.else         | remove it; docs/reference/configuration.md lists the keys
          """)
  void rejectsAnUnknownKeyWithASuggestion(String key, String fix) {
    ConfigurationFault fault = faultOf(() -> read(Map.of(key, "s3cret")));

    assertThat(fault)
        .isEqualTo(
            new ConfigurationFault(
                key,
                null,
                "\"" + key + "\" from property source \"test\"",
                "there is no such key",
                fix));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          port                         | 70000 | must be from 0 to 65535
          sync.max-connections-per-node | 0    | must be from 1 to 65536
          event-loops                  | 0     | must be from 1 to 1024
          max-clients                  | -1    | must be at least 1
          proto-max-bulk-len           | big   | it is not a size such as 512MB
          backend.command-timeout      | 2x    | it is not a duration such as 500ms, 2s or 1m
          backend.command-timeout      | 0s    | must be from 1ms to 1h
          backend.connections-per-loop | 65    | must be from 1 to 64
          backend.exclusive-connections-per-loop | 0 | must be from 1 to 65536
          topology.refresh-period      | 1ms   | must be from 100ms to 24h
          """)
  void reportsWhyAValueIsInvalid(String key, String value, String reason) {
    ConfigurationFault fault = faultOf(() -> read(Map.of("penstock." + key, value)));

    assertThat(fault.key()).isEqualTo("penstock." + key);
    assertThat(fault.value()).isEqualTo(value);
    assertThat(fault.reason()).isEqualTo(reason);
    assertThat(fault.fix()).containsAnyOf("the default is", "remove the key");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          port                         | many  | For input string: "many"      | configuration
          cluster-facade.enabled       | maybe | Invalid boolean value 'maybe' | configuration
          dispatch                     | fast  | No enum constant              | ASYNC SYNC
          transport                    | dpdk  | No enum constant              | AUTO EPOLL IO_URING KQUEUE NIO
          """)
  void springBootExplainsAValueOfTheWrongType(
      String key, String value, String reason, String valid) {
    ConfigurationFault fault = faultOf(() -> read(Map.of("penstock." + key, value)));

    assertThat(fault.key()).isEqualTo("penstock." + key);
    assertThat(fault.value()).isEqualTo(value);
    assertThat(fault.origin()).isEqualTo("\"penstock.%s\" from property source \"test\"", key);
    assertThat(fault.reason()).startsWith("failed to convert java.lang.String").contains(reason);
    assertThat(fault.fix()).startsWith("Update your application's configuration").endsWith(valid);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          penstock.tcp-keepalive                 | 300          | 300
          penstock.client-timeout.idle           | 300          | 300
          penstock.clientTimeout.reply           | 007          | 007
          penstock.backend.command-timeout       | ${PATIENCE}  | 2
          penstock.backend.failover-hold         | ${NONE:10}   | 10
          penstock.topology.refresh-period       | +30          | +30
          """)
  void rejectsADurationWithoutAUnit(String key, String value, String number) {
    ConfigurationFault fault = faultOf(() -> read(Map.of(key, value, "PATIENCE", "2")));

    assertThat(fault.key()).isEqualTo(DataObjectPropertyName.toDashedForm(key));
    assertThat(fault.value()).isEqualTo(value);
    assertThat(fault.reason()).isEqualTo("it has no unit");
    assertThat(fault.fix()).isEqualTo("write " + number + "s or " + number + "ms");
  }

  @Test
  void rejectsADurationWithoutAUnitInVariablesAndYaml() {
    ConfigurationFault variable =
        faultOf(() -> readVariables(Map.of("PENSTOCK_BACKEND_COMMAND_TIMEOUT", "2")));
    ConfigurationFault number =
        faultOf(() -> read(Map.of("penstock.client-timeout.idle", 300))); // a number, as in YAML

    assertThat(variable.key()).isEqualTo("penstock.backend.command-timeout");
    assertThat(variable.reason()).isEqualTo("it has no unit");
    assertThat(number.value()).isEqualTo("300");
    assertThat(number.reason()).isEqualTo("it has no unit");
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "00, 0", "0s, 0", "1500ms, 1500", "2s, 2000", "PT3S, 3000"})
  void acceptsADurationWithAUnitAndZero(String value, long millis) {
    Map<String, String> written = Map.of("penstock.backend.failover-hold", value);

    assertThat(read(written).backend().failoverHold()).isEqualTo(Duration.ofMillis(millis));
    assertThat(readVariables(Map.of("PENSTOCK_BACKEND_FAILOVERHOLD", value)).backend())
        .isEqualTo(read(written).backend());
  }

  @Test
  void rejectsAnEmptyPassword() {
    assertThat(faultOf(() -> read(Map.of("penstock.password", ""))).description())
        .contains("penstock.password", "(empty)", "would admit every client");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          penstock.password                          | ${SECRET}                  | SECRET
          penstock.password                          | a${SECRET}b                | SECRET
          penstock.password                          | ${SECRET:${OTHER}}         | OTHER
          penstock.password                          | ${penstock.password}       | penstock.password
          penstock.max-clients                       | ${MOST}                    | MOST
          penstock.backend.command-timeout           | ${PATIENCE}ms              | PATIENCE
          penstock.transport                         | ${TRANSPORT}               | TRANSPORT
          penstock.commands.deny                     | get,${DENIED}              | DENIED
          penstock.commands.deny[0]                  | ${DENIED}                  | DENIED
          penstock.transpond.local.resource          | redis://u:${SECRET}@h:1    | SECRET
          penstock.cluster-facade.announce-host      | ${HOST}                    | HOST
          camellia-redis-proxy.password              | ${SECRET}                  | SECRET
          """)
  void rejectsAnUnresolvedPlaceholder(String key, String value, String placeholder) {
    ConfigurationFault fault = faultOf(() -> read(Map.of(key, value)));

    assertThat(fault.key()).isEqualTo(key);
    assertThat(fault.reason()).isEqualTo("${" + placeholder + "} is not set");
    assertThat(fault.fix())
        .isEqualTo(
            "set %1$s, or write a default (${%1$s:...}); write \\${ for a literal ${"
                .formatted(placeholder));
  }

  @Test
  void showsNoPasswordNextToAPlaceholder() {
    for (String key : List.of("penstock.password", "penstock.transpond.local.resource")) {
      assertThat(faultOf(() -> read(Map.of(key, "redis://u:s3cret${X}@h:1"))).toString())
          .contains("${X}")
          .doesNotContain("s3cret");
    }
  }

  @Test
  void resolvesPlaceholders() {
    PenstockProperties properties =
        read(
            Map.of(
                "SECRET", "s3cret",
                "penstock.password", "a${SECRET}b",
                "penstock.max-clients", "${MOST:7}",
                "penstock.bind", "\\${SECRET}"));

    assertThat(properties.password()).isEqualTo("as3cretb");
    assertThat(properties.maxClients()).isEqualTo(7);
    assertThat(properties.bind()).containsExactly("${SECRET}");
  }

  @Test
  void readsTheTreeOfCamelliaRedisProxy() {
    PenstockProperties properties =
        read(
            Map.of(
                "camellia-redis-proxy.type", "async",
                "camellia-redis-proxy.port", "7",
                "camellia-redis-proxy.password", "s3cret",
                "camellia-redis-proxy.transpond.type", "local",
                "camellia-redis-proxy.transpond.local.resource", "redis://h:1"));

    assertThat(properties.port()).isEqualTo(7);
    assertThat(properties.password()).isEqualTo("s3cret");
    assertThat(properties.transpond().local().resource()).isEqualTo("redis://h:1");
    assertThat(properties.maxClients()).isEqualTo(10_000);
  }

  @Test
  void errorsNameCamelliaKeysIfThoseAreUsed() {
    ConfigurationFault fault = faultOf(() -> read(Map.of("camellia-redis-proxy.type", "fast")));

    assertThat(fault.key()).isEqualTo("camellia-redis-proxy.type");
    assertThat(fault.value()).isEqualTo("fast");
    assertThat(fault.origin())
        .isEqualTo("\"camellia-redis-proxy.type\" from property source \"test\"");
    assertThat(fault.fix()).endsWith("The following values are valid: ASYNC SYNC");
    assertThat(faultOf(() -> read(Map.of("camellia-redis-proxy.port", "70000"))))
        .extracting(ConfigurationFault::key, ConfigurationFault::reason)
        .containsExactly("camellia-redis-proxy.port", "must be from 0 to 65535");
  }

  @Test
  void theFirstSourceOfACamelliaKeyWins() {
    ConfigurationFault fault =
        faultOf(() ->
            reader(
                    Map.of("camellia-redis-proxy.port", "many"),
                    Map.of("camellia-redis-proxy.port", "7"))
                .read(VALIDATOR));

    assertThat(fault.key()).isEqualTo("camellia-redis-proxy.port");
    assertThat(fault.value()).isEqualTo("many");
  }

  @Test
  void errorsNameNoKeyMissingInCamelliasTree() {
    PropertiesReader reader = reader(Map.of("camellia-redis-proxy.type", "sync"));

    assertThat(reader.written("dispatch")).isEqualTo("camellia-redis-proxy.type");
    assertThat(reader.written("event-loops")).isEqualTo("penstock.event-loops");
    assertThat(reader.invalid("sync.max-connections-per-node", "reason", "fix").fault().key())
        .isEqualTo("penstock.sync.max-connections-per-node");
  }

  /** As in YAML when all keys of the section are comments. */
  @Test
  void acceptsASectionWithoutKeys() {
    assertThat(read(Map.of("penstock.backend", "", "penstock.transpond.local", "")))
        .isEqualTo(read(Map.of()));
    assertThat(
            read(Map.of("camellia-redis-proxy.transpond", "", "camellia-redis-proxy.port", "7"))
                .port())
        .isEqualTo(7);
  }

  @Test
  void rejectsASectionWithAValue() {
    ConfigurationFault fault = faultOf(() -> read(Map.of("penstock.backend", "2s")));

    assertThat(fault.key()).isEqualTo("penstock.backend");
    assertThat(fault.reason()).isEqualTo("it has keys below it, and no value");
    assertThat(fault.fix())
        .isEqualTo("write keys below it, such as penstock.backend.connect-timeout, or remove it");
    assertThat(faultOf(() -> read(Map.of("penstock.listeners", "x"))).fix())
        .startsWith("write keys below it, such as penstock.listeners.NAME.port");
  }

  @Test
  void rejectsUnsupportedKeysOfCamellia() {
    ConfigurationFault fault =
        faultOf(() -> read(Map.of("camellia-redis-proxy.console-port", "16379")));

    assertThat(fault.key()).isEqualTo("camellia-redis-proxy.console-port");
    assertThat(fault.reason()).contains("type, port, password");
  }

  @Test
  void rejectsBothTreesAtOnce() {
    ConfigurationFault fault =
        faultOf(() -> read(Map.of("camellia-redis-proxy.port", "1", "penstock.port", "1")));

    assertThat(fault.reason()).startsWith("penstock.port is set too");
    assertThat(fault.fix())
        .isEqualTo("keep either penstock: or camellia-redis-proxy: and remove the other");
  }

  @Test
  void neverShowsAPassword() {
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("penstock.password", "s3cret");
    values.put("penstock.transpond.local.resource", "redis://u:s3cret@h:1");
    PenstockProperties properties = read(values);

    assertThat(properties.toString()).doesNotContain("s3cret");
    assertThat(properties.transpond().toString()).doesNotContain("s3cret");
  }

  private static PenstockProperties read(Map<String, ? extends Object> values) {
    return reader(values).read(VALIDATOR);
  }

  @SafeVarargs
  private static PropertiesReader reader(Map<String, ? extends Object>... files) {
    ConfigurableEnvironment environment = emptyEnvironment();
    for (int i = files.length; i-- > 0; ) {
      environment
          .getPropertySources()
          .addFirst(
              new MapPropertySource(i == 0 ? "test" : "test " + i, new LinkedHashMap<>(files[i])));
    }
    return new PropertiesReader(environment);
  }

  @Test
  void theExampleFileHasTheDefaults() throws IOException {
    ConfigurableEnvironment environment = emptyEnvironment();
    var example = new FileSystemResource("../config/application.yml");
    new YamlPropertySourceLoader()
        .load("example", example)
        .forEach(environment.getPropertySources()::addFirst);
    var resource = Map.of("penstock.transpond.local.resource", "redis-cluster://h:1");

    PenstockProperties read = new PropertiesReader(environment).read(VALIDATOR);

    assertThat(read)
        .usingRecursiveComparison()
        .ignoringFields("transpond.local.resource")
        .isEqualTo(read(resource));
  }

  @Test
  void systemPropertiesOfTestsAreNotKeys() {
    assertThat(readSystemProperties(Map.of("penstock.test.server", "valkey-server")))
        .isEqualTo(read(Map.of()));

    assertThat(faultOf(() -> readSystemProperties(Map.of("penstock.tests", "x"))).reason())
        .isEqualTo("there is no such key");
    assertThat(faultOf(() -> read(Map.of("penstock.test.server", "x"))).reason())
        .as("from a file")
        .isEqualTo("there is no such key");
  }

  private static PenstockProperties readSystemProperties(Map<String, Object> values) {
    ConfigurableEnvironment environment = emptyEnvironment();
    environment
        .getPropertySources()
        .replace(
            StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME,
            new MapPropertySource(
                StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME, values));
    return new PropertiesReader(environment).read(VALIDATOR);
  }

  private static PenstockProperties readVariables(Map<String, ? extends Object> variables) {
    ConfigurableEnvironment environment = emptyEnvironment();
    environment
        .getPropertySources()
        .addFirst(
            new SystemEnvironmentPropertySource(
                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                new LinkedHashMap<>(variables)));
    return new PropertiesReader(environment).read(VALIDATOR);
  }

  private static ConfigurableEnvironment emptyEnvironment() {
    StandardEnvironment environment = new StandardEnvironment();
    environment
        .getPropertySources()
        .remove(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);
    return environment;
  }

  private static ConfigurationFault faultOf(ThrowingCallable reading) {
    return Faults.of(reading);
  }
}
