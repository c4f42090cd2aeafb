package io.penstock.core.assembly;

import io.penstock.core.limit.ClientLimits;
import io.penstock.core.limit.OutputLimit;
import io.penstock.core.listener.ListenAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Penstock's own values of {@code CONFIG GET} parameters, by Redis's parameter names. */
final class ConfigParameters {

  private ConfigParameters() {}

  static Map<String, String> of(ProxySettings.Listener settings) {
    ProxySettings.Listen listen = settings.listen();
    ClientLimits clients = listen.clients();
    Map<String, String> config = new LinkedHashMap<>();
    putAddress(listen.address(), config);
    config.put("tls-port", "0");
    config.put("timeout", seconds(clients.timeouts().idle()));
    config.put("tcp-keepalive", seconds(listen.arrivals().keepAlive()));
    config.put("maxclients", Integer.toString(listen.maxClients()));
    config.put("proto-max-bulk-len", Integer.toString(listen.maxBulkLength()));
    config.put(
        "client-output-buffer-limit",
        "normal " + of(clients.normal()) + " slave 0 0 0 pubsub " + of(clients.subscribers()));
    config.put("maxmemory-clients", Long.toString(clients.memory()));
    config.put("cluster-enabled", settings.facade() == null ? "no" : "yes");
    if (settings.facade() != null) {
      config.put("databases", "1"); // as the cluster that Penstock shows itself as
    }
    config.put("replicaof", "");
    config.put("slaveof", "");
    // Never the nodes' values: those are for other clients than Penstock's.
    config.put("requirepass", "");
    config.put("masterauth", "");
    config.put("masteruser", "");
    config.put("tls-key-file-pass", "");
    config.put("tls-client-key-file-pass", "");
    return Collections.unmodifiableMap(config);
  }

  private static void putAddress(ListenAddress address, Map<String, String> config) {
    switch (address) {
      case ListenAddress.Tcp(List<String> hosts, int port) -> {
        config.put("bind", String.join(" ", hosts));
        config.put("port", Integer.toString(port));
        config.put("unixsocket", "");
        config.put("unixsocketperm", "0");
      }
      case ListenAddress.Unix(String name, ListenAddress.Permissions permissions) -> {
        Integer mode = permissions.mode();
        config.put("bind", "");
        config.put("port", "0");
        config.put("unixsocket", name);
        config.put("unixsocketperm", mode == null ? "0" : Integer.toOctalString(mode));
      }
    }
  }

  private static String of(OutputLimit limit) {
    return limit.hardBytes() + " " + limit.softBytes() + " " + seconds(limit.softTime());
  }

  private static String seconds(Duration time) {
    return Long.toString(time.toSeconds());
  }
}
