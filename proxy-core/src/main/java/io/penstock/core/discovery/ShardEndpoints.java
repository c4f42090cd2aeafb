package io.penstock.core.discovery;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads from {@code CLUSTER SHARDS} what {@code CLUSTER NODES} lacks: the preferred endpoint of
 * each node ({@code cluster-preferred-endpoint-type}).
 */
final class ShardEndpoints {

  private ShardEndpoints() {}

  /**
   * Returns the endpoints by node id; an empty string if the cluster gives none. Skips entries of
   * an unexpected form: for those, the address in {@code CLUSTER NODES} is used.
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

  /**
   * Returns the index of a key in a RESP2 map, a list of alternating keys and values; -1 if it is
   * missing.
   */
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
