package io.penstock.server.mapping;

import io.penstock.core.division.DividedUpstreamSettings;
import io.penstock.core.division.Division;
import io.penstock.core.division.PrefixDivision;
import io.penstock.core.division.SpreadUpstreamSettings;
import io.penstock.core.division.WeightedDivision;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.server.config.InvalidConfigurationException;
import io.penstock.server.config.PenstockProperties;
import io.penstock.server.config.PenstockProperties.WeightedBy;
import io.penstock.server.config.PropertiesReader;
import io.penstock.server.mapping.PartTargets.Target;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Maps the properties of an upstream that selects another one for each key. */
final class DivisionMapping {

  private final PropertiesReader reader;
  private final String section;
  private final PartTargets targets;
  private final Map<String, Integer> partOf = new LinkedHashMap<>(); // by name of the upstream
  private final List<Target> parts = new ArrayList<>();

  /**
   * @param section what the keys of the upstream begin with, below {@code penstock}
   */
  DivisionMapping(PropertiesReader reader, String section, PartTargets targets) {
    this.reader = reader;
    this.section = section;
    this.targets = targets;
  }

  /** Returns whether these properties are of such an upstream. */
  static boolean isDivided(PenstockProperties.Upstream upstream) {
    return keyOf(upstream) != null;
  }

  /** Returns the first key of the rule, below the upstream; null if there is none. */
  static @Nullable String keyOf(PenstockProperties.Upstream upstream) {
    if (!upstream.byPrefix().isEmpty()) {
      return "by-prefix";
    }
    if (!upstream.weighted().isEmpty()) {
      return "weighted";
    }
    return upstream.otherwise() != null ? "otherwise" : upstream.by() != null ? "by" : null;
  }

  /**
   * Returns the upstream.
   *
   * @throws InvalidConfigurationException if it is invalid
   */
  UpstreamSettings map(PenstockProperties.Upstream upstream) {
    if (!upstream.weighted().isEmpty() && isByPrefix(upstream)) {
      throw invalid(
          upstream.otherwise() != null ? "otherwise" : "weighted[0].upstream",
          "by-prefix and weighted cannot both be the rule, and otherwise belongs to by-prefix",
          "remove one of them");
    }
    if (upstream.by() != null && upstream.weighted().isEmpty()) {
      throw invalid(
          "by",
          "there is no list weighted, whose rule it is a part of",
          "write " + reader.written(section + "weighted") + ", or remove this key");
    }
    Division division = isByPrefix(upstream) ? byPrefix(upstream) : weighted(upstream);
    PartRules rules = new PartRules(reader);
    rules.rejectSameServer(parts, "write the same upstream for both, or remove one of them");
    rules.rejectOtherDatabases(parts);
    List<UpstreamSettings> kinds = parts.stream().map(Target::kind).toList();
    return division instanceof WeightedDivision weights && upstream.by() == WeightedBy.CLIENT
        ? new SpreadUpstreamSettings(weights, kinds)
        : new DividedUpstreamSettings(division, kinds);
  }

  private static boolean isByPrefix(PenstockProperties.Upstream upstream) {
    return !upstream.byPrefix().isEmpty() || upstream.otherwise() != null;
  }

  private PrefixDivision byPrefix(PenstockProperties.Upstream upstream) {
    Map<String, Integer> prefixes = new LinkedHashMap<>();
    for (int i = 0; i < upstream.byPrefix().size(); i++) {
      PenstockProperties.PrefixedUpstream each = upstream.byPrefix().get(i);
      String element = "by-prefix[" + i + "]";
      String prefix = each.prefix();
      if (prefix == null || prefix.isEmpty()) {
        throw invalid(
            element + ".prefix",
            "it is not set",
            "write what keys begin with; otherwise is for all other keys");
      }
      if (prefixes.putIfAbsent(prefix, part(element + ".upstream", each.upstream())) != null) {
        throw invalid(element + ".prefix", "it is there twice", "remove one of them");
      }
    }
    if (prefixes.isEmpty()) {
      throw invalid("by-prefix", "it is not set", "write a list of prefixes, or a resource");
    }
    int otherwise = part("otherwise", upstream.otherwise());
    return new PrefixDivision(prefixes, otherwise, parts.size());
  }

  private WeightedDivision weighted(PenstockProperties.Upstream upstream) {
    List<Integer> weights = new ArrayList<>();
    for (int i = 0; i < upstream.weighted().size(); i++) {
      PenstockProperties.WeightedUpstream each = upstream.weighted().get(i);
      String key = "weighted[" + i + "].upstream";
      if (part(key, each.upstream()) < i) {
        throw invalid(key, "it is there twice", "add its weights");
      }
      weights.add(each.weight());
    }
    if (weights.stream().allMatch(weight -> weight == 0)) {
      throw invalid("weighted[0].weight", "all weights are 0", "write one above");
    }
    return new WeightedDivision(weights);
  }

  /** Returns the number of an upstream among the parts. */
  private int part(String key, @Nullable String name) {
    if (name == null || name.isBlank()) {
      throw invalid(key, "it is not set", "write the name of an upstream");
    }
    if (name.contains("://")) {
      throw invalid(
          key, "it is a URL", "write it as an upstream of its own, and the name of that one here");
    }
    Target target = targets.find(section + key, List.of(name), false);
    Integer known = partOf.putIfAbsent(target.label(), parts.size());
    if (known == null) {
      parts.add(target);
      return parts.size() - 1;
    }
    return known;
  }

  private InvalidConfigurationException invalid(String key, String reason, String fix) {
    return reader.invalid(section + key, reason, fix);
  }
}
