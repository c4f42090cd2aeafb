package io.penstock.server.mapping;

import io.penstock.core.OwnServer;
import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.assembly.ProxySettings.Upstream;
import io.penstock.core.command.CommandRules;
import io.penstock.core.command.RuleCheck;
import io.penstock.core.transport.Transport;
import io.penstock.server.config.InvalidConfigurationException;
import io.penstock.server.config.PenstockProperties;
import io.penstock.server.config.PropertiesReader;
import io.penstock.server.tls.TlsBundles;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Maps the properties to the core's settings, and rejects values that are not supported. */
public final class SettingsMapping {

  /** At the start: a container may get more or fewer later. */
  private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

  private final PropertiesReader reader;
  private final TlsBundles bundles;

  /**
   * @param reader for messages that name keys as the user wrote them
   */
  public SettingsMapping(PropertiesReader reader) {
    this(reader, TlsBundles.none());
  }

  /**
   * @param reader for messages that name keys as the user wrote them
   * @param bundles that keys of TLS name
   */
  public SettingsMapping(PropertiesReader reader, TlsBundles bundles) {
    this.reader = reader;
    this.bundles = bundles;
  }

  /**
   * Returns the core's settings.
   *
   * @param demo the resource that replaces the one of upstream {@code default}, or null
   * @throws InvalidConfigurationException if a value is not supported
   * @throws MissingResourceException if no resource is configured
   */
  public ProxySettings map(PenstockProperties properties, @Nullable String demo) {
    rejectUnsupported(properties);
    CommandRules rules = rules(properties.commands());
    Transport transport = properties.transport();
    var mapping = new UpstreamsMapping(reader, bundles, transport);
    List<Upstream> upstreams = mapping.map(properties, demo);
    if (upstreams.isEmpty()) {
      throw new MissingResourceException();
    }
    int loops = Objects.requireNonNullElse(properties.eventLoops(), PROCESSORS);
    var settings =
        new ProxySettings(
            new ListenersMapping(
                    reader,
                    bundles,
                    upstreams,
                    new UsersMapping(reader, properties.users()),
                    transport)
                .map(properties),
            upstreams,
            new ShadowMapping(reader, properties, upstreams, demo).map(),
            new MirrorCheck(reader, properties, upstreams).map(mapping.mirrorsOfTable()),
            dispatch(properties, loops),
            rules,
            transport,
            loops,
            properties.eventLoopTimeSlice(),
            properties.drainTimeout());
    MirrorCheck.warnOfListeners(settings);
    OwnServer own = OwnServer.find(settings);
    if (own != null) {
      reject(
          UpstreamsMapping.keyOf(own.upstream().name(), properties, demo),
          own.address()
              + " is listener "
              + own.listener().name()
              + " of this Penstock, from which requests come back to this upstream",
          "write the address of a server, or of another Penstock");
    }
    return settings;
  }

  private ProxySettings.Dispatch dispatch(PenstockProperties properties, int loops) {
    int connections = properties.sync().maxConnectionsPerNode();
    return switch (properties.dispatch()) {
      case ASYNC -> new ProxySettings.Dispatch.Async();
      case SYNC -> {
        if (connections < loops) {
          reject(
              "sync.max-connections-per-node",
              "each of the " + loops + " event loops needs at least one connection",
              "write " + loops + " or more, or lower " + reader.written("event-loops"));
        }
        yield new ProxySettings.Dispatch.Sync(connections);
      }
    };
  }

  private void rejectUnsupported(PenstockProperties properties) {
    PenstockProperties.Transpond transpond = properties.transpond();
    Throwable unavailable = properties.transport().unavailability();
    if (unavailable != null) {
      reject(
          "transport",
          "it does not work on this machine: " + rootMessage(unavailable),
          "write auto, which selects the best one that works");
    }
    if (!transpond.type().equals("local")) {
      reject(
          "transpond.type",
          "local is the only supported type: the route is in this configuration",
          "write local, and set transpond.local.resource to the URL");
    }
    String type = transpond.local().type();
    if (!type.equalsIgnoreCase("simple") && !type.equalsIgnoreCase("complex")) {
      reject(
          "transpond.local.type",
          "there is no such type",
          "write simple, and set transpond.local.resource to the URL; or complex, and set"
              + " transpond.local.json-file to the path of a resource table");
    }
  }

  private CommandRules rules(PenstockProperties.Commands commands) {
    rejectInvalidRules("commands.allow", commands.allow(), RuleCheck::checkAllowed);
    rejectInvalidRules("commands.deny", commands.deny(), RuleCheck::checkDenied);
    return CommandRules.of(commands.allow(), commands.deny());
  }

  private void rejectInvalidRules(
      String key, List<String> entries, Function<String, RuleCheck.@Nullable Fault> check) {
    for (String entry : entries) {
      RuleCheck.Fault fault = check.apply(entry);
      if (fault != null) {
        reject(key, entry + ": " + fault.reason(), fault.fix());
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

  private void reject(String key, String reason, String fix) {
    throw reader.invalid(key, reason, fix);
  }
}
