package io.penstock.server.config;

import io.penstock.core.limit.ClientLimits;
import io.penstock.core.limit.ClientTimeouts;
import io.penstock.core.limit.OutputLimit;
import io.penstock.core.listener.AcceptSettings;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/** Makes the core's limits of what the properties say of clients. */
final class ClientsMapping {

  private static final String NO_LIMIT = "write 0 for no limit";
  private static final Duration LONGEST = Duration.ofHours(24);

  /** Linux takes 32767 s at most, and refuses a socket that asks for more. */
  private static final ZeroOrBetween KEEP_ALIVE =
      new ZeroOrBetween(Duration.ofSeconds(1), Duration.ofHours(9));

  private final PropertiesReader reader;

  ClientsMapping(PropertiesReader reader) {
    this.reader = reader;
  }

  AcceptSettings arrivals(PenstockProperties properties) {
    Duration keepAlive = properties.tcpKeepalive();
    if (!KEEP_ALIVE.permits(keepAlive)) {
      refuse("tcp-keepalive", "must be 0, or from 1s to 9h", "write 300s, the default");
    }
    return new AcceptSettings(properties.maxConnectionRate(), keepAlive);
  }

  ClientLimits limits(PenstockProperties properties) {
    PenstockProperties.ClientOutputBufferLimit output = properties.clientOutputBufferLimit();
    PenstockProperties.ClientTimeout timeout = properties.clientTimeout();
    DataSize memory = properties.maxmemoryClients();
    return new ClientLimits(
        output("normal", output.normal()),
        output("pubsub", output.pubsub()),
        memory == null ? ClientLimits.memoryByDefault() : size("maxmemory-clients", memory),
        new ClientTimeouts(
            time("client-timeout.idle", timeout.idle()),
            time("client-timeout.authentication", timeout.authentication()),
            time("client-timeout.request", timeout.request()),
            time("client-timeout.reply", timeout.reply())),
        properties.maxInFlight().perClient(),
        properties.maxInFlight().total());
  }

  private OutputLimit output(String name, PenstockProperties.OutputBufferLimit given) {
    String key = "client-output-buffer-limit." + name;
    return new OutputLimit(
        size(key + ".hard-limit", given.hardLimit()),
        size(key + ".soft-limit", given.softLimit()),
        Duration.ofSeconds(Objects.requireNonNull(given.softSeconds())));
  }

  private long size(String key, @Nullable DataSize given) {
    DataSize size = Objects.requireNonNull(given, key);
    if (size.isNegative()) {
      refuse(key, "must not be negative", NO_LIMIT);
    }
    return size.toBytes();
  }

  private Duration time(String key, Duration given) {
    if (given.isNegative() || given.compareTo(LONGEST) > 0) {
      refuse(key, "must be from 0 to 24h", NO_LIMIT);
    }
    return given;
  }

  private void refuse(String key, String reason, String fix) {
    throw new InvalidConfigurationException(reader.fault(key, reason, fix));
  }
}
