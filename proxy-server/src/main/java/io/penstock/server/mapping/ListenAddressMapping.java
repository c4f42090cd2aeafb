package io.penstock.server.mapping;

import io.penstock.core.assembly.ProxySettings.Listener;
import io.penstock.core.listener.ListenAddress;
import io.penstock.core.listener.ListenAddress.Permissions;
import io.penstock.core.transport.Transport;
import io.penstock.core.transport.UnixSockets;
import io.penstock.server.config.InvalidConfigurationException;
import io.penstock.server.config.PenstockProperties;
import io.penstock.server.config.PropertiesReader;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Maps the address of one listener, TCP or a Unix socket, and rejects those that conflict. */
final class ListenAddressMapping {

  private static final Set<String> ALL_ADDRESSES = Set.of("0.0.0.0", "::");

  private static final Pattern MODE = Pattern.compile("0[0-7]{3}");

  private final PropertiesReader reader;
  private final String prefix;
  private final Transport transport;

  /**
   * @param prefix what the keys of the listener begin with, below {@code penstock}
   * @param transport as configured
   */
  ListenAddressMapping(PropertiesReader reader, String prefix, Transport transport) {
    this.reader = reader;
    this.prefix = prefix;
    this.transport = transport;
  }

  /**
   * Returns the address.
   *
   * @throws InvalidConfigurationException if it is invalid
   */
  ListenAddress map(PenstockProperties.Listener listener) {
    String path = listener.path();
    if (path != null) {
      return unix(listener, path);
    }
    if (listener.mode() != null || listener.owner() != null) {
      throw reader.invalid(
          prefix + (listener.mode() != null ? "mode" : "owner"),
          "it is for the file of a Unix socket, and this listener has no path",
          "remove it, or write the path");
    }
    Integer port = listener.port();
    if (port == null) {
      throw reader.invalid(
          prefix + "port",
          "it is not set",
          "write the port of this listener, or a path for a Unix socket");
    }
    return tcp(listener, port);
  }

  private ListenAddress.Unix unix(PenstockProperties.Listener listener, String path) {
    boolean port = reader.isSet(prefix + "port");
    if (port || reader.isListSet(prefix + "bind")) {
      throw reader.invalid(
          prefix + "path",
          reader.written(prefix + (port ? "port" : "bind"))
              + " is set too, and a listener is either a TCP port or a Unix socket",
          "remove one of them, or write two listeners");
    }
    String fault = UnixSockets.fault(path, ListenAddress.Unix.MAX_PATH_BYTES);
    if (fault != null) {
      throw reader.invalid(
          prefix + "path", fault, "write a path such as /run/penstock.sock, or @penstock");
    }
    if (!UnixSockets.isAbstract(path)) {
      return new ListenAddress.Unix(path, permissions(listener));
    }
    if (!transport.hasAbstractNames()) {
      throw reader.invalid(
          prefix + "path",
          "abstract names need Linux and transport epoll or io_uring",
          "write the path of a file");
    }
    if (listener.mode() != null || listener.owner() != null) {
      throw reader.invalid(
          prefix + (listener.mode() != null ? "mode" : "owner"),
          path
              + " is an abstract name, which has no file: every process of this machine may connect",
          "remove it, or write the path of a file");
    }
    return new ListenAddress.Unix(path);
  }

  private Permissions permissions(PenstockProperties.Listener listener) {
    String owner = listener.owner() == null ? "" : listener.owner().strip();
    int colon = owner.indexOf(':');
    String user = colon < 0 ? owner : owner.substring(0, colon);
    String group = colon < 0 ? "" : owner.substring(colon + 1);
    if (owner.equals(":")) {
      throw reader.invalid(prefix + "owner", "it names nobody", "write user, user:group or :group");
    }
    UserPrincipalLookupService names = FileSystems.getDefault().getUserPrincipalLookupService();
    requireKnown("user", user, () -> names.lookupPrincipalByName(user));
    requireKnown("group", group, () -> names.lookupPrincipalByGroupName(group));
    return new Permissions(
        mode(listener.mode()), user.isEmpty() ? null : user, group.isEmpty() ? null : group);
  }

  /** Looks a name up. */
  private interface LookUp {
    Object run() throws IOException;
  }

  private void requireKnown(String kind, String name, LookUp lookUp) {
    if (name.isEmpty()) {
      return;
    }
    try {
      lookUp.run();
    } catch (IOException e) {
      throw reader.invalid(
          prefix + "owner",
          "this machine has no " + kind + " " + name,
          "write a name of this machine, or a number");
    }
  }

  /** Requires the zero: without quotes, YAML reads {@code 0660} as the number 432. */
  private @Nullable Integer mode(@Nullable String text) {
    if (text == null) {
      return null;
    }
    if (!MODE.matcher(text.strip()).matches()) {
      throw reader.invalid(
          prefix + "mode",
          "it is not a zero and three octal digits",
          "write it with a zero and in quotes, as in \"0660\"");
    }
    return Integer.parseInt(text.strip(), 8);
  }

  private ListenAddress.Tcp tcp(PenstockProperties.Listener listener, int port) {
    List<String> hosts = listener.bind();
    String key = prefix + "bind";
    if (hosts.isEmpty() || hosts.stream().anyMatch(String::isBlank)) {
      throw reader.invalid(
          key,
          "must not be empty",
          "write an address of this machine; 0.0.0.0 means all, IPv6 too");
    }
    for (int i = 0; i < hosts.size(); i++) {
      String host = hosts.get(i);
      if (host.chars().anyMatch(Character::isWhitespace)) {
        throw reader.invalid(key, "it has a space", "write a list, such as 127.0.0.1, ::1");
      }
      String other = overlapping(hosts.subList(0, i), List.of(host));
      if (other != null) {
        throw reader.invalid(
            key,
            other.equals(host) ? host + " is listed twice" : other + " and " + host + " overlap",
            other.equals(host) ? "remove one of them" : "write only the one that means all");
      }
    }
    return new ListenAddress.Tcp(hosts, port);
  }

  /**
   * Returns the first of {@code some} that has the sockets of one of {@code others} with the same
   * port, or null: a socket of all addresses and one of a single address cannot have the same.
   */
  private static @Nullable String overlapping(List<String> some, List<String> others) {
    for (String host : some) {
      if (others.contains(host)
          || ALL_ADDRESSES.contains(host)
          || others.stream().anyMatch(ALL_ADDRESSES::contains)) {
        return host;
      }
    }
    return null;
  }

  /** Rejects a listener that has a socket of another one. */
  void rejectSame(Listener listener, Listener other) {
    ListenAddress one = listener.listen().address();
    ListenAddress two = other.listen().address();
    if (one instanceof ListenAddress.Unix a && two instanceof ListenAddress.Unix b) {
      if (normal(a.name()).equals(normal(b.name()))) {
        throw reader.invalid(
            prefix + "path",
            "the listener " + other.name() + " has this path too",
            "write another path");
      }
    } else if (one instanceof ListenAddress.Tcp a && two instanceof ListenAddress.Tcp b) {
      rejectSame(a, b, other.name());
    }
  }

  private static String normal(String path) {
    return UnixSockets.isAbstract(path) ? path : Path.of(path).normalize().toString();
  }

  private void rejectSame(ListenAddress.Tcp one, ListenAddress.Tcp two, String other) {
    if (one.port() == 0 || one.port() != two.port()) {
      return;
    }
    String host = overlapping(two.hosts(), one.hosts());
    if (host != null) {
      throw reader.invalid(
          prefix + "port",
          "the listener "
              + other
              + " has this port too, on "
              + new ListenAddress.Tcp(host, two.port()),
          "write another port");
    }
  }
}
