package io.penstock.server.mapping;

import io.penstock.core.topology.ProxiesUpstreamSettings;
import io.penstock.core.topology.SingleUpstreamSettings;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.NodeTransport;
import io.penstock.server.config.InvalidConfigurationException;
import io.penstock.server.config.PenstockProperties;
import io.penstock.server.config.PropertiesReader;
import io.penstock.server.url.Resource;
import io.penstock.server.url.ResourceUrl;
import io.penstock.server.url.ShardUrl;
import io.penstock.server.url.UrlRules;
import io.penstock.server.url.UrlSecrets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Finds out what a shard is: a server by its URL, or another upstream by its name. */
final class ShardTargets {

  private static final String EXAMPLE = "the URL of a server, as in redis://10.0.0.1:6379";

  private final PropertiesReader reader;
  private final Map<String, PenstockProperties.Upstream> upstreams;
  private final Map<String, Resource> resources;
  private final UrlSecrets secrets;

  /**
   * @param upstreams all upstreams, by name
   * @param resources those that do not consist of shards
   */
  ShardTargets(
      PropertiesReader reader,
      Map<String, PenstockProperties.Upstream> upstreams,
      Map<String, Resource> resources) {
    this(reader, upstreams, resources, UrlSecrets.NONE);
  }

  private ShardTargets(
      PropertiesReader reader,
      Map<String, PenstockProperties.Upstream> upstreams,
      Map<String, Resource> resources,
      UrlSecrets secrets) {
    this.reader = reader;
    this.upstreams = upstreams;
    this.resources = resources;
    this.secrets = secrets;
  }

  /** Returns these with passwords for servers by their URLs. */
  ShardTargets with(UrlSecrets ofServers) {
    return new ShardTargets(reader, upstreams, resources, ofServers);
  }

  /**
   * What a shard is.
   *
   * @param url if it is a server by its URL; null if it is an upstream by its name
   */
  record Target(String key, String label, UpstreamSettings kind, @Nullable ShardUrl url) {

    /** Returns whether it is a server whose URL says that it has TLS. */
    boolean tls() {
      return url != null && url.resource().tls();
    }

    /** Returns what it is. A server has this transport, with TLS if its URL says so. */
    UpstreamSettings with(NodeTransport wanted) {
      return url == null ? kind : kind.with(tls() ? wanted : wanted.withoutTls());
    }
  }

  /**
   * Returns what a key names.
   *
   * @param key of {@code to}, for messages
   * @param to its elements
   * @param parameters whether a URL may have those of a server among others
   * @throws InvalidConfigurationException if it names none, or what cannot be a shard
   */
  Target find(String key, List<String> to, boolean parameters) {
    if (to.isEmpty() || to.getFirst().isBlank()) {
      throw reader.invalid(
          key, "it is not set", "write " + EXAMPLE + ", or the name of an upstream");
    }
    String text = to.getFirst().strip();
    if (!text.contains("://")) {
      if (to.size() > 1) {
        throw reader.invalid(
            key,
            "a list names a master and its replicas by their URLs, and " + text + " is none",
            "write the name of one upstream alone, or a list of URLs");
      }
      return upstream(key, text);
    }
    Target master = server(key, text, parameters);
    return to.size() == 1 ? master : withReplicas(master, to.subList(1, to.size()));
  }

  private Target withReplicas(Target master, List<String> texts) {
    var single = (SingleUpstreamSettings) master.kind();
    List<Endpoint> replicas = new ArrayList<>();
    for (String text : texts) {
      String key = master.key();
      if (!text.contains("://")) {
        throw reader.invalid(
            key, "a replica is not a URL", "write " + EXAMPLE + ", for each of them");
      }
      var replica = (SingleUpstreamSettings) server(key, text.strip(), false).kind();
      if (server(key, text.strip(), false).tls() != master.tls()) {
        throw reader.invalid(
            key, "one of them is reached with TLS and one without", "write rediss:// for all");
      }
      if (!Objects.equals(replica.credentials(), single.credentials())
          || replica.database() != single.database()) {
        throw reader.invalid(
            key,
            "replica "
                + replica.node()
                + " has another user, password or database than its master "
                + single.node(),
            "write the same for all of them");
      }
      if (replica.node().equals(single.node()) || replicas.contains(replica.node())) {
        throw reader.invalid(key, replica.node() + " is listed twice", "write each server once");
      }
      replicas.add(replica.node());
    }
    return new Target(master.key(), master.label(), single.withReplicas(replicas), master.url());
  }

  private Target server(String key, String text, boolean parameters) {
    ShardUrl url;
    try {
      url =
          parameters
              ? ResourceUrl.parseShard(text, secrets)
              : new ShardUrl(
                  ResourceUrl.parse(text, UrlRules.PENSTOCK, secrets), "", null, null, List.of());
    } catch (ResourceUrl.InvalidUrlException e) {
      throw reader.invalid(key, e.reason(), e.fix());
    }
    if (!(url.resource().upstream() instanceof SingleUpstreamSettings single)) {
      throw reader.invalid(
          key,
          "the URL of a shard names a single server",
          "write this URL as an upstream of its own, and the name of that upstream here");
    }
    return new Target(key, single.node().toString(), single, url);
  }

  private Target upstream(String key, String name) {
    PenstockProperties.Upstream properties = upstreams.get(name);
    Resource resource = resources.get(name);
    if (resource == null && properties == null) {
      throw reader.invalid(key, "there is no upstream " + name, "write " + EXAMPLE + known());
    }
    if (resource == null) {
      throw reader.invalid(
          key,
          "upstream " + name + " consists of shards itself",
          "write the shards of that upstream here");
    }
    if (resource.upstream() instanceof ProxiesUpstreamSettings
        || resource.use() != Resource.Use.READ_AND_WRITE) {
      throw reader.invalid(
          key,
          "upstream " + name + " is " + resource.upstream().description() + ", which is no shard",
          "write an upstream with redis://, redis-sentinel:// or redis-cluster://");
    }
    return new Target(key, name, resource.upstream(), null);
  }

  private String known() {
    return resources.isEmpty()
        ? ""
        : resources.keySet().stream()
            .sorted()
            .collect(Collectors.joining(", ", ", or one of the upstreams ", ""));
  }
}
