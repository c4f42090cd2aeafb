package io.penstock.server.config;

import io.penstock.core.ProxySettings.Listen;
import io.penstock.core.ProxySettings.Listener;
import io.penstock.core.ProxySettings.Upstream;
import io.penstock.core.listener.AddressRange;
import io.penstock.core.listener.ListenAddress;
import io.penstock.core.listener.ProxyProtocol;
import io.penstock.core.tls.ListenerTls;
import io.penstock.core.tls.ListenerTls.ClientAuth;
import io.penstock.server.tls.TlsBundles;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Maps the properties of listeners to the core's settings, and rejects those that conflict. */
final class ListenersMapping {

  private static final Set<String> ALL_ADDRESSES = Set.of("0.0.0.0", "::");

  private final PropertiesReader reader;
  private final TlsBundles bundles;
  private final List<String> upstreams;

  ListenersMapping(PropertiesReader reader, TlsBundles bundles, List<Upstream> upstreams) {
    this.reader = reader;
    this.bundles = bundles;
    this.upstreams = upstreams.stream().map(Upstream::name).toList();
  }

  /**
   * Returns the listeners, at least one.
   *
   * @throws InvalidConfigurationException if one is invalid, or has the address of another
   */
  List<Listener> map(PenstockProperties properties) {
    if (properties.listeners().isEmpty()) {
      return List.of(map(UpstreamsMapping.DEFAULT, properties.defaultListener(), ""));
    }
    List<Listener> listeners = new ArrayList<>();
    for (Map.Entry<String, PenstockProperties.Listener> entry : properties.listeners().entrySet()) {
      Listener listener = map(entry.getKey(), entry.getValue(), prefix(entry.getKey()));
      for (Listener other : listeners) {
        rejectSameAddress(listener, other);
      }
      listeners.add(listener);
    }
    return listeners;
  }

  private static String prefix(String name) {
    return "listeners." + name + ".";
  }

  private Listener map(String name, PenstockProperties.Listener listener, String prefix) {
    Integer port = listener.port();
    if (port == null) {
      throw invalid(prefix + "port", "it is not set", "write the port of this listener");
    }
    return new Listener(
        name,
        upstream(listener.upstream(), prefix + "upstream"),
        new Listen(
            address(listener, port, prefix),
            listener.maxClients(),
            reader.secret(prefix + "password", listener.password(), listener.passwordFile()),
            listener.passwordOverlap(),
            Math.toIntExact(listener.protoMaxBulkLen().toBytes()),
            ClientsMapping.acceptSettings(
                listener,
                proxyProtocol(listener.proxyProtocol(), prefix + "proxy-protocol.from"),
                tls(listener.tls(), prefix + "tls.")),
            ClientsMapping.limits(listener)),
        new FacadeMapping(reader, prefix).map(listener.clusterFacade(), port));
  }

  private @Nullable ProxyProtocol proxyProtocol(
      PenstockProperties.ProxyProtocol protocol, String key) {
    List<AddressRange> from = new ArrayList<>();
    for (String range : protocol.from()) {
      try {
        from.add(AddressRange.parse(range.strip()));
      } catch (IllegalArgumentException e) {
        throw invalid(
            key, String.valueOf(e.getMessage()), "write addresses or ranges such as 10.0.0.0/8");
      }
    }
    return from.isEmpty() ? null : new ProxyProtocol(from, protocol.timeout());
  }

  private @Nullable ListenerTls tls(PenstockProperties.ClientTls tls, String section) {
    String bundle = tls.bundle();
    boolean presented = tls.clientAuth() != ClientAuth.NONE;
    if (bundle == null) {
      if (presented || !tls.certificateUsers().isEmpty()) {
        throw invalid(
            section + (presented ? "client-auth" : "certificate-users"),
            "this listener has no TLS",
            "set " + reader.written(section + "bundle") + " too");
      }
      return null;
    }
    if (!presented && !tls.certificateUsers().isEmpty()) {
      throw invalid(
          section + "certificate-users",
          "clients present no certificate",
          "set " + reader.written(section + "client-auth") + " to want or need");
    }
    try {
      return bundles.listenerTls(
          bundle,
          new ListenerTls.Settings(
              tls.clientAuth(), Set.copyOf(tls.certificateUsers()), tls.handshakeTimeout()));
    } catch (IllegalArgumentException e) {
      throw invalid(
          section + "bundle",
          String.valueOf(e.getMessage()),
          UpstreamsMapping.correctBundle(bundle, bundles));
    }
  }

  private String upstream(@Nullable String wanted, String key) {
    if (wanted == null) {
      if (upstreams.size() == 1 || upstreams.contains(UpstreamsMapping.DEFAULT)) {
        return upstreams.size() == 1 ? upstreams.getFirst() : UpstreamsMapping.DEFAULT;
      }
      throw invalid(
          // the listener default has no such key
          key.equals("upstream") ? "listeners" : key,
          "there are several upstreams, and none is named default",
          key.equals("upstream")
              ? "write listeners, each with the name of its upstream: " + known()
              : "write the name of one: " + known());
    }
    if (!upstreams.contains(wanted)) {
      throw invalid(key, "there is no such upstream", "write one of " + known());
    }
    return wanted;
  }

  private String known() {
    return upstreams.stream().sorted().collect(Collectors.joining(", "));
  }

  private ListenAddress address(PenstockProperties.Listener listener, int port, String prefix) {
    List<String> hosts = listener.bind();
    String key = prefix + "bind";
    if (hosts.isEmpty() || hosts.stream().anyMatch(String::isBlank)) {
      throw invalid(
          key, "must not be empty", "write an address of this machine; 0.0.0.0 means all");
    }
    for (int i = 0; i < hosts.size(); i++) {
      String host = hosts.get(i);
      if (host.chars().anyMatch(Character::isWhitespace)) {
        throw invalid(key, "it has a space", "write a list, such as 127.0.0.1, ::1");
      }
      String other = overlapping(hosts.subList(0, i), List.of(host));
      if (other != null) {
        throw invalid(
            key,
            other.equals(host) ? host + " is listed twice" : other + " and " + host + " overlap",
            other.equals(host) ? "remove one of them" : "write only the one that means all");
      }
    }
    return new ListenAddress(hosts, port);
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

  private void rejectSameAddress(Listener listener, Listener other) {
    ListenAddress one = listener.listen().address();
    ListenAddress two = other.listen().address();
    if (one.port() == 0 || one.port() != two.port()) {
      return;
    }
    String host = overlapping(two.hosts(), one.hosts());
    if (host != null) {
      throw invalid(
          prefix(listener.name()) + "port",
          "the listener "
              + other.name()
              + " has this port too, on "
              + new ListenAddress(host, two.port()),
          "write another port");
    }
  }

  private InvalidConfigurationException invalid(String key, String reason, String fix) {
    return new InvalidConfigurationException(reader.fault(key, reason, fix));
  }
}
