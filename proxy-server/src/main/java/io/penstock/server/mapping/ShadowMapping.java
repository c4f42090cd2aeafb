package io.penstock.server.mapping;

import io.penstock.core.assembly.ProxySettings.Shadow;
import io.penstock.core.assembly.ProxySettings.Upstream;
import io.penstock.core.division.SpreadUpstreamSettings;
import io.penstock.core.topology.ProxiesUpstreamSettings;
import io.penstock.server.config.InvalidConfigurationException;
import io.penstock.server.config.PenstockProperties;
import io.penstock.server.config.PropertiesReader;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Maps the shadows of upstreams, and rejects those that cannot be. */
final class ShadowMapping {

  private static final int HUNDREDTHS = 100;

  private final PropertiesReader reader;
  private final PenstockProperties properties;
  private final Map<String, Upstream.Resp> upstreams = new LinkedHashMap<>();
  private final Set<String> ofTcp = new HashSet<>();
  private final @Nullable String demo;

  /**
   * @param demo the resource of {@code default} that replaces the configured one, or null
   */
  ShadowMapping(
      PropertiesReader reader,
      PenstockProperties properties,
      List<Upstream> upstreams,
      @Nullable String demo) {
    this.reader = reader;
    this.properties = properties;
    for (Upstream each : upstreams) {
      switch (each) {
        case Upstream.Resp resp -> this.upstreams.put(resp.name(), resp);
        case Upstream.Tcp tcp -> ofTcp.add(tcp.name());
      }
    }
    this.demo = demo;
  }

  /**
   * Returns the shadows, without those that get no share.
   *
   * @throws InvalidConfigurationException if one cannot be
   */
  List<Shadow> map() {
    List<Shadow> shadows = new ArrayList<>();
    for (Upstream.Resp upstream : upstreams.values()) {
      PenstockProperties.Shadow shadow = shadowOf(upstream.name());
      if (shadow != null) {
        String key = key(upstream.name());
        Upstream.Resp other = find(shadow, key);
        reject(upstream, other, key);
        int share = (int) Math.round(shadow.share() * HUNDREDTHS);
        if (share > 0) {
          shadows.add(new Shadow(upstream.name(), other.name(), share));
        }
      }
    }
    return shadows;
  }

  private String key(String upstream) {
    String section =
        UpstreamsMapping.isTranspond(upstream, properties, demo)
            ? "transpond.local."
            : UpstreamsMapping.prefix(upstream, properties, demo);
    return section + "shadow.upstream";
  }

  private PenstockProperties.@Nullable Shadow shadowOf(String upstream) {
    if (UpstreamsMapping.isTranspond(upstream, properties, demo)) {
      return properties.transpond().local().shadow();
    }
    PenstockProperties.Upstream named = properties.upstreams().get(upstream);
    return named == null ? null : named.shadow();
  }

  private Upstream.Resp find(PenstockProperties.Shadow shadow, String key) {
    String name = shadow.upstream();
    if (name == null || name.isBlank()) {
      throw reader.invalid(key, "it is not set", "write " + known());
    }
    Upstream.Resp found = upstreams.get(name.strip());
    if (found == null) {
      throw reader.invalid(key, unknown(name.strip()), "write " + known());
    }
    return found;
  }

  private String unknown(String name) {
    if (ofTcp.contains(name)) {
      return "upstream " + name + " is plain TCP";
    }
    return name.contains("://") ? "it is a URL" : "there is no upstream " + name;
  }

  private String known() {
    return upstreams.keySet().stream()
        .sorted()
        .collect(Collectors.joining(", ", "the name of another upstream: ", ""));
  }

  private void reject(Upstream.Resp upstream, Upstream.Resp other, String key) {
    String reason = copies(upstream, other);
    if (reason == null) {
      reason = servers(upstream, other);
    }
    if (reason == null) {
      reason = chain(upstream, other);
    }
    if (reason == null) {
      reason = kind(upstream, other);
    }
    if (reason != null) {
      throw reader.invalid(key, reason, "write another upstream, or remove this shadow");
    }
  }

  private @Nullable String copies(Upstream.Resp upstream, Upstream.Resp other) {
    PenstockProperties.Upstream named = properties.upstreams().get(other.name());
    if (named != null && named.primary() != null) {
      return "upstream %s has copies, and a shadow gets no writes to copy; its primary is %s"
          .formatted(other.name(), named.primary());
    }
    PenstockProperties.Upstream own = properties.upstreams().get(upstream.name());
    return own != null && MirrorMapping.readsCopies(own)
        ? "the copies of upstream %s answer its reads with reply quorum or safe-quorum, and a shadow"
                .formatted(upstream.name())
            + " would compare one that is compared already"
        : null;
  }

  private static @Nullable String servers(Upstream.Resp upstream, Upstream.Resp other) {
    if (upstream.name().equals(other.name())) {
      return "upstream " + other.name() + " would be its own shadow";
    }
    if (upstream.kind().tree().skip(1).anyMatch(other.kind()::equals)) {
      return "upstream %s is a part of upstream %s".formatted(other.name(), upstream.name());
    }
    return Collections.disjoint(upstream.kind().leaves(), other.kind().leaves())
        ? null
        : "upstream %s has servers of upstream %s, which cannot differ"
            .formatted(other.name(), upstream.name());
  }

  private @Nullable String chain(Upstream.Resp upstream, Upstream.Resp other) {
    return shadowOf(other.name()) == null
        ? null
        : "upstream %s has a shadow itself, and a shadow of a shadow of upstream %s would not be read"
            .formatted(other.name(), upstream.name());
  }

  private static @Nullable String kind(Upstream.Resp upstream, Upstream.Resp other) {
    for (Upstream.Resp each : List.of(upstream, other)) {
      if (each.reads().readOnly()) {
        return "upstream %s is only for reads, and shadow reads compare masters"
            .formatted(each.name());
      }
    }
    return other.kind() instanceof SpreadUpstreamSettings
            || other.kind() instanceof ProxiesUpstreamSettings
        ? "upstream %s is %s, where each client has its own servers, and a shadow read has no client"
            .formatted(other.name(), other.kind().description())
        : null;
  }
}
