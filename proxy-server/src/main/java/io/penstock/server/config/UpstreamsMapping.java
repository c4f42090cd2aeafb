package io.penstock.server.config;

import io.penstock.core.ProxySettings;
import io.penstock.core.ProxySettings.Backend;
import io.penstock.core.ProxySettings.FailoverHold;
import io.penstock.core.ProxySettings.Refresh;
import io.penstock.core.ProxySettings.Upstream;
import io.penstock.core.backend.QueueLimits;
import io.penstock.server.url.Resource;
import io.penstock.server.url.ResourceUrl;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Maps the properties of upstreams to the core's settings, and rejects those that conflict. */
final class UpstreamsMapping {

  /** The upstream that {@code transpond} describes. */
  static final String DEFAULT = ProxySettings.DEFAULT_NAME;

  private static final String TRANSPOND = "transpond.local.resource";

  private static final String PREFIX = "upstreams.";

  private final PropertiesReader reader;

  UpstreamsMapping(PropertiesReader reader) {
    this.reader = reader;
  }

  /**
   * Returns the upstreams: {@code default} first, if it is there, and then as they are written.
   *
   * @param demo the resource of {@code default} that replaces the configured one, or null
   * @throws InvalidConfigurationException if one is invalid
   */
  List<Upstream> map(PenstockProperties properties, @Nullable String demo) {
    Map<String, PenstockProperties.Upstream> all = all(properties, demo);
    Map<String, Resource> resources = new LinkedHashMap<>();
    all.forEach((name, upstream) -> {
      if (upstream.shards() == null) {
        resources.put(name, resource(upstream.resource(), keyOfResource(name, properties, demo)));
      }
    });
    ShardTargets targets = new ShardTargets(reader, all, resources);
    List<Upstream> upstreams = new ArrayList<>();
    all.forEach((name, upstream) -> {
      String prefix = prefix(name, properties, demo);
      PenstockProperties.Shards shards = upstream.shards();
      Resource resource = resources.get(name);
      if (shards != null) {
        resource = Resource.of(new ShardsMapping(reader, prefix, targets).map(shards));
      }
      upstreams.add(upstream(name, upstream, Objects.requireNonNull(resource), prefix));
    });
    new PartsCheck(reader, upstreams).warnOfKeysWithoutEffect();
    return upstreams;
  }

  /** Returns the properties of all upstreams in their order. */
  private Map<String, PenstockProperties.Upstream> all(
      PenstockProperties properties, @Nullable String demo) {
    Map<String, PenstockProperties.Upstream> all = new LinkedHashMap<>();
    boolean transpond = hasTranspond(properties, demo);
    if (transpond) {
      String resource = demo == null ? properties.transpond().local().resource() : demo;
      all.put(DEFAULT, properties.upstreamOf(resource));
    }
    properties
        .upstreams()
        .forEach((name, upstream) -> {
          if (name.equals(DEFAULT) && transpond && demo == null) {
            throw invalid(
                upstreamKey(name, upstream),
                reader.written(TRANSPOND) + " is the upstream default too",
                "remove one of them, or give this upstream another name");
          }
          if (upstream.shards() != null && upstream.resource() != null) {
            throw invalid(
                PREFIX + name + ".resource",
                "this upstream has shards too, and only one of the two can be its servers",
                "remove one of them");
          }
          all.putIfAbsent(name, upstream);
        });
    return all;
  }

  private static boolean hasTranspond(PenstockProperties properties, @Nullable String demo) {
    String resource = demo == null ? properties.transpond().local().resource() : demo;
    return resource != null && !resource.isBlank();
  }

  private static String upstreamKey(String name, PenstockProperties.Upstream upstream) {
    return PREFIX + name + (upstream.shards() == null ? ".resource" : ".shards.distribution");
  }

  private static String keyOfResource(
      String name, PenstockProperties properties, @Nullable String demo) {
    return name.equals(DEFAULT) && hasTranspond(properties, demo)
        ? TRANSPOND
        : PREFIX + name + ".resource";
  }

  /** Returns what the keys of an upstream begin with. */
  private static String prefix(String name, PenstockProperties properties, @Nullable String demo) {
    return name.equals(DEFAULT) && hasTranspond(properties, demo) ? "" : PREFIX + name + ".";
  }

  private Upstream upstream(
      String name, PenstockProperties.Upstream upstream, Resource resource, String prefix) {
    return new Upstream(
        name,
        resource.upstream(),
        backend(upstream.backend()),
        new Refresh(upstream.topology().refreshPeriod(), upstream.topology().minRefreshInterval()),
        new ReadsMapping(reader, prefix).map(upstream.reads(), resource));
  }

  private Resource resource(@Nullable String url, String key) {
    if (url == null || url.isBlank()) {
      throw invalid(
          key,
          "it is not set",
          "write the URL of its servers, as in redis://10.0.0.1:6379, or shards");
    }
    try {
      return ResourceUrl.parse(url.strip(), reader.urlRules());
    } catch (ResourceUrl.InvalidUrlException e) {
      throw invalid(key, e.reason(), e.fix());
    }
  }

  private static Backend backend(PenstockProperties.Backend backend) {
    return new Backend(
        backend.connectTimeout(),
        backend.commandTimeout(),
        backend.connectionsPerLoop(),
        backend.exclusiveConnectionsPerLoop(),
        new FailoverHold(backend.failoverHold(), backend.failoverHoldRequests()),
        new QueueLimits(backend.maxInFlightPerConnection(), backend.maxUnsent().toBytes()));
  }

  private InvalidConfigurationException invalid(String key, String reason, String fix) {
    return new InvalidConfigurationException(reader.fault(key, reason, fix));
  }
}
