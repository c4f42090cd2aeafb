package io.penstock.server.mapping;

import io.penstock.core.assembly.ProxySettings.Listen;
import io.penstock.core.assembly.ProxySettings.Listener;
import io.penstock.core.assembly.ProxySettings.Upstream;
import io.penstock.core.cluster.ClusterFacade;
import io.penstock.core.crossslot.CrossSlotSettings;
import io.penstock.core.listener.AddressRange;
import io.penstock.core.listener.ListenAddress;
import io.penstock.core.listener.ProxyProtocol;
import io.penstock.core.tls.CertificateUsers;
import io.penstock.core.tls.CertificateUsers.Field;
import io.penstock.core.tls.ListenerTls;
import io.penstock.core.tls.ListenerTls.ClientAuth;
import io.penstock.core.transport.Transport;
import io.penstock.server.config.InvalidConfigurationException;
import io.penstock.server.config.PenstockProperties;
import io.penstock.server.config.PropertiesReader;
import io.penstock.server.tls.TlsBundles;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Maps the properties of listeners to the core's settings, and rejects those that conflict. */
final class ListenersMapping {

  /** Keys of a listener that concern commands. */
  private static final List<String> OF_RESP =
      List.of(
          "password",
          "password-file",
          "password-overlap",
          "tls.users",
          "users",
          "proto-max-bulk-len",
          "client-output-buffer-limit",
          "maxmemory-clients",
          "client-timeout",
          "max-in-flight",
          "max-patterns",
          "cross-slot",
          "cluster-facade");

  private final PropertiesReader reader;
  private final TlsBundles bundles;
  private final Map<String, Upstream> upstreams;
  private final UsersMapping users;
  private final Transport transport;

  ListenersMapping(
      PropertiesReader reader,
      TlsBundles bundles,
      List<Upstream> upstreams,
      UsersMapping users,
      Transport transport) {
    this.transport = transport;
    this.users = users;
    this.reader = reader;
    this.bundles = bundles;
    this.upstreams =
        upstreams.stream().collect(Collectors.toMap(Upstream::name, upstream -> upstream));
  }

  /**
   * Returns the listeners, at least one.
   *
   * @throws InvalidConfigurationException if one is invalid, or has the address of another
   */
  List<Listener> map(PenstockProperties properties) {
    var crossSlot = new CrossSlotMapping(reader, properties);
    if (properties.listeners().isEmpty()) {
      return List.of(map(UpstreamsMapping.DEFAULT, properties.defaultListener(), "", crossSlot));
    }
    List<Listener> listeners = new ArrayList<>();
    for (Map.Entry<String, PenstockProperties.Listener> entry : properties.listeners().entrySet()) {
      Listener listener = map(entry.getKey(), entry.getValue(), prefix(entry.getKey()), crossSlot);
      for (Listener other : listeners) {
        addresses(entry.getKey()).rejectSame(listener, other);
      }
      listeners.add(listener);
    }
    return listeners;
  }

  private ListenAddressMapping addresses(String listener) {
    return new ListenAddressMapping(reader, prefix(listener), transport);
  }

  private static String prefix(String name) {
    return "listeners." + name + ".";
  }

  private Listener map(
      String name,
      PenstockProperties.Listener listener,
      String prefix,
      CrossSlotMapping crossSlot) {
    Upstream upstream = upstream(listener.upstream(), prefix + "upstream");
    if (upstream instanceof Upstream.Tcp) {
      rejectKeysOfResp(prefix, upstream.name());
    }
    var address = new ListenAddressMapping(reader, prefix, transport).map(listener);
    return new Listener(
        name,
        upstream.name(),
        new Listen(
            address,
            listener.maxClients(),
            reader.secret(prefix + "password", listener.password(), listener.passwordFile()),
            listener.passwordOverlap(),
            Math.toIntExact(listener.protoMaxBulkLen().toBytes()),
            ClientsMapping.acceptSettings(
                listener,
                proxyProtocol(listener.proxyProtocol(), address, prefix + "proxy-protocol.from"),
                tls(listener.tls(), prefix + "tls.")),
            ClientsMapping.limits(listener),
            crossSlotOf(upstream, listener, prefix, crossSlot),
            upstream instanceof Upstream.Tcp ? null : users.map(listener, prefix)),
        facade(listener.clusterFacade(), address, prefix));
  }

  private static CrossSlotSettings crossSlotOf(
      Upstream upstream,
      PenstockProperties.Listener listener,
      String prefix,
      CrossSlotMapping crossSlot) {
    return switch (upstream) {
      case Upstream.Resp resp -> crossSlot.map(listener, prefix, resp);
      case Upstream.Tcp _ -> crossSlot.withoutCommands();
    };
  }

  /** What would have no effect, or would seem to protect: no command is read. */
  private void rejectKeysOfResp(String prefix, String upstream) {
    for (String key : OF_RESP) {
      String set = reader.firstSet(prefix + key);
      if (set != null) {
        throw reader.invalid(
            set,
            "upstream %s of this listener is plain TCP: Penstock reads no commands of its clients"
                .formatted(upstream),
            "remove this key, or name an upstream with a resource");
      }
    }
  }

  private @Nullable ClusterFacade facade(
      PenstockProperties.ClusterFacade facade, ListenAddress address, String prefix) {
    return switch (address) {
      case ListenAddress.Tcp tcp -> new FacadeMapping(reader, prefix).map(facade, tcp.port());
      case ListenAddress.Unix _ -> {
        if (facade.enabled()) {
          throw reader.invalid(
              prefix + "cluster-facade.enabled",
              "clients of a cluster connect to hosts and ports, and this listener has a path",
              "remove it, or write a port in place of the path");
        }
        yield null;
      }
    };
  }

  private @Nullable ProxyProtocol proxyProtocol(
      PenstockProperties.ProxyProtocol protocol, ListenAddress address, String key) {
    if (address instanceof ListenAddress.Unix && !protocol.from().isEmpty()) {
      throw reader.invalid(
          key,
          "clients of the Unix socket " + address + " have no IP address",
          "write an empty list for this listener, or a port in place of its path");
    }
    List<AddressRange> from = new ArrayList<>();
    for (String range : protocol.from()) {
      try {
        from.add(AddressRange.parse(range.strip()));
      } catch (IllegalArgumentException e) {
        throw reader.invalid(
            key, String.valueOf(e.getMessage()), "write addresses or ranges such as 10.0.0.0/8");
      }
    }
    return from.isEmpty() ? null : new ProxyProtocol(from, protocol.timeout());
  }

  private @Nullable ListenerTls tls(PenstockProperties.ClientTls tls, String section) {
    String bundle = tls.bundle();
    boolean presented = tls.clientAuth() != ClientAuth.NONE;
    if (bundle == null) {
      if (presented || !tls.users().isEmpty()) {
        throw reader.invalid(
            presented ? section + "client-auth" : firstUser(section),
            "this listener has no TLS",
            "set " + reader.written(section + "bundle") + " too");
      }
      return null;
    }
    if (!presented && !tls.users().isEmpty()) {
      throw reader.invalid(
          firstUser(section),
          "clients present no certificate",
          "set " + reader.written(section + "client-auth") + " to want or need");
    }
    try {
      return bundles.listenerTls(
          bundle,
          new ListenerTls.Settings(
              tls.clientAuth(), certificateUsers(tls, section), tls.handshakeTimeout()));
    } catch (IllegalArgumentException e) {
      throw reader.invalid(
          section + "bundle",
          String.valueOf(e.getMessage()),
          UpstreamsMapping.correctBundle(e, bundle, bundles));
    }
  }

  private String firstUser(String section) {
    return Objects.requireNonNullElse(reader.firstSet(section + "users"), section + "users");
  }

  private CertificateUsers certificateUsers(PenstockProperties.ClientTls tls, String section) {
    List<CertificateUsers.Rule> rules = new ArrayList<>();
    for (PenstockProperties.CertificateUser user : tls.users()) {
      List<CertificateUsers.Rule> set =
          Stream.of(
                  rule(Field.CN, user.cn(), user),
                  rule(Field.DNS, user.dns(), user),
                  rule(Field.URI, user.uri(), user))
              .flatMap(Optional::stream)
              .toList();
      if (set.size() != 1) {
        String key = section + "users[" + rules.size() + "]";
        throw reader.invalid(
            Objects.requireNonNullElse(reader.firstSet(key), key),
            set.isEmpty() ? "it has no cn, dns or uri" : "it has more than one of cn, dns and uri",
            "write one of them, such as { cn: \"orders-*\", user: orders }");
      }
      rules.addAll(set);
    }
    return rules.isEmpty() ? CertificateUsers.NONE : new CertificateUsers(rules);
  }

  private static Optional<CertificateUsers.Rule> rule(
      Field field, @Nullable String pattern, PenstockProperties.CertificateUser user) {
    return Optional.ofNullable(pattern)
        .map(each -> new CertificateUsers.Rule(field, each, user.user()));
  }

  private Upstream upstream(@Nullable String wanted, String key) {
    if (wanted == null) {
      Upstream only =
          upstreams.size() == 1
              ? upstreams.values().iterator().next()
              : upstreams.get(UpstreamsMapping.DEFAULT);
      if (only != null) {
        return only;
      }
      throw reader.invalid(
          // the listener default has no such key
          key.equals("upstream") ? "listeners" : key,
          "there are several upstreams, and none is named default",
          key.equals("upstream")
              ? "write listeners, each with the name of its upstream: " + known()
              : "write the name of one: " + known());
    }
    Upstream found = upstreams.get(wanted);
    if (found == null) {
      throw reader.invalid(key, "there is no such upstream", "write one of " + known());
    }
    return found;
  }

  private String known() {
    return upstreams.keySet().stream().sorted().collect(Collectors.joining(", "));
  }
}
