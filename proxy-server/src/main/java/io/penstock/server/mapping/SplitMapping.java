package io.penstock.server.mapping;

import io.penstock.core.discovery.ClusterUpstreamSettings;
import io.penstock.core.split.ReadPart;
import io.penstock.core.split.SplitUpstreamSettings;
import io.penstock.server.config.InvalidConfigurationException;
import io.penstock.server.config.PenstockProperties;
import io.penstock.server.config.PropertiesReader;
import io.penstock.server.mapping.PartTargets.Target;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Maps the properties of an upstream with other upstreams for writes and for reads. */
final class SplitMapping {

  private final PropertiesReader reader;
  private final String section;
  private final PartTargets targets;

  /**
   * @param upstream what the keys of the upstream begin with, below {@code penstock}
   */
  SplitMapping(PropertiesReader reader, String upstream, PartTargets targets) {
    this.reader = reader;
    this.section = upstream + "split.";
    this.targets = targets;
  }

  /**
   * Returns the upstream.
   *
   * @throws InvalidConfigurationException if it is invalid
   */
  SplitUpstreamSettings map(PenstockProperties.Split split) {
    Target write = targets.find(section + "write", List.of(name("write", split.write())), false);
    if (split.read().isEmpty()) {
      throw reader.invalid(
          section + "read", "it is not set", "write the names of the upstreams for reads");
    }
    List<Target> all = new ArrayList<>(List.of(write));
    List<ReadPart> read = new ArrayList<>();
    for (int i = 0; i < split.read().size(); i++) {
      String element = "read[" + i + "]";
      String key = reader.isSet(section + element) ? element : "read";
      String name = name(key, split.read().get(i));
      ReadPart part = targets.findForReads(section + key, name);
      rejectOtherPartitions(key, name, write, part);
      read.add(part);
      all.add(new Target(section + key, name, part.upstream(), null));
    }
    PartRules rules = new PartRules(reader);
    rules.rejectSameServer(
        all, "write each server once; reads.from is for replicas of the servers for writes");
    rules.rejectOtherDatabases(all);
    return new SplitUpstreamSettings(write.kind(), read);
  }

  private String name(String key, @Nullable String name) {
    if (name == null || name.isBlank()) {
      throw reader.invalid(section + key, "it is not set", "write the name of an upstream");
    }
    if (name.contains("://")) {
      throw reader.invalid(
          section + key,
          "it is a URL",
          "write it as an upstream of its own, and the name of that one here");
    }
    return name.strip();
  }

  /** A key of the upstream for writes must be found at the one for reads. */
  private void rejectOtherPartitions(String key, String name, Target write, ReadPart part) {
    if (part.upstream() instanceof ClusterUpstreamSettings
        && !(write.kind() instanceof ClusterUpstreamSettings)) {
      throw reader.invalid(
          section + key,
          "upstream %s is a Redis Cluster, and %s is none: its commands are not divided by slot"
              .formatted(name, write.label()),
          "write a single server or a Sentinel group, or a cluster for writes too");
    }
  }
}
