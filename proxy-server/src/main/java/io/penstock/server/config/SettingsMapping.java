package io.penstock.server.config;

import io.penstock.core.ProxySettings;
import io.penstock.core.ProxySettings.Backend;
import io.penstock.core.ProxySettings.FailoverHold;
import io.penstock.core.ProxySettings.Listen;
import io.penstock.core.ProxySettings.Refresh;
import io.penstock.core.backend.QueueLimits;
import io.penstock.core.command.CommandRules;
import io.penstock.core.command.RuleCheck;
import io.penstock.core.limit.ClientLimits;
import io.penstock.core.listener.AcceptSettings;
import io.penstock.core.topology.UpstreamSettings;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/**
 * Makes the core's settings of the properties, and refuses what they may say but nobody does yet.
 */
public final class SettingsMapping {

  private static final DataSize SMALLEST_BULK = DataSize.ofMegabytes(1);
  private static final DataSize LARGEST_BULK = DataSize.ofBytes(Integer.MAX_VALUE);
  private static final ZeroOrBetween SLICE = // Linux takes no more
      new ZeroOrBetween(Duration.ofMillis(1), Duration.ofMillis(100));

  private final PropertiesReader reader;

  /**
   * @param reader for refusals in the user's words
   */
  public SettingsMapping(PropertiesReader reader) {
    this.reader = reader;
  }

  /**
   * Maps.
   *
   * @param demo the resource that takes the place of the configured one, or null
   * @throws InvalidConfigurationException when a value asks for what does not exist
   * @throws MissingResourceException when nothing says what to proxy to
   */
  public ProxySettings map(PenstockProperties properties, @Nullable String demo) {
    refuseWhatIsNotThereYet(properties);
    CommandRules rules = rules(properties.commands());
    var clients = new ClientsMapping(reader);
    AcceptSettings arrivals = clients.arrivals(properties);
    ClientLimits limits = clients.limits(properties);
    QueueLimits bounds = bounds(properties.backend());
    String resource = demo == null ? properties.transpond().local().resource() : demo;
    if (resource == null || resource.isBlank()) {
      throw new MissingResourceException();
    }
    int loops =
        Objects.requireNonNullElseGet(
            properties.eventLoops(), () -> Runtime.getRuntime().availableProcessors());
    return new ProxySettings(
        new Listen(
            properties.bind(),
            properties.port(),
            properties.maxClients(),
            properties.password(),
            Math.toIntExact(properties.protoMaxBulkLen().toBytes()),
            arrivals,
            limits),
        upstream(resource.strip()),
        dispatch(properties, loops),
        new Backend(
            properties.backend().connectTimeout(),
            properties.backend().commandTimeout(),
            properties.backend().connectionsPerLoop(),
            properties.backend().exclusiveConnectionsPerLoop(),
            new FailoverHold(
                properties.backend().failoverHold(), properties.backend().failoverHoldRequests()),
            bounds),
        new Refresh(properties.topology().refreshPeriod(), properties.topology().minRefreshInterval()),
        rules,
        properties.transport(),
        loops,
        properties.eventLoopTimeSlice(),
        new FacadeMapping(reader).map(properties.clusterFacade(), properties.port()));
  }

  private ProxySettings.Dispatch dispatch(PenstockProperties properties, int loops) {
    int connections = properties.sync().maxConnectionsPerNode();
    return switch (properties.dispatch()) {
      case ASYNC -> new ProxySettings.Dispatch.Async();
      case SYNC -> {
        if (connections < loops) {
          refuse(
              "sync.max-connections-per-node",
              "each of the " + loops + " event loops needs one",
              "write " + loops + " or more, or fewer " + reader.written("event-loops"));
        }
        yield new ProxySettings.Dispatch.Sync(connections);
      }
    };
  }

  private QueueLimits bounds(PenstockProperties.Backend backend) {
    if (backend.maxUnsent().toBytes() < 1) {
      refuse("backend.max-unsent", "must be at least 1B", "write 64MB, the default");
    }
    return new QueueLimits(backend.maxInFlightPerConnection(), backend.maxUnsent().toBytes());
  }

  private void refuseWhatIsNotThereYet(PenstockProperties properties) {
    PenstockProperties.Transpond transpond = properties.transpond();
    DataSize bulk = properties.protoMaxBulkLen();
    Throwable unavailable = properties.transport().unavailability();
    if (unavailable != null) {
      refuse(
          "transport",
          "it does not work on this machine: " + rootMessage(unavailable),
          "write auto, which takes the best one that does");
    }
    if (!transpond.type().equals("local")) {
      refuse(
          "transpond.type",
          "the only type so far is local, where the route stands in this configuration",
          "write local, and the URL as transpond.local.resource");
    }
    if (!transpond.local().type().equals("simple")) {
      refuse(
          "transpond.local.type",
          "the only type so far is simple: one cluster or one server",
          "write simple, and the URL as transpond.local.resource");
    }
    if (bulk.compareTo(SMALLEST_BULK) < 0 || bulk.compareTo(LARGEST_BULK) > 0) {
      refuse("proto-max-bulk-len", "must be from 1MB to 2047MB", "write 512MB, the default");
    }
    if (!SLICE.permits(properties.eventLoopTimeSlice())) {
      refuse("event-loop-time-slice", "must be 0, or from 1ms to 100ms", "write 5ms, the default");
    }
  }

  private CommandRules rules(PenstockProperties.Commands commands) {
    refuseWrongEntries("commands.allow", commands.allow(), RuleCheck::checkAllowed);
    refuseWrongEntries("commands.deny", commands.deny(), RuleCheck::checkDenied);
    return CommandRules.of(commands.allow(), commands.deny());
  }

  private void refuseWrongEntries(
      String key, List<String> entries, Function<String, RuleCheck.@Nullable Fault> check) {
    for (String entry : entries) {
      RuleCheck.Fault fault = check.apply(entry);
      if (fault != null) {
        refuse(key, entry + ": " + fault.reason(), fault.fix());
      }
    }
  }

  private static String rootMessage(Throwable failure) {
    Throwable root = failure;
    for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
      root = cause;
    }
    return String.valueOf(root.getMessage());
  }

  private UpstreamSettings upstream(String resource) {
    try {
      return ResourceUrl.parse(resource);
    } catch (ResourceUrl.RefusedException e) {
      throw new InvalidConfigurationException(
          reader.fault("transpond.local.resource", e.reason(), e.fix()));
    }
  }

  private void refuse(String key, String reason, String fix) {
    throw new InvalidConfigurationException(reader.fault(key, reason, fix));
  }
}
