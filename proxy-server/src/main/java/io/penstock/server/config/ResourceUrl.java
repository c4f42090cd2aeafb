package io.penstock.server.config;

import io.penstock.core.topology.ClusterUpstreamSettings;
import io.penstock.core.topology.SingleUpstreamSettings;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.upstream.Credentials;
import io.penstock.core.upstream.Endpoint;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parses resource URLs.
 *
 * <p>{@code redis-cluster://[[user:]password@]host:port[,host:port…]} and {@code
 * redis://[[user:]password@]host:port[?db=n]}. Credentials end at the last {@code @}, the user at
 * the first {@code :}; both are percent-decoded, so that {@code %} itself is {@code %25} and a
 * colon in a user is {@code %3A}, while {@code @ : , / ?} in a password may stand as they are. No
 * password ({@code @host}, {@code :@host}) means no authentication.
 */
public final class ResourceUrl {

  private static final String CLUSTER = "redis-cluster";
  private static final String SINGLE = "redis";

  /** Schemes of camellia-redis-proxy and of common clients that Penstock does not support yet. */
  private static final Set<String> UNSUPPORTED =
      Set.of(
          "rediss",
          "rediss-cluster",
          "redis-cluster-slaves",
          "rediss-cluster-slaves",
          "redis-sentinel",
          "rediss-sentinel",
          "redis-sentinel-slaves",
          "rediss-sentinel-slaves",
          "redis-proxies",
          "redis-proxies-discovery",
          "redis-socket",
          "valkey",
          "valkeys",
          "redis+socket",
          "unix");

  private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*");
  private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._-]+");
  private static final Pattern IPV6 = Pattern.compile("[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*(%[\\w.-]+)?");
  private static final int MAX_PORT = 65_535;

  private ResourceUrl() {}

  /**
   * Parses one URL.
   *
   * @throws InvalidUrlException with a reason and a fix without the password
   */
  public static UpstreamSettings parse(String url) {
    int end = url.indexOf("://");
    if (end < 0
        || !SCHEME.matcher(url.substring(0, end)).matches()) { // it may be part of a password
      throw new InvalidUrlException(
          "it has no scheme", "start it with redis-cluster:// or redis://, as in " + example());
    }
    String scheme = url.substring(0, end);
    String rest = url.substring(end + 3);
    int at = rest.lastIndexOf('@');
    Credentials credentials = at < 0 ? null : credentials(rest.substring(0, at));
    String address = rest.substring(at + 1);
    return switch (scheme) {
      case CLUSTER -> cluster(address, credentials);
      case SINGLE -> single(address, credentials);
      default -> throw unknownScheme(scheme);
    };
  }

  /** Returns the URL for a message: without the part before the last {@code @}. */
  public static String masked(String url) {
    int at = url.lastIndexOf('@');
    int scheme = url.indexOf("://");
    int start = scheme < 0 ? 0 : scheme + 3;
    return at <= start ? url : url.substring(0, start) + "***" + url.substring(at);
  }

  private static InvalidUrlException unknownScheme(String scheme) {
    return new InvalidUrlException(
        UNSUPPORTED.contains(scheme)
            ? "the scheme " + scheme + ":// is not supported yet"
            : "the scheme " + scheme + ":// is unknown",
        "use redis-cluster:// for a Redis Cluster or redis:// for a single server");
  }

  private static UpstreamSettings cluster(String address, @Nullable Credentials credentials) {
    if (address.indexOf('?') >= 0) {
      throw new InvalidUrlException(
          "a Redis Cluster URL has no parameters: a cluster has database 0 only",
          "remove " + address.substring(address.indexOf('?')));
    }
    Set<Endpoint> seeds = new LinkedHashSet<>();
    for (String seed : address.split(",", -1)) {
      seeds.add(node(seed.strip()));
    }
    return new ClusterUpstreamSettings(List.copyOf(seeds), credentials);
  }

  private static UpstreamSettings single(String address, @Nullable Credentials credentials) {
    if (address.indexOf(',') >= 0) {
      throw new InvalidUrlException(
          "redis:// takes one server, and several are listed",
          "list one server, or use redis-cluster:// if they form a Redis Cluster");
    }
    int query = address.indexOf('?');
    Endpoint node = node(query < 0 ? address : address.substring(0, query));
    return new SingleUpstreamSettings(
        node, credentials, query < 0 ? 0 : database(address.substring(query + 1)));
  }

  private static int database(String query) {
    if (!query.startsWith("db=")) {
      throw new InvalidUrlException(
          "db is the only parameter, and ?" + query + " is another one",
          "write ?db=0, or remove it");
    }
    return number(query.substring(3), 0, Integer.MAX_VALUE, "the database", "write ?db=0");
  }

  private static @Nullable Credentials credentials(String text) {
    int colon = text.indexOf(':');
    String user = colon < 0 ? "" : decoded(text.substring(0, colon));
    String password = decoded(text.substring(colon + 1));
    if (password.isEmpty()) {
      if (!user.isEmpty()) {
        throw new InvalidUrlException(
            "it has a user without a password", "write user:password@, or leave both out");
      }
      return null;
    }
    return new Credentials(user.isEmpty() ? null : user, password);
  }

  /** Parses {@code host:port}. */
  static Endpoint node(String address) {
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

  private static int number(String text, int least, int most, String what, String fix) {
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

  private static String decoded(String text) {
    ByteBuffer bytes = ByteBuffer.allocate(text.length() * 3);
    List<String> plain = new ArrayList<>(List.of(text.split("%", -1)));
    bytes.put(plain.removeFirst().getBytes(StandardCharsets.UTF_8));
    for (String part : plain) {
      int octet = part.length() < 2 ? -1 : hex(part.charAt(0)) << 4 | hex(part.charAt(1));
      if (octet < 0) {
        throw new InvalidUrlException(
            "a % in the credentials is not followed by two hexadecimal digits",
            "write %25 for a percent sign");
      }
      bytes.put((byte) octet).put(part.substring(2).getBytes(StandardCharsets.UTF_8));
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString();
    } catch (CharacterCodingException e) {
      throw new InvalidUrlException(
          "the percent-encoded credentials are not UTF-8", "encode each character's UTF-8 bytes");
    }
  }

  private static int hex(char digit) {
    return Character.digit(digit, 16);
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
