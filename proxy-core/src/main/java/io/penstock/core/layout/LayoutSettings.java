package io.penstock.core.layout;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a layout is computed from.
 *
 * @param distribution how keys are distributed
 * @param hash the hash function, by the name that it has with this distribution; null for the
 *     default
 * @param hashTag the two characters around the part of a key that is hashed; null for the default
 *     of the distribution
 * @param servers the shards, or empty if {@code slots} are given
 * @param slots which slots or buckets belong to which shard, for {@link Distribution#CODIS} and
 *     {@link Distribution#CAMELLIA}; otherwise empty
 */
public record LayoutSettings(
    Distribution distribution,
    @Nullable String hash,
    @Nullable String hashTag,
    List<ShardServer> servers,
    List<SlotShare> slots) {

  public LayoutSettings {
    servers = List.copyOf(servers);
    slots = List.copyOf(slots);
  }

  /** Returns settings with servers, and the default hash and hash tag. */
  public static LayoutSettings ofServers(Distribution distribution, List<ShardServer> servers) {
    return new LayoutSettings(distribution, null, null, servers, List.of());
  }

  /** Returns settings with slots, and the default hash and hash tag. */
  public static LayoutSettings ofSlots(Distribution distribution, List<SlotShare> slots) {
    return new LayoutSettings(distribution, null, null, List.of(), slots);
  }

  /** Returns the same with another hash. */
  public LayoutSettings withHash(@Nullable String name) {
    return new LayoutSettings(distribution, name, hashTag, servers, slots);
  }

  /** Returns the same with another hash tag. */
  public LayoutSettings withHashTag(@Nullable String tag) {
    return new LayoutSettings(distribution, hash, tag, servers, slots);
  }
}
