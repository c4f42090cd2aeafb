package io.penstock.server.url;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the URL of a server among shards says.
 *
 * @param resource the server
 * @param address its address, as written
 * @param name the parameter {@code name}, or null
 * @param weight the parameter {@code weight}, or null
 * @param tokens those of a server of Dynomite, or empty
 */
public record ShardUrl(
    Resource resource,
    String address,
    @Nullable String name,
    @Nullable Integer weight,
    List<Long> tokens) {

  public ShardUrl {
    tokens = List.copyOf(tokens);
  }

  static ShardUrl of(Resource resource, String address) {
    return new ShardUrl(resource, address, null, null, List.of());
  }
}
