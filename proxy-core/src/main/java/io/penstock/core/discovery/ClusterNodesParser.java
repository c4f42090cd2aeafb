package io.penstock.core.discovery;

import io.penstock.core.cluster.SlotMap;
import io.penstock.core.upstream.Endpoint;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Parses the reply to {@code CLUSTER NODES}.
 *
 * <p>Lettuce's parser is not used: it always prefers an announced host name to the address,
 * whatever {@code cluster-preferred-endpoint-type} says, and drops the address. Redirects name the
 * preferred endpoint, so the same node would appear under two names.
 */
final class ClusterNodesParser {

  private static final int FIXED_FIELDS = 8;
  private static final String NO_HOST_NAME = "?";

  private final Endpoint source;
  private final Map<String, String> endpoints;

  /**
   * @param source the node that answered: its host replaces hosts that the reply omits, and its
   *     access applies to all nodes
   * @param endpoints preferred endpoints by node id, from {@code CLUSTER SHARDS}; empty if the
   *     server lacks that command (before Redis 7 the address is the only endpoint)
   */
  ClusterNodesParser(Endpoint source, Map<String, String> endpoints) {
    this.source = source;
    this.endpoints = endpoints;
  }

  /**
   * @throws IllegalArgumentException if a line cannot be parsed: a partial view is worse than none
   */
  ClusterView parse(String text) {
    List<ViewNode> nodes = new ArrayList<>();
    for (String line : text.split("\n", -1)) {
      String trimmed = line.strip();
      if (!trimmed.isEmpty()) {
        nodes.add(node(trimmed));
      }
    }
    if (nodes.isEmpty()) {
      throw new IllegalArgumentException("CLUSTER NODES of " + source + " is empty");
    }
    return new ClusterView(source, nodes);
  }

  /**
   * {@code id ip:port@cport[,hostname] flags master ping-sent pong-recv config-epoch link-state
   * slot …}.
   */
  private ViewNode node(String line) {
    String[] fields = line.split(" ", -1);
    if (fields.length < FIXED_FIELDS) {
      throw new IllegalArgumentException(
          "CLUSTER NODES of " + source + " has an invalid line \"" + line + "\"");
    }
    try {
      String id = fields[0];
      String masterId = fields[3].equals("-") ? null : fields[3];
      return new ViewNode(
          id,
          address(id, fields[1]),
          Set.of(fields[2].split(",", -1)),
          masterId,
          Long.parseLong(fields[6]),
          fields[7].equals("connected"),
          slots(fields));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "CLUSTER NODES of " + source + " has an invalid line \"" + line + "\"", e);
    }
  }

  /** Returns null if the port is 0: the cluster does not know the node's address. */
  private @Nullable Endpoint address(String id, String field) {
    int comma = field.indexOf(',');
    String address = comma < 0 ? field : field.substring(0, comma);
    int at = address.indexOf('@');
    String hostAndPort = at < 0 ? address : address.substring(0, at);
    int colon = hostAndPort.lastIndexOf(':');
    if (colon < 0) {
      throw new IllegalArgumentException("no port in " + field);
    }
    int port = Integer.parseInt(hostAndPort.substring(colon + 1));
    return port == 0 ? null : source.at(host(id, hostAndPort.substring(0, colon)), port);
  }

  /**
   * Returns the preferred endpoint if it is known. {@code ?} means that host names are preferred
   * and this node has none: then the address is used. An empty host means the host of the queried
   * node: with {@code unknown-endpoint} that is the intended meaning, and a node that never joined
   * a cluster does not know its own address.
   */
  private String host(String id, String ip) {
    String endpoint = endpoints.getOrDefault(id, ip);
    String host = endpoint.equals(NO_HOST_NAME) ? ip : endpoint;
    return host.isEmpty() ? source.host() : host;
  }

  private static BitSet slots(String[] fields) {
    BitSet slots = new BitSet(SlotMap.SLOTS);
    for (int i = FIXED_FIELDS; i < fields.length; i++) {
      String field = fields[i];
      if (field.isEmpty() || field.charAt(0) == '[') {
        continue; // [93-<-id] importing, [77->-id] migrating: neither changes the owner
      }
      int dash = field.indexOf('-');
      int first = Integer.parseInt(dash < 0 ? field : field.substring(0, dash));
      int last = dash < 0 ? first : Integer.parseInt(field.substring(dash + 1));
      if (first > last || last >= SlotMap.SLOTS) {
        throw new IllegalArgumentException("invalid slot range: " + field);
      }
      slots.set(first, last + 1);
    }
    return slots;
  }
}
