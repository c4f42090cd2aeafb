package io.penstock.server.mapping;

import io.penstock.core.sentinel.SentinelUpstreamSettings;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.server.config.InvalidConfigurationException;
import io.penstock.server.config.PropertiesReader;
import io.penstock.server.mapping.PartTargets.Target;
import java.util.Collections;
import java.util.List;

/** What the parts of an upstream must have in common, and what not. */
final class PartRules {

  private final PropertiesReader reader;

  PartRules(PropertiesReader reader) {
    this.reader = reader;
  }

  /**
   * Rejects parts with a server in common: what concerns all keys would find it twice.
   *
   * @param fix what to do instead
   * @throws InvalidConfigurationException if there are such
   */
  void rejectSameServer(List<Target> parts, String fix) {
    for (int i = 0; i < parts.size(); i++) {
      for (int j = 0; j < i; j++) {
        UpstreamSettings one = parts.get(i).kind();
        UpstreamSettings other = parts.get(j).kind();
        if (haveSameServer(one, other)) {
          boolean single = one.parts().isEmpty() && other.parts().isEmpty();
          throw reader.invalid(
              parts.get(i).key(),
              reader.written(parts.get(j).key())
                  + (single ? " is the same server" : " has a server of this one too"),
              fix);
        }
      }
    }
  }

  /** Returns whether two upstreams have a server in common, as far as the addresses say. */
  static boolean haveSameServer(UpstreamSettings one, UpstreamSettings other) {
    return one.leaves().stream()
        .anyMatch(leaf -> other.leaves().stream().anyMatch(each -> isSameServer(leaf, each)));
  }

  /** Sentinels know several masters, by their names. */
  private static boolean isSameServer(UpstreamSettings one, UpstreamSettings other) {
    boolean common = !Collections.disjoint(one.addresses(), other.addresses());
    if (one instanceof SentinelUpstreamSettings a) {
      return common
          && other instanceof SentinelUpstreamSettings b
          && a.masterName().equals(b.masterName());
    }
    return common && !(other instanceof SentinelUpstreamSettings);
  }

  /**
   * Rejects parts with different databases.
   *
   * @throws InvalidConfigurationException if there are such
   */
  void rejectOtherDatabases(List<Target> parts) {
    Target first = parts.getFirst();
    int database = first.kind().access().database();
    for (Target part : parts) {
      int other = part.kind().access().database();
      if (other != database) {
        throw reader.invalid(
            part.key(),
            "its database is %d, and that of %s is %d"
                .formatted(other, reader.written(first.key()), database),
            "write the same database for all of them, with ?db=; a Redis Cluster has only 0");
      }
    }
  }
}
