package io.penstock.core.upstream;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Availability zones. If Penstock's own zone is known, nodes of that zone are read first, others
 * only while none of it may be read.
 *
 * @param own the zone that Penstock runs in, or null to read nodes of all zones alike
 * @param byAddress the zone of each node, by {@code host:port} as in {@link Endpoint#toString}. Of
 *     other nodes the zone that the server reports (Valkey's {@code availability-zone}) is used
 */
public record Zones(@Nullable String own, Map<String, String> byAddress) {

  /** All zones alike. */
  public static final Zones NONE = new Zones(null, Map.of());

  public Zones {
    byAddress = Map.copyOf(byAddress);
  }

  /**
   * Returns whether a node is in Penstock's own zone.
   *
   * @param reported the zone that the server reports, or null if it reports none
   */
  public boolean isOwn(Endpoint node, @Nullable String reported) {
    String configured = byAddress.get(node.toString());
    return own != null && own.equals(configured == null ? reported : configured);
  }
}
