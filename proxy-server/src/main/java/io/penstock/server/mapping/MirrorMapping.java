package io.penstock.server.mapping;

import io.penstock.core.topology.UpstreamSettings;
import io.penstock.server.config.InvalidConfigurationException;
import io.penstock.server.config.PenstockProperties;
import io.penstock.server.config.PenstockProperties.ReplyPolicy;
import io.penstock.server.config.PropertiesReader;
import io.penstock.server.mapping.PartTargets.Target;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Maps the properties of an upstream with a primary and copies. */
final class MirrorMapping {

  private static final String NAME = "write the name of an upstream";

  private final PropertiesReader reader;
  private final String section;
  private final PartTargets targets;

  /**
   * @param upstream what the keys of the upstream begin with, below {@code penstock}
   */
  MirrorMapping(PropertiesReader reader, String upstream, PartTargets targets) {
    this.reader = reader;
    this.section = upstream;
    this.targets = targets;
  }

  /** Returns whether copies answer reads, too. */
  static boolean readsCopies(PenstockProperties.Upstream upstream) {
    return upstream.reply() == ReplyPolicy.QUORUM || upstream.reply() == ReplyPolicy.SAFE_QUORUM;
  }

  /**
   * Returns whether an upstream has a primary.
   *
   * @throws InvalidConfigurationException if it has not, and has keys that say what copies get
   */
  boolean isCopied(PenstockProperties.Upstream upstream) {
    if (upstream.primary() != null) {
      return true;
    }
    for (String key :
        List.of("copies", "reply", "copy-queue-max-requests", "copy-queue-max-bytes")) {
      if (reader.isListSet(section + key)) {
        throw reader.invalid(
            section + key,
            reader.written(section + "primary") + ", whose writes are copied, is not set",
            "write primary: and the name of the upstream that clients read and write, or remove"
                + " this key");
      }
    }
    return false;
  }

  /**
   * Returns the upstream: the servers of the primary.
   *
   * @throws InvalidConfigurationException if the primary or a copy cannot be
   */
  UpstreamSettings map(String own, PenstockProperties.Upstream upstream) {
    String key = section + "primary";
    String primary = name(key, own, upstream.primary());
    Target target = targets.find(key, List.of(primary), false);
    List<Target> all = new ArrayList<>(List.of(target));
    if (upstream.copies().isEmpty()) {
      throw reader.invalid(
          section + "copies", "it is not set", "write the names of the upstreams for copies");
    }
    Set<String> names = new HashSet<>();
    for (int i = 0; i < upstream.copies().size(); i++) {
      String element = section + "copies[" + i + "]";
      String copyKey = reader.isSet(element) ? element : section + "copies";
      String name = name(copyKey, own, upstream.copies().get(i));
      if (name.equals(primary)) {
        throw reader.invalid(
            copyKey, "upstream " + name + " is the primary", "write another upstream");
      }
      if (!names.add(name)) {
        throw reader.invalid(
            copyKey, "upstream " + name + " is listed twice", "write each copy once");
      }
      all.add(targets.find(copyKey, List.of(name), false));
    }
    var rules = new PartRules(reader);
    rules.rejectSameServer(all, "write upstreams with other servers: a copy has data of its own");
    rules.rejectOtherDatabases(all);
    return target.kind();
  }

  private String name(String key, String own, @Nullable String name) {
    if (name == null || name.isBlank()) {
      throw reader.invalid(key, "it is not set", NAME);
    }
    if (name.contains("://")) {
      throw reader.invalid(
          key, "it is a URL", "write it as an upstream of its own, and the name of that one here");
    }
    if (name.strip().equals(own)) {
      throw reader.invalid(
          key, "upstream " + own + " would be its own primary or copy", "write another upstream");
    }
    return name.strip();
  }
}
