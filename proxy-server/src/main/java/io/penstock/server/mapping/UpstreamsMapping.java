package io.penstock.server.mapping;

import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.assembly.ProxySettings.Backend;
import io.penstock.core.assembly.ProxySettings.FailoverHold;
import io.penstock.core.assembly.ProxySettings.Mirror;
import io.penstock.core.assembly.ProxySettings.Refresh;
import io.penstock.core.assembly.ProxySettings.Upstream;
import io.penstock.core.backend.QueueLimits;
import io.penstock.core.control.ControlPlane;
import io.penstock.core.tls.NodeTls;
import io.penstock.core.tls.NodeTls.Verify;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.transport.Transport;
import io.penstock.core.transport.UnixSockets;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.NodeTransport;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.server.config.InvalidConfigurationException;
import io.penstock.server.config.PenstockProperties;
import io.penstock.server.config.PropertiesReader;
import io.penstock.server.table.InvalidTableException;
import io.penstock.server.table.RouteTable;
import io.penstock.server.table.TableFile;
import io.penstock.server.table.TableParser;
import io.penstock.server.tls.TlsBundles;
import io.penstock.server.tls.UnusableBundleException;
import io.penstock.server.url.Resource;
import io.penstock.server.url.ResourceUrl;
import io.penstock.server.url.UrlSecrets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Maps the properties of upstreams to the core's settings, and rejects those that conflict. */
final class UpstreamsMapping {

  /** The upstream that {@code transpond} describes. */
  static final String DEFAULT = ProxySettings.DEFAULT_NAME;

  private static final String TRANSPOND = "transpond.local.resource";

  private static final String SECTION = "transpond.local.";
  private static final String TABLE = SECTION + "json-file";
  private static final String COMPLEX = "complex";

  private static final String PREFIX = "upstreams.";

  private final PropertiesReader reader;
  private final TlsBundles bundles;
  private final Transport transport;
  private @Nullable TableCopies tableCopies; // once the table is mapped; null without any

  /**
   * @param transport as configured
   */
  UpstreamsMapping(PropertiesReader reader, TlsBundles bundles, Transport transport) {
    this.reader = reader;
    this.bundles = bundles;
    this.transport = transport;
  }

  /**
   * Returns the upstreams: {@code default} first, if it is there, and then as they are written.
   *
   * @param demo the resource of {@code default} that replaces the configured one, or null
   * @throws InvalidConfigurationException if one is invalid
   */
  List<Upstream> map(PenstockProperties properties, @Nullable String demo) {
    Map<String, PenstockProperties.Upstream> all = all(properties, demo);
    Resources resources = new Resources(all, properties, demo);
    List<Upstream> upstreams = new ArrayList<>();
    List<Upstream.Resp> ofResp = new ArrayList<>();
    all.forEach((name, upstream) -> {
      String prefix = prefix(name, properties, demo);
      PenstockProperties.Tcp tcp = upstream.tcp();
      if (tcp != null) {
        upstreams.add(tcp(name, upstream, tcp, prefix));
        return;
      }
      Resource resource = Objects.requireNonNull(resources.find(name));
      boolean table = isOfTable(name, properties, demo);
      ReadSettings reads = new ReadsMapping(reader, prefix).map(upstream.reads(), resource, table);
      Upstream.Resp mapped = upstream(name, upstream, resource, reads);
      ofResp.add(mapped);
      upstreams.add(mapped);
    });
    new PartsCheck(reader, all, ofResp).warnOfKeysWithoutEffect();
    TableCopies copies = tableCopies;
    if (copies != null) {
      rejectNamesOf(copies, all);
      upstreams.addAll(copies.upstreams(ofResp.getFirst()));
    }
    return upstreams;
  }

  /** Returns the upstreams with copies that a resource table describes. After {@link #map}. */
  List<Mirror> mirrorsOfTable() {
    TableCopies copies = tableCopies;
    return copies == null ? List.of() : List.of(copies.mirror());
  }

  private void rejectNamesOf(TableCopies copies, Map<String, PenstockProperties.Upstream> all) {
    for (String name : copies.names()) {
      PenstockProperties.Upstream other = all.get(name);
      if (other != null) {
        throw reader.invalid(
            upstreamKey(name, other),
            "the resource table has an upstream of this name: one of its resources for writes",
            "give this upstream another name");
      }
    }
  }

  private Upstream.Tcp tcp(
      String name,
      PenstockProperties.Upstream upstream,
      PenstockProperties.Tcp tcp,
      String prefix) {
    TcpMapping mapping = new TcpMapping(reader, prefix, transport);
    mapping.rejectKeysOfResp();
    if (!tcp.tls()) {
      mapping.rejectKeysWithoutTls(upstream.tls());
      return mapping.map(name, tcp, new NodeTransport(null, upstream.proxyProtocol()));
    }
    String section = prefix + "tls.";
    Upstream.Tcp mapped =
        mapping.map(
            name,
            tcp,
            new NodeTransport(nodeTls(upstream.tls(), section), upstream.proxyProtocol()));
    requireName(mapped.addresses(), upstream.tls(), section);
    return mapped;
  }

  /** What the upstreams are, each mapped when it is asked for. */
  private final class Resources implements PartTargets.Resources {

    private final Map<String, PenstockProperties.Upstream> all;
    private final PenstockProperties properties;
    private final @Nullable String demo;
    private final PartTargets targets = new PartTargets(reader, this);
    private final Map<String, Resource> mapped = new HashMap<>();
    private final Set<String> begun = new HashSet<>();

    Resources(
        Map<String, PenstockProperties.Upstream> all,
        PenstockProperties properties,
        @Nullable String demo) {
      this.all = all;
      this.properties = properties;
      this.demo = demo;
    }

    @Override
    public Set<String> names() {
      return all.keySet();
    }

    @Override
    public boolean isTcp(String name) {
      PenstockProperties.Upstream upstream = all.get(name);
      return upstream != null && upstream.tcp() != null;
    }

    @Override
    public boolean hasCopies(String name) {
      PenstockProperties.Upstream upstream = all.get(name);
      if (isOfTable(name, properties, demo)) {
        find(name);
        return tableCopies != null;
      }
      return upstream != null && upstream.primary() != null;
    }

    @Override
    public @Nullable Resource find(String name) {
      if (begun.add(name)) {
        mapped.put(name, map(name, Objects.requireNonNull(all.get(name))));
      }
      return mapped.get(name);
    }

    private Resource map(String name, PenstockProperties.Upstream upstream) {
      String prefix = prefix(name, properties, demo);
      PenstockProperties.Shards shards = upstream.shards();
      if (shards != null) {
        return shards(shards, upstream, prefix, targets.with(secrets(upstream, prefix)));
      }
      PenstockProperties.Split split = upstream.split();
      if (split != null) {
        rejectKeysOfServers(upstream, prefix);
        return Resource.of(new SplitMapping(reader, prefix, targets).map(split));
      }
      var copied = new MirrorMapping(reader, prefix, targets);
      if (copied.isCopied(upstream)) {
        rejectKeysOfServers(upstream, prefix);
        return Resource.of(copied.map(name, upstream));
      }
      if (DivisionMapping.isDivided(upstream)) {
        rejectKeysOfServers(upstream, prefix);
        return Resource.of(new DivisionMapping(reader, prefix, targets).map(upstream));
      }
      if (isOfTable(name, properties, demo)) {
        return table(properties.transpond(), upstream);
      }
      String key = keyOfResource(name, properties, demo);
      return transported(resource(upstream, key), upstream, key);
    }
  }

  /** Returns the properties of all upstreams in their order. */
  private Map<String, PenstockProperties.Upstream> all(
      PenstockProperties properties, @Nullable String demo) {
    Map<String, PenstockProperties.Upstream> all = new LinkedHashMap<>();
    boolean transpond = hasTranspond(properties, demo);
    rejectOtherType(properties.transpond().local());
    if (transpond) {
      all.put(DEFAULT, demo == null ? properties.defaultUpstream() : properties.upstreamOf(demo));
    } else {
      rejectSecretsOfNone(properties.transpond().local());
    }
    properties
        .upstreams()
        .forEach((name, upstream) -> {
          if (name.equals(DEFAULT) && transpond && demo == null) {
            throw reader.invalid(
                upstreamKey(name, upstream),
                reader.written(keyOf(DEFAULT, properties, demo)) + " is the upstream default too",
                "remove one of them, or give this upstream another name");
          }
          rejectSeveralKinds(name, upstream);
          all.putIfAbsent(name, upstream);
        });
    return all;
  }

  /** An upstream has one kind of servers: its own, or others. */
  private void rejectSeveralKinds(String name, PenstockProperties.Upstream upstream) {
    Map<String, String> kinds = new LinkedHashMap<>();
    if (upstream.resource() != null) {
      kinds.put(".resource", "a resource");
    }
    if (upstream.shards() != null) {
      kinds.put(".shards.distribution", "shards");
    }
    if (upstream.split() != null) {
      kinds.put(".split.write", "split");
    }
    if (upstream.primary() != null) {
      kinds.put(".primary", "primary");
    }
    if (upstream.tcp() != null) {
      kinds.put(".tcp.servers", "tcp");
    }
    String rule = DivisionMapping.keyOf(upstream);
    if (rule != null) {
      kinds.put("." + rule, rule);
    }
    if (kinds.size() > 1) {
      List<String> keys = List.copyOf(kinds.keySet());
      throw reader.invalid(
          PREFIX + name + keys.getFirst(),
          "this upstream has %s too, and only one of the two can be its servers"
              .formatted(kinds.get(keys.get(1))),
          "remove one of them");
    }
  }

  /** Rejects what would have no effect: upstreams that are selected have these keys. */
  private void rejectKeysOfServers(PenstockProperties.Upstream upstream, String prefix) {
    PenstockProperties.NodeTls tls = upstream.tls();
    Map<String, Boolean> keys = new LinkedHashMap<>();
    keys.put("tls.bundle", tls.bundle() != null);
    keys.put("tls.server-name", tls.serverName() != null);
    keys.put("tls.verify", tls.verify() != Verify.FULL);
    keys.put("password-file", upstream.passwordFile() != null);
    keys.put("sentinel-password-file", upstream.sentinelPasswordFile() != null);
    keys.put("proxy-protocol", upstream.proxyProtocol() != null);
    keys.forEach((key, set) -> {
      if (set) {
        throw reader.invalid(
            prefix + key,
            "the upstreams that this one selects have a key of their own",
            "set it there, and remove this key");
      }
    });
  }

  /** Rejects password files beside a resource that is not there. */
  private void rejectSecretsOfNone(PenstockProperties.Local local) {
    String section = section(TRANSPOND);
    rejectWithoutResource(section + "password-file", local.passwordFile());
    rejectWithoutResource(section + "sentinel-password-file", local.sentinelPasswordFile());
    if (local.shadow() != null) {
      throw reader.invalid(
          section + "shadow.upstream",
          reader.written(TRANSPOND) + ", whose reads would go there too, is not set",
          "write shadow below an upstream of upstreams");
    }
  }

  private void rejectWithoutResource(String key, @Nullable String file) {
    if (file != null) {
      throw reader.invalid(
          key,
          reader.written(TRANSPOND) + ", whose password it has, is not set",
          "write the URL of the servers there, or remove this key");
    }
  }

  private static boolean hasTranspond(PenstockProperties properties, @Nullable String demo) {
    PenstockProperties.Local local = properties.transpond().local();
    String resource = demo != null ? demo : isComplex(local) ? local.jsonFile() : local.resource();
    return resource != null && !resource.isBlank();
  }

  private static boolean isComplex(PenstockProperties.Local local) {
    return local.type().equalsIgnoreCase(COMPLEX);
  }

  /** Returns whether the upstream is described by a file with a resource table. */
  private static boolean isOfTable(
      String name, PenstockProperties properties, @Nullable String demo) {
    return name.equals(DEFAULT)
        && demo == null
        && isComplex(properties.transpond().local())
        && hasTranspond(properties, null);
  }

  /** Rejects what only the other type has. */
  private void rejectOtherType(PenstockProperties.Local local) {
    if (!isComplex(local)) {
      if (local.jsonFile() != null) {
        throw reader.invalid(
            TABLE,
            "only type complex has it, and " + reader.written(SECTION + "type") + " is simple",
            "write type: complex, or remove this key");
      }
      return;
    }
    if (local.jsonFile() == null) {
      throw reader.invalid(
          TABLE, "it is not set, and type complex needs it", "write the path of a resource table");
    }
    Map<String, @Nullable String> others = new LinkedHashMap<>();
    others.put("resource", local.resource());
    others.put("password-file", local.passwordFile());
    others.put("sentinel-password-file", local.sentinelPasswordFile());
    others.forEach((key, value) -> {
      if (value != null) {
        throw reader.invalid(
            SECTION + key,
            "type complex does not have it: the URLs are in " + reader.written(TABLE),
            "remove this key, or write type: simple");
      }
    });
  }

  private Resource table(
      PenstockProperties.Transpond transpond, PenstockProperties.Upstream upstream) {
    String hash = hash(transpond.redisConf());
    String file = Objects.requireNonNull(transpond.local().jsonFile());
    String section = SECTION + "tls.";
    var table =
        new TableMapping(
            new NodeTransport(nodeTls(upstream.tls(), section), upstream.proxyProtocol()));
    Resource mapped;
    try {
      RouteTable parsed = TableParser.parse(TableFile.read(file));
      mapped = table.map(parsed, hash);
      List<UpstreamSettings> copies = table.copies(parsed, hash);
      if (!copies.isEmpty()) {
        tableCopies = TableCopies.of(copies, upstream, transpond.redisConf(), reader);
      }
    } catch (InvalidTableException e) {
      throw reader.invalid(TABLE, e.reason(), e.fix());
    }
    if (table.resources().stream().noneMatch(each -> each.tls() || each.sentinelTls())) {
      rejectKeysWithoutTls(upstream.tls(), section);
    }
    for (Resource each : table.resources()) {
      if (each.tls()) {
        requireName(each.upstream().addresses(), upstream.tls(), section);
      }
      rejectUnreachable(each.upstream(), TABLE);
    }
    return mapped;
  }

  private String hash(PenstockProperties.RedisConf redisConf) {
    String earlier = redisConf.shadingFunc();
    String function = redisConf.shardingFunc();
    if (function != null && earlier != null) {
      throw reader.invalid(
          "transpond.redis-conf.shading-func",
          "it is the earlier name of sharding-func, which is set too",
          "remove one of them");
    }
    String hash = TableMapping.hashOf(function == null ? earlier : function);
    if (hash == null) {
      throw reader.invalid(
          "transpond.redis-conf." + (function == null ? "shading-func" : "sharding-func"),
          "Penstock does not have this class",
          "write DefaultShardingFunc, DefaultHashTagShardingFunc or CRC16HashTagShardingFunc");
    }
    return hash;
  }

  private static String upstreamKey(String name, PenstockProperties.Upstream upstream) {
    if (upstream.shards() != null) {
      return PREFIX + name + ".shards.distribution";
    }
    if (upstream.split() != null) {
      return PREFIX + name + ".split.write";
    }
    if (upstream.primary() != null) {
      return PREFIX + name + ".primary";
    }
    if (upstream.tcp() != null) {
      return PREFIX + name + ".tcp.servers";
    }
    if (!DivisionMapping.isDivided(upstream)) {
      return PREFIX + name + ".resource";
    }
    return PREFIX + name + (upstream.otherwise() == null ? ".weighted[0].upstream" : ".otherwise");
  }

  /** Returns the key that an upstream's servers are written at. */
  static String keyOf(String name, PenstockProperties properties, @Nullable String demo) {
    if (isOfTable(name, properties, demo)) {
      return TABLE;
    }
    PenstockProperties.Upstream upstream = properties.upstreams().get(name);
    if (upstream == null && isOfTable(DEFAULT, properties, demo)) {
      return TABLE; // a copy
    }
    return upstream == null || (name.equals(DEFAULT) && hasTranspond(properties, demo))
        ? TRANSPOND
        : upstreamKey(name, upstream);
  }

  private static String keyOfResource(
      String name, PenstockProperties properties, @Nullable String demo) {
    return name.equals(DEFAULT) && hasTranspond(properties, demo)
        ? TRANSPOND
        : PREFIX + name + ".resource";
  }

  /** Returns what the keys of an upstream begin with. */
  static String prefix(String name, PenstockProperties properties, @Nullable String demo) {
    return isTranspond(name, properties, demo) ? "" : PREFIX + name + ".";
  }

  /** Returns whether {@code transpond} describes the upstream. */
  static boolean isTranspond(String name, PenstockProperties properties, @Nullable String demo) {
    return name.equals(DEFAULT) && hasTranspond(properties, demo);
  }

  private Upstream.Resp upstream(
      String name, PenstockProperties.Upstream upstream, Resource resource, ReadSettings reads) {
    return new Upstream.Resp(
        name,
        resource.upstream(),
        backend(upstream.backend()),
        new Refresh(upstream.topology().refreshPeriod(), upstream.topology().minRefreshInterval()),
        reads);
  }

  /** Returns the passwords that files have; {@code section} is what the keys begin with. */
  private UrlSecrets secrets(PenstockProperties.Upstream upstream, String section) {
    return new UrlSecrets(
        reader.secret(section + "password", null, upstream.passwordFile()),
        reader.secret(section + "sentinel-password", null, upstream.sentinelPasswordFile()));
  }

  private Resource resource(PenstockProperties.Upstream upstream, String key) {
    String url = upstream.resource();
    if (url == null || url.isBlank()) {
      throw reader.invalid(
          key,
          "it is not set",
          "write the URL of its servers, as in redis://10.0.0.1:6379, or one of shards, split,"
              + " by-prefix, weighted, primary and tcp");
    }
    try {
      UrlSecrets secrets = secrets(upstream, section(key));
      Resource resource = ResourceUrl.parse(url.strip(), reader.urlRules(), secrets);
      rejectUnreachable(resource.upstream(), key);
      return resource;
    } catch (ResourceUrl.InvalidUrlException e) {
      throw reader.invalid(key, e.reason(), e.fix());
    }
  }

  /** Returns what the keys beside the one of the URL begin with. */
  private static String section(String urlKey) {
    return urlKey.substring(0, urlKey.length() - "resource".length());
  }

  /** Rejects Unix sockets that this machine or the transport does not support. */
  private void rejectUnreachable(UpstreamSettings upstream, String key) {
    for (Endpoint node : upstream.addresses()) {
      if (!node.isUnixSocket()) {
        continue;
      }
      if (!ControlPlane.supportsUnixSockets()) {
        throw reader.invalid(
            key,
            "Unix sockets of servers need epoll or kqueue, and neither works on this machine",
            "write host and port of the server, as in redis://127.0.0.1:6379");
      }
      if (UnixSockets.isAbstract(node.host()) && !transport.hasAbstractNames()) {
        throw reader.invalid(
            key,
            "abstract names of Unix sockets need Linux and transport epoll or io_uring",
            "write the path of a socket, or host and port");
      }
    }
  }

  /** Returns the resource with what comes before Redis's protocol: TLS where its URL says so. */
  private Resource transported(
      Resource resource, PenstockProperties.Upstream upstream, String urlKey) {
    String section = section(urlKey) + "tls.";
    if (!resource.tls() && !resource.sentinelTls()) {
      rejectKeysWithoutTls(upstream.tls(), section);
      return resource.with(new NodeTransport(null, upstream.proxyProtocol()));
    }
    requireName(resource.upstream().addresses(), upstream.tls(), section);
    return resource.with(
        new NodeTransport(nodeTls(upstream.tls(), section), upstream.proxyProtocol()));
  }

  /** Rejects what could never be verified: a Unix socket has no host that a certificate is for. */
  private void requireName(
      List<Endpoint> addresses, PenstockProperties.NodeTls tls, String section) {
    if (tls.verify() == Verify.FULL
        && tls.serverName() == null
        && addresses.stream().anyMatch(Endpoint::isUnixSocket)) {
      throw reader.invalid(
          section + "server-name",
          "it is not set, and a Unix socket has no host name that a certificate could be for",
          "write the name in the server's certificate, or "
              + reader.written(section + "verify")
              + ": ca");
    }
  }

  private Resource shards(
      PenstockProperties.Shards shards,
      PenstockProperties.Upstream upstream,
      String prefix,
      PartTargets targets) {
    String section = prefix + "tls.";
    var transport = new NodeTransport(nodeTls(upstream.tls(), section), upstream.proxyProtocol());
    UpstreamSettings all = new ShardsMapping(reader, prefix, targets, transport).map(shards);
    List<UpstreamSettings> encrypted =
        all.parts().stream().filter(shard -> shard.access().transport().tls() != null).toList();
    if (encrypted.isEmpty()) {
      rejectKeysWithoutTls(upstream.tls(), section);
    }
    if (upstream.proxyProtocol() != null
        && all.parts().stream()
            .allMatch(shard -> shard.access().transport().proxyProtocol() == null)) {
      throw reader.invalid(
          prefix + "proxy-protocol",
          "the shards of this upstream are other upstreams, which have a key of their own",
          "set it there, and remove this key");
    }
    encrypted.forEach(shard -> requireName(shard.addresses(), upstream.tls(), section));
    rejectUnreachable(all, prefix + "shards.distribution");
    return Resource.of(all);
  }

  /** Rejects what would have no effect. A default that is written is no mistake. */
  private void rejectKeysWithoutTls(PenstockProperties.NodeTls tls, String section) {
    String key =
        tls.bundle() != null
            ? "bundle"
            : tls.serverName() != null
                ? "server-name"
                : tls.verify() == Verify.FULL ? "" : "verify";
    if (!key.isEmpty()) {
      throw reader.invalid(
          section + key,
          "no URL of this upstream is with TLS",
          "write rediss in place of redis at its start, or remove this key");
    }
  }

  private NodeTls nodeTls(PenstockProperties.NodeTls tls, String section) {
    String bundle = tls.bundle();
    try {
      return bundles.nodeTls(bundle, tls.verify(), tls.serverName());
    } catch (IllegalArgumentException e) {
      throw reader.invalid(
          section + "bundle",
          String.valueOf(e.getMessage()),
          correctBundle(e, String.valueOf(bundle), bundles));
    }
  }

  /** Returns what to do about a bundle that does not exist or cannot be used. */
  static String correctBundle(IllegalArgumentException failure, String bundle, TlsBundles bundles) {
    if (failure instanceof UnusableBundleException file) {
      return file.fix();
    }
    if (bundles.names().contains(bundle)) {
      return "correct the keys of this bundle below spring.ssl.bundle";
    }
    return bundles.names().isEmpty()
        ? "add spring.ssl.bundle.pem." + bundle + " with its keystore and truststore"
        : "write one of " + String.join(", ", bundles.names());
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
}
