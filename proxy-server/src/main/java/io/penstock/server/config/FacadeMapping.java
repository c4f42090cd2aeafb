package io.penstock.server.config;

import io.penstock.core.cluster.ClusterFacade;
import io.penstock.core.upstream.Endpoint;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes the cluster facade of its properties, and refuses one that would mislead clients. */
final class FacadeMapping {

  private static final String KEY = "cluster-facade.";
  private static final int MOST_NODES = 1_000; // Redis Cluster's own limit

  private final PropertiesReader reader;

  FacadeMapping(PropertiesReader reader) {
    this.reader = reader;
  }

  /**
   * Maps.
   *
   * @param port that this instance listens on; 0 when it is not known yet
   * @return null when there is no facade
   * @throws InvalidConfigurationException when an address cannot be used or this instance is
   *     missing
   */
  @Nullable ClusterFacade map(PenstockProperties.ClusterFacade facade, int port) {
    if (!facade.enabled()) {
      return null;
    }
    List<Endpoint> nodes = new ArrayList<>();
    for (int i = 0; i < facade.nodes().size(); i++) {
      Endpoint node = node(facade.nodes().get(i), KEY + "nodes");
      if (nodes.contains(node)) {
        throw refusal(KEY + "nodes", node + " stands there twice", "remove one of them");
      }
      nodes.add(node);
    }
    if (nodes.size() > MOST_NODES) {
      throw refusal(KEY + "nodes", "there are more than " + MOST_NODES, "list fewer");
    }
    Integer announced = facade.announcePort();
    int announcePort = announced == null ? 0 : announced;
    String host = facade.announceHost();
    if (host != null) {
      node((host.indexOf(':') < 0 ? host : "[" + host + "]") + ":1", KEY + "announce-host");
    }
    if (nodes.size() > 1) {
      requireMyself(nodes, host, announcePort == 0 ? port : announcePort);
    }
    return new ClusterFacade(nodes, host, announcePort);
  }

  /** Clients ask which of several instances they speak to. */
  private void requireMyself(List<Endpoint> nodes, @Nullable String host, int port) {
    if (host == null) {
      throw refusal(
          KEY + "announce-host",
          "it is not set, and which of the nodes this instance is cannot be known without",
          "write this instance's host as it stands in " + reader.written(KEY + "nodes"));
    }
    if (port == 0) {
      throw refusal(
          KEY + "announce-port",
          "it is not set, and " + reader.written("port") + " is 0: any free one",
          "write the port as it stands in " + reader.written(KEY + "nodes"));
    }
    if (!nodes.contains(new Endpoint(host, port))) {
      throw refusal(
          KEY + "nodes",
          "this instance, " + new Endpoint(host, port) + ", is not among them",
          "add it, or correct announce-host and announce-port");
    }
  }

  private Endpoint node(String address, String key) {
    try {
      return ResourceUrl.node(address.strip());
    } catch (ResourceUrl.RefusedException e) {
      throw refusal(key, e.reason(), e.fix());
    }
  }

  private InvalidConfigurationException refusal(String key, String reason, String fix) {
    return new InvalidConfigurationException(reader.fault(key, reason, fix));
  }
}
