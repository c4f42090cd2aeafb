package io.penstock.server.mapping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.backend.QueueLimits;
import io.penstock.core.command.CommandRules;
import io.penstock.core.crossslot.CrossSlotSettings;
import io.penstock.core.limit.ClientLimits;
import io.penstock.core.limit.ClientTimeouts;
import io.penstock.core.limit.OutputLimit;
import io.penstock.core.listener.AcceptSettings;
import io.penstock.core.listener.ListenAddress;
import io.penstock.core.route.CrossSlot;
import io.penstock.core.topology.SingleUpstreamSettings;
import io.penstock.core.transport.Transport;
import io.penstock.core.upstream.Endpoint;
import io.penstock.server.config.ConfigurationFault;
import io.penstock.server.config.InvalidConfigurationException;
import io.penstock.server.config.PropertiesReader;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.validation.beanvalidation.LocalValidatorFactoryBean;

class SettingsMappingTest {

  private static final String RESOURCE = "transpond.local.resource";

  @Test
  void mapsEverySetting() {
    ProxySettings settings = map(Map.of(RESOURCE, "redis://h:1?db=2", "event-loops", "3"), null);

    assertThat(settings)
        .isEqualTo(
            new ProxySettings(
                List.of(
                    ProxySettings.Listener.ofDefault(
                        new ProxySettings.Listen(
                            new ListenAddress.Tcp("0.0.0.0", 6380),
                            10_000,
                            null,
                            Duration.ofMinutes(5),
                            512 << 20,
                            AcceptSettings.DEFAULTS,
                            ClientLimits.DEFAULTS,
                            CrossSlotSettings.REJECT,
                            null),
                        null)),
                List.of(
                    ProxySettings.Upstream.ofDefault(
                        new SingleUpstreamSettings(new Endpoint("h", 1), null, 2),
                        new ProxySettings.Backend(
                            Duration.ofSeconds(1),
                            Duration.ofSeconds(2),
                            1,
                            2048,
                            new ProxySettings.FailoverHold(Duration.ofSeconds(10), 10_000),
                            QueueLimits.DEFAULTS),
                        new ProxySettings.Refresh(Duration.ofSeconds(30), Duration.ofSeconds(1)))),
                List.of(),
                List.of(),
                new ProxySettings.Dispatch.Async(),
                CommandRules.NONE,
                Transport.AUTO,
                3,
                Duration.ofMillis(5),
                Duration.ofSeconds(30)));
  }

  @Test
  void mapsTheLimitsOfClients() {
    Map<String, String> keys =
        Map.ofEntries(
            Map.entry(RESOURCE, "redis://h:1"),
            Map.entry("client-output-buffer-limit.normal.hard-limit", "1MB"),
            Map.entry("client-output-buffer-limit.normal.soft-limit", "2MB"),
            Map.entry("client-output-buffer-limit.normal.soft-seconds", "3"),
            Map.entry("client-output-buffer-limit.pubsub.soft-seconds", "4"),
            Map.entry("maxmemory-clients", "5MB"),
            Map.entry("client-timeout.idle", "6s"),
            Map.entry("client-timeout.authentication", "7s"),
            Map.entry("client-timeout.request", "8s"),
            Map.entry("client-timeout.reply", "9s"),
            Map.entry("max-in-flight.per-client", "10"),
            Map.entry("max-in-flight.total", "1100"),
            Map.entry("max-patterns", "14"),
            Map.entry("cross-slot", "report"),
            Map.entry("cross-slot-max-bytes", "15MB"),
            Map.entry("cross-slot-max-keys", "16"),
            Map.entry("cross-slot-scripts", "true"),
            Map.entry("cross-slot-poll", "17ms"),
            Map.entry("max-connection-rate", "12"),
            Map.entry("tcp-keepalive", "13s"));

    ProxySettings.Listen listen = map(keys, null).listeners().getFirst().listen();

    assertThat(listen.clients())
        .isEqualTo(
            new ClientLimits(
                new OutputLimit(1 << 20, 2 << 20, Duration.ofSeconds(3)),
                new OutputLimit(32 << 20, 8 << 20, Duration.ofSeconds(4)),
                5 << 20,
                new ClientTimeouts(
                    Duration.ofSeconds(6),
                    Duration.ofSeconds(7),
                    Duration.ofSeconds(8),
                    Duration.ofSeconds(9)),
                10,
                1100,
                14));
    assertThat(listen.arrivals()).isEqualTo(new AcceptSettings(12, Duration.ofSeconds(13)));
    assertThat(listen.crossSlot())
        .isEqualTo(
            new CrossSlotSettings(CrossSlot.REPORT, true, 15 << 20, 16, Duration.ofMillis(17)));
  }

  @Test
  void mapsTheDispatchMode() {
    Map<String, String> keys =
        Map.of(
            RESOURCE,
            "redis://h:1",
            "dispatch",
            "sync",
            "sync.max-connections-per-node",
            "7",
            "event-loops",
            "7");

    assertThat(map(keys, null).dispatch()).isEqualTo(new ProxySettings.Dispatch.Sync(7));
  }

  @Test
  void rejectsFewerLeasedConnectionsThanEventLoops() {
    Map<String, String> keys = new LinkedHashMap<>();
    keys.put(RESOURCE, "redis://h:1");
    keys.put("sync.max-connections-per-node", "7");
    keys.put("event-loops", "8");
    assertThat(map(keys, null).dispatch()).isEqualTo(new ProxySettings.Dispatch.Async());

    keys.put("dispatch", "sync");
    ConfigurationFault fault =
        catchThrowableOfType(InvalidConfigurationException.class, () -> map(keys, null)).fault();

    assertThat(fault.key()).isEqualTo("penstock.sync.max-connections-per-node");
    assertThat(fault.value()).isEqualTo("7");
    assertThat(fault.reason()).isEqualTo("each of the 8 event loops needs at least one connection");
    assertThat(fault.fix()).isEqualTo("write 8 or more, or lower penstock.event-loops");
  }

  @Test
  void mapsAllowedAndDeniedCommands() {
    Map<String, String> keys =
        Map.of(
            RESOURCE, "redis://h:1", "commands.allow", "DEBUG", "commands.deny[0]", "@Scripting");

    assertThat(map(keys, null).commands())
        .isEqualTo(new CommandRules(Set.of("debug"), Set.of("@scripting")));
  }

  @Test
  void runsOneEventLoopPerProcessorByDefault() {
    assertThat(map(Map.of(RESOURCE, "redis://h:1"), null).eventLoops())
        .isEqualTo(Runtime.getRuntime().availableProcessors());
  }

  @Test
  void theDemosResourceReplacesTheConfiguredOne() {
    assertThat(
            map(Map.of(RESOURCE, "redis://h:1"), "redis://demo:2")
                .respUpstreams()
                .getFirst()
                .kind())
        .isEqualTo(new SingleUpstreamSettings(new Endpoint("demo", 2), null, 0));
  }

  @Test
  void requiresAResource() {
    assertThatExceptionOfType(MissingResourceException.class).isThrownBy(() -> map(Map.of(), null));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          commands.allow           | gte      | gte: there is no such command
          commands.allow           | get,CONFIG SET | CONFIG SET: a subcommand is separated by a bar
          commands.deny            | @dangerus | @dangerus: there is no such category
          commands.allow           | Monitor  | Monitor: it cannot be allowed: MONITOR is not allowed
          transpond.type           | remote   | local is the only supported type
          transpond.local.type     | custom   | there is no such type
          transpond.local.json-file | x.json  | only type complex has it
          proto-max-bulk-len       | 3GB      | must be from 1MB to 2047MB
          client-output-buffer-limit.pubsub.soft-limit | -1MB | must be at least 0
          client-output-buffer-limit.normal.hard-limit | -1B | must be at least 0
          maxmemory-clients        | -1GB     | must be at least 0
          max-patterns             | -1       | must be from 0 to 1000000
          cross-slot-max-bytes     | 1B       | must be from 1KB to 2047MB
          cross-slot-max-keys      | 1        | must be from 2 to 1000000
          cross-slot-poll          | 0        | must be from 1ms to 10s
          client-timeout.idle      | -1s      | must be from 0 to 24h
          client-timeout.request   | 25h      | must be from 0 to 24h
          backend.max-unsent       | 0B       | must be at least 1B
          tcp-keepalive            | 10ms     | must be 0, or from 1s to 9h
          event-loop-time-slice    | 999us    | must be 0, or from 1ms to 100ms
          event-loop-time-slice    | 101ms    | must be 0, or from 1ms to 100ms
          event-loop-time-slice    | -5ms     | must be 0, or from 1ms to 100ms
          tcp-keepalive            | -1s      | must be 0, or from 1s to 9h
          tcp-keepalive            | 32401s   | must be 0, or from 1s to 9h
          proxy-protocol.timeout   | 10ms     | must be from 100ms to 1m
          transpond.local.resource | valkey://u:s3cret@h:1 | the scheme valkey:// is not supported yet
          """)
  void rejectsInvalidAndUnsupportedValues(String key, String value, String reason) {
    ConfigurationFault fault =
        catchThrowableOfType(
                InvalidConfigurationException.class, () -> map(Map.of(key, value), null))
            .fault();

    assertThat(fault.key()).isEqualTo("penstock." + key);
    assertThat(fault.reason()).startsWith(reason);
    assertThat(fault.description()).doesNotContain("s3cret");
  }

  @ParameterizedTest
  @CsvSource({"balancer, is no IP address", "10.0.0.0/33, is not between 0 and 32"})
  void rejectsWhatIsNoAddressOfABalancer(String from, String reason) {
    ConfigurationFault fault =
        catchThrowableOfType(
                InvalidConfigurationException.class,
                () -> map(Map.of(RESOURCE, "redis://h:1", "proxy-protocol.from", from), null))
            .fault();

    assertThat(fault.key()).isEqualTo("penstock.proxy-protocol.from");
    assertThat(fault.reason()).contains(from).contains(reason);
  }

  @Test
  void rejectsATransportThatIsNotAvailable() {
    Transport unusable =
        Arrays.stream(Transport.values())
            .filter(transport -> transport.unavailability() != null)
            .findFirst()
            .orElseThrow();

    ConfigurationFault fault =
        catchThrowableOfType(
                InvalidConfigurationException.class,
                () -> map(Map.of("transport", unusable.configName()), null))
            .fault();

    assertThat(fault.reason()).startsWith("it does not work on this machine: ");
    assertThat(fault.fix()).startsWith("write auto");
  }

  private static ProxySettings map(Map<String, String> keys, @Nullable String demo) {
    Map<String, Object> values = new LinkedHashMap<>();
    keys.forEach((key, value) -> values.put("penstock." + key, value));
    StandardEnvironment environment = new StandardEnvironment();
    environment.getPropertySources().addFirst(new MapPropertySource("test", values));
    try (LocalValidatorFactoryBean validator = new LocalValidatorFactoryBean()) {
      validator.afterPropertiesSet();
      PropertiesReader reader = new PropertiesReader(environment);
      return new SettingsMapping(reader).map(reader.read(validator), demo);
    }
  }
}
