package io.penstock.core.layout;

import io.netty.buffer.ByteBuf;
import io.penstock.core.hash.KeyHasher;
import io.penstock.core.upstream.Partitioner;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Which shard a key belongs to, as another proxy has it. Immutable; safe from any thread; allocates
 * nothing for a key.
 *
 * <p>Shards are numbered in the order of the settings: servers as configured, or what slots belong
 * to in the order in which it appears first. Partitions are Codis' 1,024 slots, or camellia's
 * buckets; otherwise each shard is a partition with the same number.
 */
public final class ShardLayout implements Partitioner {

  private final LayoutBuilder builder;
  private final List<String> shards;
  private final int[] owners; // by partition
  private final @Nullable KeyHasher hasher; // null if the hash does not matter
  private final Places places;

  ShardLayout(LayoutBuilder builder, BitSet out) {
    this.builder = builder;
    this.shards = builder.shards();
    this.owners = builder.owners();
    this.hasher = builder.hasher();
    this.places = builder.places(out);
  }

  /**
   * Computes a layout.
   *
   * @throws InvalidLayoutException if the settings are invalid
   */
  public static ShardLayout of(LayoutSettings settings) {
    return of(settings, bound -> ThreadLocalRandom.current().nextInt(bound));
  }

  /**
   * Computes a layout.
   *
   * @param random for {@link Distribution#RANDOM}: returns a number from 0 to its argument, which
   *     is not included. Called on any thread
   * @throws InvalidLayoutException if the settings are invalid
   */
  public static ShardLayout of(LayoutSettings settings, IntUnaryOperator random) {
    LayoutCheck.check(settings);
    return new ShardLayout(new LayoutBuilder(settings, random), new BitSet());
  }

  /**
   * Returns this layout while some servers are out: their keys, and in a ring and with {@link
   * Distribution#MODULA} some or nearly all other keys too, belong to the others. It is computed
   * from the settings, so it does not matter which are out in this layout. Partitions and shards
   * keep their numbers.
   *
   * @param out the numbers of all shards that are out
   * @throws IllegalArgumentException if no shard is left
   * @throws UnsupportedOperationException if not {@link Distribution#canEject}
   */
  public ShardLayout without(BitSet out) {
    if (!builder.distribution().canEject()) {
      throw new UnsupportedOperationException(builder.distribution().text() + " does not eject");
    }
    if (out.nextClearBit(0) >= shards.size()) {
      throw new IllegalArgumentException("no shard is left");
    }
    return new ShardLayout(builder, out);
  }

  /** Returns the names of the shards, by number: a server's label, or what slots belong to. */
  public List<String> shards() {
    return shards;
  }

  /** Returns what it is computed from. */
  public LayoutSettings settings() {
    return builder.settings();
  }

  /** Returns how keys are distributed. */
  public Distribution distribution() {
    return builder.distribution();
  }

  @Override
  public int partitions() {
    return owners.length;
  }

  /** With {@link Distribution#RANDOM}, another one for each call. */
  @Override
  public int partitionOf(ByteBuf buffer, int offset, int length) {
    return places.at(hasher == null ? 0 : hasher.of(buffer, offset, length));
  }

  @Override
  public boolean isDecidedBy(ByteBuf buffer, int offset, int length) {
    return hasher == null || hasher.isDecidedBy(buffer, offset, length);
  }

  /** Returns the number of the shard of a partition. */
  public int ownerOf(int partition) {
    return owners[partition];
  }

  /**
   * Returns the number of the shard of the key at {@code offset}, an absolute index. Borrows {@code
   * buffer} and does not change its indexes. Allocates nothing.
   */
  public int shardOf(ByteBuf buffer, int offset, int length) {
    return owners[partitionOf(buffer, offset, length)];
  }

  /** Returns the number of the shard of a key. */
  public int shardOf(byte[] key) {
    return owners[partitionOf(key)];
  }
}
