package io.penstock.server.url;

import io.penstock.core.upstream.Credentials;
import io.penstock.server.url.ResourceUrl.InvalidUrlException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a resource URL.
 *
 * @param scheme of the URL, for messages
 * @param values by name, decoded
 * @param strict whether parameters that the scheme does not have are errors
 * @param more parameters that are allowed besides those of the scheme
 */
record UrlParameters(String scheme, Map<String, String> values, boolean strict, List<String> more) {

  static final String DATABASE = "db";
  static final String WITH_MASTER = "withMaster";
  static final String SENTINEL_USER = "sentinelUserName";
  static final String SENTINEL_PASSWORD = "sentinelPassword";
  static final String SENTINEL_TLS = "sentinelSSL";

  /** Parameters of a server among shards. */
  static final String NAME = "name";

  static final String WEIGHT = "weight";
  static final String TOKEN = "token";

  private static final int MAX_WEIGHT = 1_000_000;

  static final List<String> OF_SHARD = List.of(WEIGHT, NAME, TOKEN);

  static final List<String> NAMES =
      List.of(
          DATABASE,
          WITH_MASTER,
          SENTINEL_USER,
          SENTINEL_PASSWORD,
          SENTINEL_TLS,
          WEIGHT,
          NAME,
          TOKEN);

  /** The parameters of the scheme, and no others. */
  UrlParameters(String scheme, Map<String, String> values, boolean strict) {
    this(scheme, values, strict, List.of());
  }

  /** Returns these with the parameters of a server among shards. */
  UrlParameters ofShard() {
    return new UrlParameters(scheme, values, strict, OF_SHARD);
  }

  /** Rejects parameters that the scheme does not have. Their values may be passwords. */
  void allowOnly(String... allowed) {
    if (strict) {
      rejectOthers(allowed);
    }
  }

  /** Rejects any parameter, in both trees: a cluster has none. */
  void allowNone() {
    rejectOthers();
  }

  private void rejectOthers(String... ofScheme) {
    List<String> allowed = new ArrayList<>(List.of(ofScheme));
    allowed.addAll(more);
    for (String name : values.keySet()) {
      if (!allowed.contains(name)) {
        throw new InvalidUrlException(
            NAMES.contains(name)
                ? scheme + ":// has no parameter " + name
                : "a parameter after its ? does not exist",
            allowed.isEmpty()
                ? "remove it: " + scheme + ":// has no parameters"
                : "remove it; the parameters of "
                    + scheme
                    + ":// are "
                    + String.join(", ", allowed));
      }
    }
  }

  /** Returns the database; 0 if none is set. */
  int database() {
    String text = values.get(DATABASE);
    return text == null
        ? 0
        : ResourceUrl.number(text, 0, Integer.MAX_VALUE, "the database", "write db=0");
  }

  /** Returns the name of a server among shards, or null. */
  @Nullable String name() {
    String name = values.get(NAME);
    if (name != null && name.isEmpty()) {
      throw new InvalidUrlException("its name is empty", "write name=a, or remove it");
    }
    return name;
  }

  /** Returns the weight of a server among shards, or null. */
  @Nullable Integer weight() {
    String text = values.get(WEIGHT);
    return text == null
        ? null
        : (Integer) ResourceUrl.number(text, 1, MAX_WEIGHT, "its weight", "write weight=1");
  }

  /** Returns the tokens of a server among shards: numbers separated by commas. */
  List<Long> tokens() {
    String text = values.get(TOKEN);
    if (text == null) {
      return List.of();
    }
    try {
      return Arrays.stream(text.split(",", -1)).map(String::strip).map(Long::valueOf).toList();
    } catch (NumberFormatException e) {
      throw new InvalidUrlException("its token is not a number", "write token=1383429731");
    }
  }

  boolean withMaster() {
    return flag(WITH_MASTER);
  }

  /**
   * Returns the credentials for the sentinels, or null if there is no password.
   *
   * @param secret their password if it is not among the parameters, or null
   */
  @Nullable Credentials sentinelCredentials(@Nullable String secret) {
    String user = values.getOrDefault(SENTINEL_USER, "");
    String password = values.getOrDefault(SENTINEL_PASSWORD, "");
    if (secret != null) {
      if (!password.isEmpty()) {
        throw new InvalidUrlException(
            "it has sentinelPassword, and there is a sentinel-password-file too",
            "remove one of them");
      }
      return new Credentials(user.isEmpty() ? null : user, secret);
    }
    if (!password.isEmpty()) {
      return new Credentials(user.isEmpty() ? null : user, password);
    }
    if (strict && !user.isEmpty()) {
      throw new InvalidUrlException(
          "it has sentinelUserName without sentinelPassword",
          "add sentinelPassword, or remove sentinelUserName");
    }
    return null;
  }

  /** Returns whether the sentinels are reached with TLS. */
  boolean sentinelTls() {
    return flag(SENTINEL_TLS);
  }

  private boolean flag(String name) {
    String text = values.getOrDefault(name, "");
    if (!text.isBlank() && !text.equals("true") && !text.equals("false")) {
      throw new InvalidUrlException(name + " is neither true nor false", "write " + name + "=true");
    }
    return text.equals("true");
  }

  @Override
  public String toString() {
    return "UrlParameters" + values.keySet(); // values may be passwords
  }
}
