package io.penstock.fuzz;

import io.penstock.core.discovery.ClusterUpstreamSettings;
import io.penstock.core.fuzz.Oracle;
import io.penstock.core.sentinel.SentinelUpstreamSettings;
import io.penstock.core.topology.ProxiesUpstreamSettings;
import io.penstock.core.topology.SingleUpstreamSettings;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.upstream.Credentials;
import io.penstock.core.upstream.Endpoint;
import io.penstock.server.url.Resource;
import io.penstock.server.url.ResourceUrl;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Resource URLs. */
public final class UrlTarget {

  private static final int LONG_ENOUGH = 8; // to be told from a word of the message

  /** Of messages, as long as that. */
  private static final String WORDS =
      "start it with redis-cluster:// or redis://, as in"
          + " redis-cluster://127.0.0.1:7000,127.0.0.1:7001 use for a Redis Cluster a single server"
          + " write host:port, as in 127.0.0.1:6379, redis.example:6379 or [::1]:6379"
          + " write user:password@, or leave both out the credentials password database";

  private UrlTarget() {}

  public static void fuzzerTestOneInput(byte[] data) {
    String url = new String(data, StandardCharsets.UTF_8);
    Oracle.requireSame("masked twice", ResourceUrl.masked(url), ResourceUrl.masked(masked(url)));
    requireNoSecret(url, told(url));
    Resource read;
    try {
      read = ResourceUrl.parse(url);
    } catch (ResourceUrl.InvalidUrlException e) {
      Oracle.require(!e.reason().isBlank() && !e.fix().isBlank(), "a refusal without words");
      return;
    }
    Oracle.requireSame(url, read, ResourceUrl.parse(written(read)));
  }

  /** The part of it that the log or the screen may show. */
  private static String told(String url) {
    try {
      ResourceUrl.parse(url);
      return ResourceUrl.masked(url);
    } catch (ResourceUrl.InvalidUrlException e) {
      return e.reason() + "\n" + e.fix();
    }
  }

  private static String masked(String url) {
    return ResourceUrl.masked(url);
  }

  /**
   * The text before the last {@code @} must not be shown. The shown text for the same URL with
   * another secret must not depend on this secret.
   */
  private static void requireNoSecret(String url, String told) {
    int at = url.lastIndexOf('@');
    int scheme = url.indexOf("://");
    if (at < 0 || scheme < 0 || at < scheme) {
      return;
    }
    String before = url.substring(scheme + "://".length(), at);
    String secret = before.substring(before.indexOf(':') + 1);
    boolean elsewhere =
        (url.substring(0, scheme + "://".length()) + url.substring(at)).contains(secret)
            || WORDS.contains(secret);
    if (secret.length() >= LONG_ENOUGH && !elsewhere && told.contains(secret)) {
      String start = url.substring(0, at - secret.length());
      Oracle.require(
          told(start + "another" + url.substring(at)).contains(secret), "it shows: " + told);
    }
  }

  private static String written(Resource resource) {
    UpstreamSettings upstream = resource.upstream();
    String parameters =
        switch (resource.use()) {
          case READ_AND_WRITE -> "";
          case READ_REPLICAS -> "withMaster=false";
          case READ_ALL -> "withMaster=true";
        };
    String slaves = parameters.isEmpty() ? "" : "-slaves";
    String start =
        (resource.tls() ? "rediss" : "redis")
            + kind(upstream)
            + slaves
            + "://"
            + written(upstream.access().credentials());
    String addresses =
        upstream.addresses().stream().map(UrlTarget::written).collect(Collectors.joining(","));
    return switch (upstream) {
      case SentinelUpstreamSettings sentinel ->
          start
              + addresses
              + "/"
              + encoded(sentinel.masterName())
              + "?db="
              + sentinel.database()
              + ofSentinels(sentinel.sentinelCredentials())
              + (resource.sentinelTls() ? "&sentinelSSL=true" : "")
              + (parameters.isEmpty() ? "" : "&" + parameters);
      case ClusterUpstreamSettings _ ->
          start + addresses + (parameters.isEmpty() ? "" : "?" + parameters);
      default -> start + addresses + "?db=" + upstream.access().database();
    };
  }

  private static String kind(UpstreamSettings upstream) {
    return switch (upstream) {
      case ClusterUpstreamSettings _ -> "-cluster";
      case SentinelUpstreamSettings _ -> "-sentinel";
      case ProxiesUpstreamSettings _ -> "-proxies";
      case SingleUpstreamSettings single -> single.node().isUnixSocket() ? "-uds" : "";
      default -> throw new IllegalArgumentException("no URL names this yet: " + upstream);
    };
  }

  private static String ofSentinels(@Nullable Credentials credentials) {
    if (credentials == null) {
      return "";
    }
    String user = credentials.user();
    return "&sentinelPassword="
        + encoded(credentials.password())
        + (user == null ? "" : "&sentinelUserName=" + encoded(user));
  }

  private static String written(@Nullable Credentials credentials) {
    if (credentials == null) {
      return "";
    }
    String user = credentials.user();
    return (user == null ? "" : encoded(user)) + ":" + encoded(credentials.password()) + "@";
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private static String written(Endpoint node) {
    String host = node.host();
    if (node.isUnixSocket()) {
      return encoded(host);
    }
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + node.port();
  }
}
