package io.penstock.server;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Finds the strongly connected components of a graph, with Tarjan's algorithm. */
final class DependencyCycles {

  private final Map<String, Set<String>> graph;
  private final Map<String, Integer> index = new HashMap<>();
  private final Map<String, Integer> lowest = new HashMap<>();
  private final Deque<String> open = new ArrayDeque<>();
  private final List<Set<String>> found = new ArrayList<>();

  private DependencyCycles(Map<String, Set<String>> graph) {
    this.graph = graph;
  }

  /**
   * Returns all components of two or more nodes.
   *
   * @param graph for each node, its direct successors
   */
  static List<Set<String>> find(Map<String, Set<String>> graph) {
    var cycles = new DependencyCycles(graph);
    for (String node : graph.keySet()) {
      if (!cycles.index.containsKey(node)) {
        cycles.visit(node);
      }
    }
    return cycles.found;
  }

  private void visit(String node) {
    int number = index.size();
    index.put(node, number);
    int low = number;
    open.push(node);
    for (String next : graph.getOrDefault(node, Set.of())) {
      if (!index.containsKey(next)) {
        visit(next);
        low = Math.min(low, lowest.getOrDefault(next, number));
      } else if (open.contains(next)) {
        low = Math.min(low, index.getOrDefault(next, number));
      }
    }
    lowest.put(node, low);
    if (low == number) {
      close(node);
    }
  }

  private void close(String root) {
    Set<String> group = new TreeSet<>();
    String node;
    do {
      node = open.pop();
      group.add(node);
    } while (!node.equals(root));
    if (group.size() > 1) {
      found.add(group);
    }
  }
}
