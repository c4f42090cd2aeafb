package io.penstock.server.url;

import static io.penstock.server.url.UrlParameters.DATABASE;
import static io.penstock.server.url.UrlParameters.SENTINEL_PASSWORD;
import static io.penstock.server.url.UrlParameters.SENTINEL_TLS;
import static io.penstock.server.url.UrlParameters.SENTINEL_USER;
import static io.penstock.server.url.UrlParameters.WITH_MASTER;

import io.penstock.core.discovery.ClusterUpstreamSettings;
import io.penstock.core.sentinel.SentinelUpstreamSettings;
import io.penstock.core.topology.ProxiesUpstreamSettings;
import io.penstock.core.topology.SingleUpstreamSettings;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.transport.UnixSockets;
import io.penstock.core.upstream.Credentials;
import io.penstock.core.upstream.Endpoint;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parses resource URLs: {@code
 * scheme://[[user:]password@]host:port[,host:port…][/name][?name=value&…]}. In place of the
 * addresses, {@code redis-uds} has the path of a Unix socket, or {@code %40name}. {@link UrlRules}
 * says how a URL is divided. No password ({@code @host}, {@code :@host}) means no authentication.
 */
public final class ResourceUrl {

  private static final String CLUSTER = "redis-cluster";
  private static final String CLUSTER_READS = "redis-cluster-slaves";
  private static final String SENTINEL = "redis-sentinel";
  private static final String SENTINEL_READS = "redis-sentinel-slaves";
  private static final String PROXIES = "redis-proxies";
  private static final String SINGLE = "redis";
  private static final String UNIX_SOCKET = "redis-uds";

  /** Schemes of common clients that Penstock does not support yet. */
  private static final Set<String> UNSUPPORTED = Set.of("valkey", "valkeys");

  /** Schemes of common clients for Unix sockets. */
  private static final Set<String> OTHER_UNIX_SOCKETS =
      Set.of("redis-socket", "redis+socket", "unix", "redis+unix");

  /** Schemes of camellia-redis-proxy for what only it and its clients have. */
  private static final Set<String> FOREIGN =
      Set.of(
          "redis-proxies-discovery",
          "rediss-proxies-discovery",
          "redis-kv",
          "sentinel",
          "ssentinel",
          "redis-proxy",
          "camellia-redis-proxy");

  private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*");
  private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._-]+");
  private static final Pattern IPV6 =
      Pattern.compile("[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*(%[\\w.-]+)?");

  /** The first parameter that is none of those that never are passwords. */
  private static final Pattern SECRET_PARAMETER =
      Pattern.compile("[?&](?!(db|withMaster|sentinelUserName|sentinelSSL|weight|name)=)");

  private static final int MAX_PORT = 65_535;

  private ResourceUrl() {}

  /**
   * Parses one URL by the rules of the tree {@code penstock}.
   *
   * @throws InvalidUrlException with a reason and a fix without passwords
   */
  public static Resource parse(String url) {
    return parse(url, UrlRules.PENSTOCK);
  }

  /**
   * Parses one URL.
   *
   * @throws InvalidUrlException with a reason and a fix without passwords
   */
  public static Resource parse(String url, UrlRules rules) {
    return parse(url, rules, UrlSecrets.NONE);
  }

  /**
   * Parses one URL.
   *
   * @param secrets passwords that are not in it: what precedes its {@code @} is the user then
   * @throws InvalidUrlException with a reason and a fix without passwords
   */
  public static Resource parse(String url, UrlRules rules, UrlSecrets secrets) {
    return parse(url, rules, secrets, false).resource();
  }

  /**
   * Parses the URL of a server among shards by the rules of the tree {@code penstock}. It may have
   * {@code weight}, {@code name} and {@code token} as parameters too.
   *
   * @throws InvalidUrlException with a reason and a fix without passwords
   */
  public static ShardUrl parseShard(String url, UrlSecrets secrets) {
    return parse(url, UrlRules.PENSTOCK, secrets, true);
  }

  private static ShardUrl parse(String url, UrlRules rules, UrlSecrets secrets, boolean shard) {
    int end = endOfScheme(url);
    if (end < 0) {
      throw new InvalidUrlException(
          "it has no scheme",
          "start it with redis-cluster://, redis-sentinel:// or redis://, as in " + example());
    }
    String scheme = url.substring(0, end);
    requireKnown(scheme);
    UrlRules.UrlParts parts = rules.divide(url.substring(end + 3));
    Credentials credentials = credentials(parts.credentials(), rules, secrets.password());
    UrlParameters written = rules.parameters(scheme, parts.query());
    UrlParameters parameters = shard ? written.ofShard() : written;
    String kind = withoutTls(scheme);
    Resource resource =
        switch (kind) {
          case CLUSTER, CLUSTER_READS -> cluster(parts.address(), credentials, parameters);
          case SENTINEL, SENTINEL_READS ->
              sentinel(parts.address(), credentials, parameters, rules, secrets.sentinelPassword());
          case PROXIES -> proxies(parts.address(), credentials, parameters);
          case UNIX_SOCKET -> unixSocket(rules.decoded(parts.address()), credentials, parameters);
          default -> single(parts.address(), credentials, parameters);
        };
    if (secrets.sentinelPassword() != null && !kind.startsWith(SENTINEL)) {
      throw new InvalidUrlException(
          "it names no sentinels, and there is a sentinel-password-file",
          "remove sentinel-password-file");
    }
    resource = resource.saying(!kind.equals(scheme), parameters.sentinelTls());
    return shard
        ? new ShardUrl(
            resource, parts.address(), parameters.name(), parameters.weight(), parameters.tokens())
        : ShardUrl.of(resource, parts.address());
  }

  private static @Nullable Credentials credentials(
      @Nullable String written, UrlRules rules, @Nullable String password) {
    if (password != null) {
      return rules.credentials(written, password);
    }
    return written == null ? null : rules.credentials(written);
  }

  /**
   * Returns the URL for a message: without credentials, and without values of parameters that are
   * or may be passwords.
   */
  public static String masked(String url) {
    int scheme = endOfScheme(url);
    int start = scheme < 0 ? 0 : scheme + 3;
    int at = url.lastIndexOf('@');
    int query = url.indexOf('?', start);
    if (at > start && query >= 0 && query < at) {
      return url.substring(0, start) + "***"; // which @ ends the credentials is not certain
    }
    String shown = at <= start ? url : url.substring(0, start) + "***" + url.substring(at);
    Matcher secret = SECRET_PARAMETER.matcher(shown);
    return secret.find() ? shown.substring(0, secret.end()) + "***" : shown;
  }

  /**
   * Returns the URL with its user and without its passwords.
   *
   * @param userOnly whether what precedes the {@code @} is the user, because the password is in a
   *     file
   */
  public static String withoutPassword(String url, boolean userOnly) {
    String masked = masked(url);
    int scheme = endOfScheme(url);
    int start = scheme + "://".length();
    int at = url.lastIndexOf('@');
    if (scheme < 0 || at <= start || !masked.startsWith("***@", start)) {
      return masked;
    }
    String credentials = url.substring(start, at);
    int colon = credentials.indexOf(':');
    String user =
        colon >= 0 ? credentials.substring(0, colon + 1) + "***" : userOnly ? credentials : "***";
    return url.substring(0, start) + user + masked.substring(start + "***".length());
  }

  /** Returns the place of the {@code ://}; -1 if what precedes it may be part of a password. */
  private static int endOfScheme(String url) {
    int end = url.indexOf("://");
    return end >= 0 && SCHEME.matcher(url.substring(0, end)).matches() ? end : -1;
  }

  /** Returns the scheme for the same servers without TLS. */
  private static String withoutTls(String scheme) {
    boolean tls = scheme.equals("rediss") || scheme.startsWith("rediss-");
    return tls ? "redis" + scheme.substring("rediss".length()) : scheme;
  }

  private static void requireKnown(String scheme) {
    if (Set.of(CLUSTER, CLUSTER_READS, SENTINEL, SENTINEL_READS, PROXIES, SINGLE, UNIX_SOCKET)
        .contains(withoutTls(scheme))) {
      return;
    }
    if (FOREIGN.contains(scheme)) {
      throw new InvalidUrlException(
          "the scheme " + scheme + ":// is not supported: it names no Redis servers",
          "list the addresses of the servers, as in redis-proxies://10.0.0.1:6380,10.0.0.2:6380");
    }
    if (OTHER_UNIX_SOCKETS.contains(scheme)) {
      throw new InvalidUrlException(
          "the scheme " + scheme + ":// is unknown", "write redis-uds:///run/redis.sock");
    }
    throw new InvalidUrlException(
        UNSUPPORTED.contains(scheme)
            ? "the scheme " + scheme + ":// is not supported yet"
            : "the scheme " + scheme + ":// is unknown",
        "use redis-cluster:// for a Redis Cluster, redis-sentinel:// for a master that sentinels"
            + " know, redis:// for a single server, or redis-uds:// for one with a Unix socket");
  }

  private static Resource cluster(
      String address, @Nullable Credentials credentials, UrlParameters parameters) {
    boolean reads = withoutTls(parameters.scheme()).equals(CLUSTER_READS);
    if (reads) {
      parameters.allowOnly(WITH_MASTER);
    } else {
      parameters.allowNone();
    }
    UpstreamSettings cluster = new ClusterUpstreamSettings(nodes(address), credentials);
    return reads ? Resource.forReads(cluster, parameters.withMaster()) : Resource.of(cluster);
  }

  private static Resource sentinel(
      String address,
      @Nullable Credentials credentials,
      UrlParameters parameters,
      UrlRules rules,
      @Nullable String sentinelPassword) {
    int slash = address.indexOf('/');
    String name = slash < 0 ? "" : rules.decoded(address.substring(slash + 1));
    if (name.isBlank()) {
      throw new InvalidUrlException(
          "the name of the master is missing",
          "write it behind the sentinels, as in redis-sentinel://10.0.0.1:26379/mymaster");
    }
    if (withoutTls(parameters.scheme()).equals(SENTINEL)) {
      parameters.allowOnly(DATABASE, SENTINEL_USER, SENTINEL_PASSWORD, SENTINEL_TLS);
    } else {
      parameters.allowOnly(WITH_MASTER, DATABASE, SENTINEL_USER, SENTINEL_PASSWORD, SENTINEL_TLS);
    }
    UpstreamSettings sentinel =
        new SentinelUpstreamSettings(
            nodes(address.substring(0, slash)),
            name,
            credentials,
            parameters.database(),
            parameters.sentinelCredentials(sentinelPassword));
    return withoutTls(parameters.scheme()).equals(SENTINEL)
        ? Resource.of(sentinel)
        : Resource.forReads(sentinel, parameters.withMaster());
  }

  private static Resource proxies(
      String address, @Nullable Credentials credentials, UrlParameters parameters) {
    parameters.allowOnly(DATABASE);
    return Resource.of(
        new ProxiesUpstreamSettings(nodes(address), credentials, parameters.database()));
  }

  private static Resource single(
      String address, @Nullable Credentials credentials, UrlParameters parameters) {
    if (address.indexOf(',') >= 0) {
      throw new InvalidUrlException(
          parameters.scheme() + ":// takes one server, and several are listed",
          "list one server, or use redis-cluster:// if they form a Redis Cluster");
    }
    parameters.allowOnly(DATABASE);
    return Resource.of(
        new SingleUpstreamSettings(node(address), credentials, parameters.database()));
  }

  private static Resource unixSocket(
      String name, @Nullable Credentials credentials, UrlParameters parameters) {
    String fault = UnixSockets.fault(name, UnixSockets.MAX_BYTES);
    if (fault != null) {
      throw new InvalidUrlException(
          "the name of its Unix socket cannot be used: " + fault,
          "write a path, as in redis-uds:///run/redis.sock, or %40name for the abstract name @name");
    }
    parameters.allowOnly(DATABASE);
    return Resource.of(
        new SingleUpstreamSettings(
            Endpoint.ofUnixSocket(name), credentials, parameters.database()));
  }

  /** Parses {@code host:port,host:port…}, without duplicates. */
  private static List<Endpoint> nodes(String addresses) {
    Set<Endpoint> nodes = new LinkedHashSet<>();
    for (String address : addresses.split(",", -1)) {
      nodes.add(node(address.strip()));
    }
    return List.copyOf(nodes);
  }

  /**
   * Parses {@code host:port}.
   *
   * @throws InvalidUrlException with a reason and a fix
   */
  public static Endpoint node(String address) {
    String fix = "write host:port, as in 127.0.0.1:6379, redis.example:6379 or [::1]:6379";
    if (address.isEmpty()) {
      throw new InvalidUrlException("a host is missing", fix);
    }
    if (address.indexOf('/') >= 0) {
      throw new InvalidUrlException(
          address + " has a path", "remove it; ?db=n after redis:// selects a database");
    }
    int colon = address.lastIndexOf(':');
    if (colon < 0 || address.endsWith("]")) {
      throw new InvalidUrlException(address + " has no port", fix);
    }
    String host = host(address.substring(0, colon), fix);
    return new Endpoint(
        host, number(address.substring(colon + 1), 1, MAX_PORT, "the port of " + host, fix));
  }

  private static String host(String text, String fix) {
    boolean bracketed = text.startsWith("[") && text.endsWith("]");
    String host = bracketed ? text.substring(1, text.length() - 1) : text;
    if (!bracketed && host.indexOf(':') >= 0 && IPV6.matcher(host).matches()) {
      throw new InvalidUrlException("an IPv6 address needs brackets", "write [" + host + "]:port");
    }
    if (!(bracketed ? IPV6 : HOST).matcher(host).matches()) {
      throw new InvalidUrlException(
          host.isEmpty() ? "a host is missing" : "'" + text + "' is not a host name or address",
          fix);
    }
    return host;
  }

  static int number(String text, int least, int most, String what, String fix) {
    try {
      int number = Integer.parseInt(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // reported below
    }
    throw new InvalidUrlException(
        what + " is '" + text + "', not a number from " + least + " to " + most, fix);
  }

  private static String example() {
    return "redis-cluster://127.0.0.1:7000,127.0.0.1:7001";
  }

  /** The reason why a URL is invalid, and a fix; neither contains a password. */
  public static final class InvalidUrlException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String fix;

    InvalidUrlException(String reason, String fix) {
      super(reason);
      this.fix = fix;
    }

    public String reason() {
      return String.valueOf(getMessage());
    }

    public String fix() {
      return fix;
    }
  }
}
