package io.penstock.testkit.cluster;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/**
 * One line of {@code CLUSTER NODES}: how one node sees another, or itself.
 *
 * @param id the node's 40 hexadecimal digits
 * @param port its client port
 * @param flags for example {@code myself} and {@code master}
 * @param masterId the master's id, or {@code -} for a master
 * @param connected whether the bus link to it is up
 * @param slots what it owns, migrations left out, in the server's notation
 */
record NodeView(
    String id,
    int port,
    Set<String> flags,
    String masterId,
    boolean connected,
    List<String> slots) {

  private static final Set<String> UNHEALTHY = Set.of("handshake", "fail?", "fail");

  static List<NodeView> parse(String clusterNodes) {
    List<NodeView> nodes = new ArrayList<>();
    for (String line : clusterNodes.split("\n", -1)) {
      if (!line.isBlank()) {
        nodes.add(parseLine(line.split(" ", -1)));
      }
    }
    return nodes;
  }

  boolean isMaster() {
    return flags.contains("master");
  }

  boolean isMyself() {
    return flags.contains("myself");
  }

  /** Returns whether the node is known, reachable and not suspected to have failed. */
  boolean isHealthy() {
    return connected && Collections.disjoint(flags, UNHEALTHY);
  }

  boolean owns(int slot) {
    for (String range : slots) {
      int dash = range.indexOf('-');
      int first = Integer.parseInt(dash < 0 ? range : range.substring(0, dash));
      int last = dash < 0 ? first : Integer.parseInt(range.substring(dash + 1));
      if (first <= slot && slot <= last) {
        return true;
      }
    }
    return false;
  }

  /** Returns the part that all nodes must agree on. */
  String agreedPart() {
    return id + (isMaster() ? " master " : " replica of " + masterId + " ") + slots;
  }

  private static NodeView parseLine(String[] fields) {
    String address = fields[1].split("[@,]", -1)[0];
    int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    List<String> slots = new ArrayList<>();
    for (int i = 8; i < fields.length; i++) {
      if (!fields[i].startsWith("[")) {
        slots.add(fields[i]);
      }
    }
    return new NodeView(
        fields[0],
        port,
        Set.of(fields[2].split(",", -1)),
        fields[3],
        fields[7].equals("connected"),
        List.copyOf(slots));
  }
}
