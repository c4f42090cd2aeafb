package io.penstock.core.layout;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A server of a layout.
 *
 * @param name its name, or null. Rings are computed from names, so a server may move to another
 *     address without moving keys
 * @param address {@code host:port} with the host as written (it is not resolved; IPv6 with or
 *     without brackets), or the path of a Unix socket
 * @param weight its share of the keys compared to the others, at least 1
 * @param tokens with {@link Distribution#DYNOMITE}, the points of the ring where its ranges end, 0
 *     to 4294967295; otherwise empty
 */
public record ShardServer(@Nullable String name, String address, int weight, List<Long> tokens) {

  public ShardServer {
    tokens = List.copyOf(tokens);
  }

  /** A server without tokens. */
  public ShardServer(@Nullable String name, String address, int weight) {
    this(name, address, weight, List.of());
  }

  /** Returns the name, or the address of a server without one. */
  public String label() {
    return Objects.requireNonNullElse(name, address);
  }
}
