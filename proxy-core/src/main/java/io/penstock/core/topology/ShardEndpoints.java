package io.penstock.core.topology;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads from {@code CLUSTER SHARDS} the one thing that {@code CLUSTER NODES} does not say: which of
 * its names each node wants to be called by ({@code cluster-preferred-endpoint-type}).
 */
final class ShardEndpoints {

  private ShardEndpoints() {}

  /**
   * Endpoints by node id; empty where the cluster gives none. What does not look as expected is
   * left out: the address in {@code CLUSTER NODES} is used instead.
   */
  static Map<String, String> of(List<?> shards) {
    Map<String, String> endpoints = new HashMap<>();
    for (Object shard : shards) {
      if (valueOf("nodes", shard) instanceof List<?> nodes) {
        for (Object node : nodes) {
          addNode(endpoints, node);
        }
      }
    }
    return endpoints;
  }

  private static void addNode(Map<String, String> endpoints, @Nullable Object node) {
    if (valueOf("id", node) instanceof String id && has("endpoint", node)) {
      endpoints.put(id, valueOf("endpoint", node) instanceof String endpoint ? endpoint : "");
    }
  }

  private static boolean has(String key, @Nullable Object pairs) {
    return indexOf(key, pairs) >= 0;
  }

  private static @Nullable Object valueOf(String key, @Nullable Object pairs) {
    int index = indexOf(key, pairs);
    return index >= 0 && pairs instanceof List<?> list ? list.get(index + 1) : null;
  }

  /** Names and values alternate, as RESP2 writes a map. */
  private static int indexOf(String key, @Nullable Object pairs) {
    if (pairs instanceof List<?> list) {
      for (int i = 0; i + 1 < list.size(); i += 2) {
        if (key.equals(list.get(i))) {
          return i;
        }
      }
    }
    return -1;
  }
}
