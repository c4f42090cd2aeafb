package io.penstock.server.mapping;

import io.penstock.core.cluster.ClusterFacade;
import io.penstock.core.upstream.Endpoint;
import io.penstock.server.config.InvalidConfigurationException;
import io.penstock.server.config.PenstockProperties;
import io.penstock.server.config.PropertiesReader;
import io.penstock.server.url.ResourceUrl;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Maps the properties of the cluster facade, and rejects those that would mislead clients. */
final class FacadeMapping {

  private static final int MAX_NODES = 1_000; // Redis Cluster's own limit

  private final PropertiesReader reader;
  private final String listener;
  private final String section;

  /**
   * @param listener what the keys of its listener begin with, below {@code penstock}
   */
  FacadeMapping(PropertiesReader reader, String listener) {
    this.reader = reader;
    this.listener = listener;
    this.section = listener + "cluster-facade.";
  }

  /**
   * Returns the cluster facade, or null if it is not enabled.
   *
   * @param port that this instance listens on; 0 if it is not known yet
   * @throws InvalidConfigurationException if an address is invalid or this instance is not listed
   */
  @Nullable ClusterFacade map(PenstockProperties.ClusterFacade facade, int port) {
    if (!facade.enabled()) {
      return null;
    }
    List<Endpoint> nodes = new ArrayList<>();
    for (int i = 0; i < facade.nodes().size(); i++) {
      Endpoint node = node(facade.nodes().get(i), section + "nodes");
      if (nodes.contains(node)) {
        throw reader.invalid(section + "nodes", node + " is listed twice", "remove one of them");
      }
      nodes.add(node);
    }
    if (nodes.size() > MAX_NODES) {
      throw reader.invalid(
          section + "nodes", "more than " + MAX_NODES + " nodes are listed", "list fewer");
    }
    Integer announced = facade.announcePort();
    int announcePort = announced == null ? 0 : announced;
    String host = facade.announceHost();
    if (host != null) {
      node((host.indexOf(':') < 0 ? host : "[" + host + "]") + ":1", section + "announce-host");
    }
    if (nodes.size() > 1) {
      requireThisInstance(nodes, host, announcePort == 0 ? port : announcePort);
    }
    return new ClusterFacade(nodes, host, announcePort);
  }

  /** CLUSTER replies say which of several instances the client is connected to. */
  private void requireThisInstance(List<Endpoint> nodes, @Nullable String host, int port) {
    if (host == null) {
      throw reader.invalid(
          section + "announce-host",
          "it is not set, and is needed to find this instance among the nodes",
          "write the host of this instance as in " + reader.written(section + "nodes"));
    }
    if (port == 0) {
      throw reader.invalid(
          section + "announce-port",
          "it is not set, and "
              + reader.written(listener + "port")
              + " is 0, which selects a free port",
          "write the port of this instance as in " + reader.written(section + "nodes"));
    }
    if (!nodes.contains(new Endpoint(host, port))) {
      throw reader.invalid(
          section + "nodes",
          "this instance, " + new Endpoint(host, port) + ", is not listed",
          "add it, or correct announce-host and announce-port");
    }
  }

  private Endpoint node(String address, String key) {
    try {
      return ResourceUrl.node(address.strip());
    } catch (ResourceUrl.InvalidUrlException e) {
      throw reader.invalid(key, e.reason(), e.fix());
    }
  }
}
