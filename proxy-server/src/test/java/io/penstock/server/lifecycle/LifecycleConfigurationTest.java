package io.penstock.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.backend.QueueLimits;
import io.penstock.core.command.CommandRules;
import io.penstock.core.crossslot.CrossSlotSettings;
import io.penstock.core.limit.ClientLimits;
import io.penstock.core.listener.AcceptSettings;
import io.penstock.core.listener.ListenAddress;
import io.penstock.core.topology.SingleUpstreamSettings;
import io.penstock.core.transport.Transport;
import io.penstock.core.upstream.Endpoint;
import io.penstock.server.config.ConfigurationFault;
import io.penstock.server.config.InvalidConfigurationException;
import io.penstock.server.config.PropertiesReader;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

class LifecycleConfigurationTest {

  /** Only creating all event loops shows it; the check of the configuration does not. */
  @Test
  void aTransportThatFailsToStartIsAConfigurationError() {
    Transport unusable =
        Arrays.stream(Transport.values())
            .filter(transport -> transport.unavailability() != null)
            .findFirst()
            .orElseThrow();
    var environment = new StandardEnvironment();
    environment
        .getPropertySources()
        .addFirst(
            new MapPropertySource(
                "test", Map.of("penstock.transport", (Object) unusable.configName())));

    ConfigurationFault fault =
        catchThrowableOfType(
                InvalidConfigurationException.class,
                () ->
                    new LifecycleConfiguration()
                        .proxy(settings(unusable), new PropertiesReader(environment), List.of())
                        .close())
            .fault();

    assertThat(fault.key()).isEqualTo("penstock.transport");
    assertThat(fault.value()).isEqualTo(unusable.configName());
    assertThat(fault.reason())
        .startsWith("transport " + unusable.configName() + " does not work on this machine: ");
    assertThat(fault.fix()).startsWith("write auto");
  }

  private static ProxySettings settings(Transport transport) {
    return new ProxySettings(
        List.of(
            ProxySettings.Listener.ofDefault(
                new ProxySettings.Listen(
                    new ListenAddress.Tcp("127.0.0.1", 0),
                    10,
                    null,
                    Duration.ZERO,
                    1 << 20,
                    AcceptSettings.DEFAULTS,
                    ClientLimits.DEFAULTS,
                    CrossSlotSettings.REJECT,
                    null),
                null)),
        List.of(
            ProxySettings.Upstream.ofDefault(
                new SingleUpstreamSettings(new Endpoint("127.0.0.1", 1), null, 0),
                new ProxySettings.Backend(
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(1),
                    1,
                    1,
                    new ProxySettings.FailoverHold(Duration.ofSeconds(1), 1),
                    QueueLimits.DEFAULTS),
                new ProxySettings.Refresh(Duration.ofSeconds(1), Duration.ofSeconds(1)))),
        List.of(),
        List.of(),
        new ProxySettings.Dispatch.Async(),
        CommandRules.NONE,
        transport,
        1,
        Duration.ZERO,
        Duration.ofSeconds(30));
  }
}
