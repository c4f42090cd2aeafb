package io.penstock.server.mapping;

import io.penstock.core.split.SplitUpstreamSettings;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ReadFrom;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.core.upstream.Zones;
import io.penstock.server.config.InvalidConfigurationException;
import io.penstock.server.config.PenstockProperties;
import io.penstock.server.config.PropertiesReader;
import io.penstock.server.url.Resource;
import io.penstock.server.url.ResourceUrl;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.unit.DataSize;

/** Maps the properties of reads to the core's settings. */
final class ReadsMapping {

  private static final Logger LOG = LoggerFactory.getLogger(ReadsMapping.class);

  /** Keys that only matter while replicas are read. */
  private static final List<String> OF_REPLICAS =
      List.of("balance", "zone", "zones", "max-replica-lag", "read-your-writes");

  private final PropertiesReader reader;
  private final String section;

  /**
   * @param upstream what the keys of its upstream begin with, below {@code penstock}
   */
  ReadsMapping(PropertiesReader reader, String upstream) {
    this.reader = reader;
    this.section = upstream + "reads.";
  }

  /**
   * Returns which nodes of the resource are read. Its URL takes precedence over {@code from}. Warns
   * of keys without an effect.
   *
   * @param table whether a resource table says where reads go
   * @throws InvalidConfigurationException if a zone is invalid, or there are no replicas to read
   */
  ReadSettings map(PenstockProperties.Reads reads, Resource resource, boolean table) {
    Zones zones = zones(reads);
    DataSize lag = reads.maxReplicaLag();
    ReadFrom from = from(reads, resource, table);
    var settings =
        new ReadSettings(
            from,
            reads.balance(),
            zones,
            lag == null ? ReadSettings.NO_LAG_LIMIT : lag.toBytes(),
            reads.readYourWrites(),
            resource.use() != Resource.Use.READ_AND_WRITE);
    warnOfKeysWithoutEffect(reads, settings);
    return settings;
  }

  private ReadFrom from(PenstockProperties.Reads reads, Resource resource, boolean table) {
    return switch (resource.use()) {
      case READ_REPLICAS -> decidedByUrl(ReadFrom.REPLICA, reads);
      case READ_ALL -> decidedByUrl(ReadFrom.ANY, reads);
      case READ_AND_WRITE ->
          resource.upstream().tree().anyMatch(SplitUpstreamSettings.class::isInstance)
              ? ofSplit(reads, table || resource.upstream() instanceof SplitUpstreamSettings)
              : resource.upstream().mayHaveReplicas() ? reads.from() : master(reads);
    };
  }

  /**
   * Servers for reads are read as replicas are, though what they lack is not known.
   *
   * @param preferred whether they are read if nothing is said
   */
  private ReadFrom ofSplit(PenstockProperties.Reads reads, boolean preferred) {
    if (reads.maxReplicaLag() != null && isSetForThisUpstream("max-replica-lag")) {
      throw invalid(
          "max-replica-lag",
          "it is not known how far the servers for reads of split are behind",
          "remove it");
    }
    if (reads.from() == ReadFrom.LOWEST_LATENCY) {
      throw invalid(
          "from",
          "nodes of split cannot be compared: each may have other keys",
          "write replica-preferred, replica, any or master-preferred");
    }
    if (reads.from() != ReadFrom.MASTER) {
      return reads.from();
    }
    if (isSetForThisUpstream("from") || !preferred) {
      throw invalid(
          "from",
          "it is master: the servers for reads of split would not be read",
          "write replica-preferred, replica, any or master-preferred");
    }
    return ReadFrom.REPLICA_PREFERRED;
  }

  /** A default of all upstreams does not concern those whose URL decides. */
  private ReadFrom decidedByUrl(ReadFrom decided, PenstockProperties.Reads reads) {
    if (reads.from() != decided && isSetForThisUpstream("from")) {
      throw invalid(
          "from",
          "the URL decides which nodes are read: its scheme ends in -slaves",
          "remove it, or write a URL with redis-cluster:// or redis-sentinel://");
    }
    return decided;
  }

  private void warnOfKeysWithoutEffect(PenstockProperties.Reads reads, ReadSettings settings) {
    if (settings.from() == ReadFrom.MASTER) {
      for (String key : OF_REPLICAS) {
        if (isSetForThisUpstream(key) && !hasDefault(settings, key)) {
          LOG.warn(
              "{} has no effect: reads go to the master unless {} says otherwise",
              reader.written(section + key),
              reader.written(section + "from"));
        }
      }
    } else if (reads.zone() == null && isSetForThisUpstream("zones")) {
      LOG.warn(
          "{} has no effect without the zone of this instance, {}",
          reader.written(section + "zones"),
          reader.written(section + "zone"));
    }
  }

  /** Returns whether a key has its default value: it may be written, as in the example file. */
  private static boolean hasDefault(ReadSettings settings, String key) {
    ReadSettings defaults = ReadSettings.MASTER_ONLY;
    return switch (key) {
      case "balance" -> settings.balance() == defaults.balance();
      case "read-your-writes" -> settings.readYourWrites().equals(defaults.readYourWrites());
      default -> false;
    };
  }

  /** A default of all upstreams does not concern those without replicas. */
  private ReadFrom master(PenstockProperties.Reads reads) {
    if (reads.from() != ReadFrom.MASTER && isSetForThisUpstream("from")) {
      throw invalid(
          "from",
          "Penstock knows no replicas of this upstream: its URL names servers, not a cluster or"
              + " sentinels",
          "write master, or a URL with redis-cluster:// or redis-sentinel://");
    }
    return ReadFrom.MASTER;
  }

  /** Returns whether a key is set for this upstream, not as the default of all upstreams. */
  private boolean isSetForThisUpstream(String key) {
    return reader.isSet(section + key)
        && (!section.equals("reads.") || !reader.hasNamedUpstreams());
  }

  private Zones zones(PenstockProperties.Reads reads) {
    Map<String, String> byAddress = new HashMap<>();
    List<String> entries = reads.zones();
    for (String entry : entries) {
      int equals = entry.lastIndexOf('=');
      String zone = entry.substring(equals + 1).strip();
      if (equals < 0 || zone.isEmpty()) {
        throw invalid(
            "zones",
            "'" + entry + "' has no zone",
            "write the address of a node and its zone, as in 10.0.0.1:6379=eu-west-1a");
      }
      Endpoint node = node(entry.substring(0, equals).strip());
      if (byAddress.put(node.toString(), zone) != null) {
        throw invalid("zones", node + " is listed twice", "remove one of them");
      }
    }
    return reads.zone() == null && byAddress.isEmpty()
        ? Zones.NONE
        : new Zones(reads.zone(), byAddress);
  }

  private Endpoint node(String address) {
    try {
      return ResourceUrl.node(address);
    } catch (ResourceUrl.InvalidUrlException e) {
      throw invalid("zones", e.reason(), e.fix());
    }
  }

  private InvalidConfigurationException invalid(String key, String reason, String fix) {
    return reader.invalid(section + key, reason, fix);
  }
}
