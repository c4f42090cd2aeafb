package io.penstock.server.mapping;

import io.penstock.core.division.SpreadUpstreamSettings;
import io.penstock.core.split.ReadPart;
import io.penstock.core.topology.ProxiesUpstreamSettings;
import io.penstock.core.topology.SingleUpstreamSettings;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.NodeTransport;
import io.penstock.server.config.InvalidConfigurationException;
import io.penstock.server.config.PropertiesReader;
import io.penstock.server.url.Resource;
import io.penstock.server.url.ResourceUrl;
import io.penstock.server.url.ShardUrl;
import io.penstock.server.url.UrlRules;
import io.penstock.server.url.UrlSecrets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds out what a part of an upstream is: a server by its URL, or another upstream by its name.
 */
final class PartTargets {

  private static final String EXAMPLE = "the URL of a server, as in redis://10.0.0.1:6379";

  private final PropertiesReader reader;
  private final Resources upstreams;
  private final UrlSecrets secrets;

  /** The upstreams of the configuration. */
  interface Resources {

    /** Returns all names. */
    Set<String> names();

    /** Returns whether the upstream of a name is plain TCP, which cannot be a part. */
    boolean isTcp(String name);

    /** Returns whether what is written to an upstream goes to copies, too. */
    boolean hasCopies(String name);

    /**
     * Returns an upstream of these, which is mapped now if it was not before; null if it is mapped
     * at this moment, because it is a part of itself.
     */
    @Nullable Resource find(String name);
  }

  PartTargets(PropertiesReader reader, Resources upstreams) {
    this(reader, upstreams, UrlSecrets.NONE);
  }

  private PartTargets(PropertiesReader reader, Resources upstreams, UrlSecrets secrets) {
    this.reader = reader;
    this.upstreams = upstreams;
    this.secrets = secrets;
  }

  /** Returns these with passwords for servers by their URLs. */
  PartTargets with(UrlSecrets ofServers) {
    return new PartTargets(reader, upstreams, ofServers);
  }

  /**
   * What a part is.
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
   * @throws InvalidConfigurationException if it names none, or what cannot be a part
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

  /**
   * Returns the upstream that a key names for reads: also one whose URL is only for reads.
   *
   * @throws InvalidConfigurationException if it names none, or what has no nodes of its own
   */
  ReadPart findForReads(String key, String name) {
    Resource resource = resource(key, name);
    if (!resource.upstream().parts().isEmpty()
        || resource.upstream() instanceof ProxiesUpstreamSettings) {
      throw reader.invalid(
          key,
          "upstream %s is %s, which cannot be for reads"
              .formatted(name, resource.upstream().description()),
          "write an upstream with redis://, redis-sentinel:// or redis-cluster://, or one of those"
              + " that end in -slaves");
    }
    return new ReadPart(
        resource.upstream(),
        resource.use() != Resource.Use.READ_REPLICAS,
        resource.use() != Resource.Use.READ_AND_WRITE);
  }

  private Resource resource(String key, String name) {
    if (!upstreams.names().contains(name)) {
      throw reader.invalid(key, "there is no upstream " + name, "write " + known());
    }
    if (upstreams.isTcp(name)) {
      throw reader.invalid(
          key,
          "upstream " + name + " is plain TCP, and has no commands and keys to select by",
          "write an upstream with a resource");
    }
    if (upstreams.hasCopies(name)) {
      throw reader.invalid(
          key,
          "upstream " + name + " has copies, which would not get what is written through another",
          "write its primary here, or give this upstream the copies");
    }
    Resource resource = upstreams.find(name);
    if (resource == null) {
      throw reader.invalid(
          key, "upstream " + name + " would be a part of itself", "write another upstream");
    }
    return resource;
  }

  private Target upstream(String key, String name) {
    Resource resource = resource(key, name);
    if (resource.use() != Resource.Use.READ_AND_WRITE) {
      throw reader.invalid(
          key,
          "upstream "
              + name
              + " is only for reads: its URL begins with a scheme that ends in -slaves",
          "write an upstream with redis-sentinel:// or redis-cluster://");
    }
    if (resource.upstream() instanceof ProxiesUpstreamSettings
        || resource.upstream() instanceof SpreadUpstreamSettings) {
      throw reader.invalid(
          key,
          "upstream "
              + name
              + " is "
              + resource.upstream().description()
              + ", which cannot be a part of another one",
          "write an upstream with redis://, redis-sentinel:// or redis-cluster://, shards, split,"
              + " or a rule for keys");
    }
    return new Target(key, name, resource.upstream(), null);
  }

  private String known() {
    return upstreams.names().isEmpty()
        ? EXAMPLE
        : upstreams.names().stream()
            .sorted()
            .collect(Collectors.joining(", ", "the name of an upstream: ", ""));
  }
}
