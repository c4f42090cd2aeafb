package io.penstock.server.config;

import io.penstock.core.ProxySettings.Listen;
import io.penstock.core.ProxySettings.Listener;
import io.penstock.core.ProxySettings.Upstream;
import io.penstock.core.upstream.Endpoint;
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
  private final List<String> upstreams;

  ListenersMapping(PropertiesReader reader, List<Upstream> upstreams) {
    this.reader = reader;
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
            listener.bind(),
            port,
            listener.maxClients(),
            listener.password(),
            Math.toIntExact(listener.protoMaxBulkLen().toBytes()),
            ClientsMapping.acceptSettings(listener),
            ClientsMapping.limits(listener)),
        new FacadeMapping(reader, prefix).map(listener.clusterFacade(), port));
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

  /** A socket of all addresses and one of a single address cannot have the same port. */
  private void rejectSameAddress(Listener listener, Listener other) {
    Listen one = listener.listen();
    Listen two = other.listen();
    boolean overlap =
        one.bind().equals(two.bind())
            || ALL_ADDRESSES.contains(one.bind())
            || ALL_ADDRESSES.contains(two.bind());
    if (one.port() != 0 && one.port() == two.port() && overlap) {
      throw invalid(
          prefix(listener.name()) + "port",
          "the listener "
              + other.name()
              + " has this port too, on "
              + new Endpoint(two.bind(), two.port()),
          "write another port");
    }
  }

  private InvalidConfigurationException invalid(String key, String reason, String fix) {
    return new InvalidConfigurationException(reader.fault(key, reason, fix));
  }
}
