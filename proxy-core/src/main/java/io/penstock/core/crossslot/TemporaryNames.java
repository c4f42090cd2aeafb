package io.penstock.core.crossslot;

import io.netty.buffer.Unpooled;
import io.penstock.core.upstream.Partitioner;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Names of keys that exist for the time of one command. Each is in the partition that it is made
 * for, and is made once, by whichever loop of whichever Penstock. Confined to one event loop.
 */
public final class TemporaryNames {

  /** What each of the names begins with. */
  public static final String PREFIX = "penstock:tmp:";

  /** Tries after which a partition counts as one that no name is in. */
  private static final int MAX_TRIES = 2_000_000;

  private final Partitioner partitioner;
  private @Nullable String owner; // no other object has the same one; known from the first name on
  private final Map<Integer, String> tags = new HashMap<>(); // hash tags by partition
  private long made;

  TemporaryNames(Partitioner partitioner) {
    this.partitioner = partitioner;
  }

  /** Returns a new name in the partition; null if there seems to be none. */
  public @Nullable String next(int partition) {
    made++;
    String tagged = name(tags.computeIfAbsent(partition, this::findTag), made);
    return partitionOf(tagged) == partition
        ? tagged
        : search(partition); // keys are placed by all of their bytes
  }

  /**
   * Returns a new name that any text may follow; null if the partition of a name is not decided by
   * its beginning.
   */
  public @Nullable String nextPrefix(int partition) {
    made++;
    String tagged = name(tags.computeIfAbsent(partition, this::findTag), made) + ":";
    byte[] bytes = tagged.getBytes(StandardCharsets.US_ASCII);
    boolean decided = partitioner.isDecidedBy(Unpooled.wrappedBuffer(bytes), 0, bytes.length);
    return decided && partitionOf(tagged) == partition ? tagged : null;
  }

  private int partitionOf(String name) {
    return partitioner.partitionOf(name.getBytes(StandardCharsets.US_ASCII));
  }

  private String findTag(int partition) {
    for (int i = 0; i < MAX_TRIES; i++) {
      String tag = Integer.toString(i, Character.MAX_RADIX);
      if (partitionOf(name(tag, 0)) == partition) {
        return tag;
      }
    }
    return "";
  }

  private @Nullable String search(int partition) {
    for (int i = 0; i < MAX_TRIES; i++) {
      String name = name(Integer.toString(i, Character.MAX_RADIX), made);
      if (partitionOf(name) == partition) {
        return name;
      }
    }
    return null;
  }

  private String name(String tag, long number) {
    String ours = owner;
    if (ours == null) {
      ours = Long.toUnsignedString(new SecureRandom().nextLong(), Character.MAX_RADIX);
      owner = ours;
    }
    return PREFIX + "{" + tag + "}:" + ours + ":" + number;
  }
}
