package io.penstock.server.url;

import io.penstock.core.upstream.Credentials;
import io.penstock.server.url.ResourceUrl.InvalidUrlException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How a resource URL is divided: where credentials and parameters are, and how they are encoded.
 * The two configuration trees differ in this (docs/adr/0030).
 */
public enum UrlRules {
  /**
   * Of the tree {@code penstock}. Credentials are optional and end at the last {@code @}.
   * Credentials, the master's name, paths and values of parameters are percent-decoded. A parameter
   * that does not exist is an error.
   */
  PENSTOCK {
    @Override
    UrlParts divide(String rest) {
      int at = rest.lastIndexOf('@');
      if (at >= 0 && PARAMETER_BEFORE_AT.matcher(rest.substring(0, at)).find()) {
        throw new InvalidUrlException(
            "a parameter of it contains an @", "write %40 for an @ in the value of a parameter");
      }
      String address = rest.substring(at + 1);
      int query = address.indexOf('?');
      return new UrlParts(
          at < 0 ? null : rest.substring(0, at),
          query < 0 ? address : address.substring(0, query),
          query < 0 ? null : address.substring(query + 1));
    }

    @Override
    @Nullable Credentials credentials(String text) {
      int colon = text.indexOf(':');
      String user = colon < 0 ? "" : PercentEncoding.decode(text.substring(0, colon));
      String password = PercentEncoding.decode(text.substring(colon + 1));
      if (password.isEmpty() && !user.isEmpty()) {
        throw new InvalidUrlException(
            "it has a user without a password", "write user:password@, or leave both out");
      }
      return UrlRules.unlessEmpty(user, password);
    }

    @Override
    UrlParameters parameters(String scheme, @Nullable String query) {
      Map<String, String> values = new LinkedHashMap<>();
      for (String pair : query == null ? new String[0] : query.split("&", -1)) {
        int equals = pair.indexOf('=');
        if (equals < 1) {
          throw new InvalidUrlException(
              "a parameter after its ? has no value", "write name=value, separated by &");
        }
        String name = pair.substring(0, equals);
        if (values.put(name, PercentEncoding.decode(pair.substring(equals + 1))) != null) {
          throw new InvalidUrlException(
              "a parameter after its ? is there twice", "remove one of the two");
        }
      }
      return new UrlParameters(scheme, values, true);
    }

    @Override
    String decoded(String text) {
      return PercentEncoding.decode(text);
    }
  },

  /**
   * Of the tree {@code camellia-redis-proxy}, as that proxy reads them since 1.4.1. The {@code @}
   * must be there; of several, the last one before the parameters ends the credentials. Nothing is
   * percent-decoded. Parameters without exactly one {@code =} and unknown ones are ignored.
   */
  CAMELLIA {
    @Override
    UrlParts divide(String rest) {
      int query = rest.indexOf('?');
      String head = query < 0 ? rest : rest.substring(0, query);
      int at = head.lastIndexOf('@');
      if (at < 0) {
        throw new InvalidUrlException(
            "it has no @ before the addresses",
            "write the @ even without a password, as in redis://@127.0.0.1:6379");
      }
      if (head.indexOf('[', at) >= 0) {
        throw new InvalidUrlException(
            "an IPv6 address is not supported below camellia-redis-proxy",
            "use the penstock: tree, or a host name");
      }
      return new UrlParts(
          head.substring(0, at),
          head.substring(at + 1),
          query < 0 ? null : rest.substring(query + 1));
    }

    @Override
    @Nullable Credentials credentials(String text) {
      int colon = text.indexOf(':');
      return UrlRules.unlessEmpty(
          colon < 0 ? "" : text.substring(0, colon), text.substring(colon + 1));
    }

    @Override
    UrlParameters parameters(String scheme, @Nullable String query) {
      Map<String, String> values = new LinkedHashMap<>();
      for (String pair : query == null ? new String[0] : query.split("&")) {
        String[] nameAndValue = pair.split("=");
        if (nameAndValue.length == 2) {
          values.put(nameAndValue[0], nameAndValue[1]);
        }
      }
      return new UrlParameters(scheme, values, false);
    }

    @Override
    String decoded(String text) {
      return text;
    }
  };

  /** A password may contain {@code ?}, but hardly this. */
  private static final Pattern PARAMETER_BEFORE_AT =
      Pattern.compile("[?&](" + String.join("|", UrlParameters.NAMES) + ")=");

  /**
   * A URL without its scheme.
   *
   * @param credentials null if there is no {@code @}
   * @param query what follows the {@code ?}, or null
   */
  record UrlParts(@Nullable String credentials, String address, @Nullable String query) {

    @Override
    public String toString() {
      return "UrlParts"; // it may contain a password
    }
  }

  abstract UrlParts divide(String rest);

  /** Returns the credentials, or null if there is no password. */
  abstract @Nullable Credentials credentials(String text);

  /**
   * Returns the credentials with a password that is not in the URL: what the URL has is the user.
   *
   * @param text what precedes the {@code @}, or null
   */
  Credentials credentials(@Nullable String text, String password) {
    String user = text == null ? "" : text;
    if (user.endsWith(":")) {
      user = user.substring(0, user.length() - 1);
    }
    if (user.indexOf(':') >= 0) {
      throw new InvalidUrlException(
          "it has a password, and there is a password-file too",
          "write only the user before the @, or remove password-file");
    }
    return new Credentials(user.isEmpty() ? null : decoded(user), password);
  }

  abstract UrlParameters parameters(String scheme, @Nullable String query);

  /** Returns the name of a master or a user as the servers know it, or a path. */
  abstract String decoded(String text);

  private static @Nullable Credentials unlessEmpty(String user, String password) {
    return password.isEmpty() ? null : new Credentials(user.isEmpty() ? null : user, password);
  }
}
