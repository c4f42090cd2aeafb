package io.penstock.server.mapping;

import static java.util.Objects.requireNonNull;

import io.penstock.core.limit.ClientLimits;
import io.penstock.core.limit.ClientTimeouts;
import io.penstock.core.limit.OutputLimit;
import io.penstock.core.listener.AcceptSettings;
import io.penstock.core.listener.ProxyProtocol;
import io.penstock.core.tls.ListenerTls;
import io.penstock.server.config.PenstockProperties;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/** Maps the properties that concern clients to the core's settings. */
final class ClientsMapping {

  private ClientsMapping() {}

  static AcceptSettings acceptSettings(
      PenstockProperties.Listener properties,
      @Nullable ProxyProtocol proxyProtocol,
      @Nullable ListenerTls tls) {
    return new AcceptSettings(
        properties.maxConnectionRate(), properties.tcpKeepalive(), proxyProtocol, tls);
  }

  static ClientLimits limits(PenstockProperties.Listener properties) {
    PenstockProperties.ClientOutputBufferLimit output = properties.clientOutputBufferLimit();
    PenstockProperties.ClientTimeout timeout = properties.clientTimeout();
    DataSize memory = properties.maxmemoryClients();
    return new ClientLimits(
        output(output.normal()),
        output(output.pubsub()),
        memory == null ? ClientLimits.memoryByDefault() : memory.toBytes(),
        new ClientTimeouts(
            timeout.idle(), timeout.authentication(), timeout.request(), timeout.reply()),
        properties.maxInFlight().perClient(),
        properties.maxInFlight().total(),
        properties.maxPatterns());
  }

  private static OutputLimit output(PenstockProperties.OutputBufferLimit limit) {
    return new OutputLimit(
        requireNonNull(limit.hardLimit()).toBytes(),
        requireNonNull(limit.softLimit()).toBytes(),
        Duration.ofSeconds(requireNonNull(limit.softSeconds())));
  }
}
