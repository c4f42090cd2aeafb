package io.penstock.server.mapping;

import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.assembly.ProxySettings.Listener;
import io.penstock.core.assembly.ProxySettings.Mirror;
import io.penstock.core.assembly.ProxySettings.Upstream;
import io.penstock.core.copies.MirrorSettings;
import io.penstock.core.copies.ReplyPolicy;
import io.penstock.core.split.SplitUpstreamSettings;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.server.config.InvalidConfigurationException;
import io.penstock.server.config.PenstockProperties;
import io.penstock.server.config.PropertiesReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Maps which upstreams have copies, and rejects those that concern one another. */
final class MirrorCheck {

  private static final Logger LOG = LoggerFactory.getLogger(MirrorCheck.class);

  private final PropertiesReader reader;
  private final PenstockProperties properties;
  private final Map<String, Upstream.Resp> upstreams = new HashMap<>();

  MirrorCheck(PropertiesReader reader, PenstockProperties properties, List<Upstream> upstreams) {
    this.reader = reader;
    this.properties = properties;
    for (Upstream each : upstreams) {
      if (each instanceof Upstream.Resp resp) {
        this.upstreams.put(resp.name(), resp);
      }
    }
  }

  /**
   * Returns the upstreams with copies, in the order in which they are written.
   *
   * @param ofTable those that a resource table describes
   * @throws InvalidConfigurationException if one cannot be
   */
  List<Mirror> map(List<Mirror> ofTable) {
    List<Mirror> mirrors = new ArrayList<>(ofTable);
    properties
        .upstreams()
        .forEach((name, upstream) -> {
          String primary = upstream.primary();
          if (primary != null) {
            rejectReads(name, upstream);
            Mirror mirror =
                new Mirror(
                    name,
                    primary.strip(),
                    upstream.copies().stream().map(String::strip).toList(),
                    settings(upstream));
            mirrors.forEach(other -> rejectCommon(mirror, other));
            mirrors.add(mirror);
          }
        });
    return mirrors;
  }

  /** Warns of listeners whose clients write to a primary past its copies. */
  static void warnOfListeners(ProxySettings settings) {
    for (Mirror mirror : settings.mirrors()) {
      UpstreamSettings primary = written(settings.respUpstream(mirror.of()));
      for (Listener listener : settings.listeners()) {
        if (!listener.upstream().equals(mirror.of())
            && settings.upstream(listener.upstream()) instanceof Upstream.Resp other
            && !other.reads().readOnly()
            && PartRules.haveSameServer(written(other), primary)) {
          LOG.warn(
              "Listener {} serves upstream {}, and its servers are the primary of upstream {}:"
                  + " copies do not get what clients write there",
              listener.name(),
              other.name(),
              mirror.of());
        }
      }
    }
  }

  /** Returns the upstream for writes. */
  private static UpstreamSettings written(Upstream.Resp upstream) {
    return upstream.kind() instanceof SplitUpstreamSettings split ? split.write() : upstream.kind();
  }

  private static MirrorSettings settings(PenstockProperties.Upstream upstream) {
    return new MirrorSettings(
        policy(upstream), upstream.copyQueueMaxRequests(), upstream.copyQueueMaxBytes().toBytes());
  }

  private static ReplyPolicy policy(PenstockProperties.Upstream upstream) {
    return switch (Objects.requireNonNullElse(
        upstream.reply(), PenstockProperties.ReplyPolicy.PRIMARY)) {
      case PRIMARY -> ReplyPolicy.PRIMARY;
      case ALL -> ReplyPolicy.ALL;
      case QUORUM -> ReplyPolicy.QUORUM;
      case SAFE_QUORUM -> ReplyPolicy.SAFE_QUORUM;
    };
  }

  /** A quorum of reads is one of masters: replicas may be behind in different ways. */
  private void rejectReads(String name, PenstockProperties.Upstream upstream) {
    if (MirrorMapping.readsCopies(upstream) && upstream(name).reads().usesReplicas()) {
      throw reader.invalid(
          "upstreams." + name + ".reads.from",
          "reply quorum and safe-quorum compare what the masters of the primary and of its copies"
              + " answer, and replicas may be behind",
          "write master, or reply: primary or all");
    }
  }

  /** What is written through one of the two would not reach the copies of the other. */
  private void rejectCommon(Mirror mirror, Mirror other) {
    for (int i = -1; i < mirror.copies().size(); i++) {
      String name = i < 0 ? mirror.primary() : mirror.copies().get(i);
      String key = "upstreams." + mirror.of() + (i < 0 ? ".primary" : ".copies[" + i + "]");
      if (has(name, other.primary())) {
        throw reader.invalid(
            reader.isSet(key) ? key : "upstreams." + mirror.of() + ".copies",
            "upstream %s has servers of the primary of upstream %s, whose copies would not get this"
                    .formatted(name, other.of())
                + " one's writes",
            "write all copies at one upstream, and use that one");
      }
      for (String copy : other.copies()) {
        if (has(name, copy)) {
          throw reader.invalid(
              reader.isSet(key) ? key : "upstreams." + mirror.of() + ".copies",
              "upstream %s has servers of a copy of upstream %s, and a copy has one primary"
                  .formatted(name, other.of()),
              "write an upstream with other servers");
        }
      }
    }
  }

  private boolean has(String name, String other) {
    return PartRules.haveSameServer(upstream(name).kind(), upstream(other).kind());
  }

  private Upstream.Resp upstream(String name) {
    return Objects.requireNonNull(upstreams.get(name));
  }
}
