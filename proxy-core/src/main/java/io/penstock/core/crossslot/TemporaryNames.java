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

  /** What each of the names begins with, behind what keys of its partition must begin with. */
  public static final String PREFIX = "penstock:tmp:";

  /** Tries after which a partition counts as one that no name is in. */
  private static final int MAX_TRIES = 2_000_000;

  /**
   * The same with a beginning that keys of the partition must have: it finds one soon, or never.
   */
  private static final int MAX_TRIES_WITH_BEGINNING = 200_000;

  /**
   * The beginning of names in a partition.
   *
   * @param text before {@link #PREFIX}
   * @param tag hash tag
   */
  private record Beginning(String text, String tag) {}

  private final Partitioner partitioner;
  private @Nullable String owner; // no other object has the same one; known from the first name on
  private final Map<Integer, Beginning> beginnings = new HashMap<>(); // by partition
  private long made;

  TemporaryNames(Partitioner partitioner) {
    this.partitioner = partitioner;
  }

  /** Returns a new name in the partition; null if there seems to be none. */
  public @Nullable String next(int partition) {
    made++;
    Beginning beginning = beginnings.computeIfAbsent(partition, this::find);
    String tagged = name(beginning, made);
    if (partitionOf(tagged) == partition) {
      return tagged;
    }
    Beginning other = search(partition, beginning.text(), made); // all bytes of a key decide
    return other == null ? null : name(other, made);
  }

  /**
   * Returns a new name that any text may follow; null if the partition of a name is not decided by
   * its beginning.
   */
  public @Nullable String nextPrefix(int partition) {
    made++;
    String tagged = name(beginnings.computeIfAbsent(partition, this::find), made) + ":";
    byte[] bytes = tagged.getBytes(StandardCharsets.ISO_8859_1);
    boolean decided = partitioner.isDecidedBy(Unpooled.wrappedBuffer(bytes), 0, bytes.length);
    return decided && partitionOf(tagged) == partition ? tagged : null;
  }

  private int partitionOf(String name) {
    return partitioner.partitionOf(name.getBytes(StandardCharsets.ISO_8859_1));
  }

  private Beginning find(int partition) {
    for (String text : partitioner.beginnings(partition)) {
      Beginning beginning = search(partition, text, 0);
      if (beginning != null) {
        return beginning;
      }
    }
    return new Beginning("", "");
  }

  private static int tries(String beginning) {
    return beginning.isEmpty() ? MAX_TRIES : MAX_TRIES_WITH_BEGINNING;
  }

  /** Returns a beginning with which the name of this number is in the partition. */
  private @Nullable Beginning search(int partition, String text, long number) {
    for (int i = 0; i < tries(text); i++) {
      var beginning = new Beginning(text, Integer.toString(i, Character.MAX_RADIX));
      if (partitionOf(name(beginning, number)) == partition) {
        return beginning;
      }
    }
    return null;
  }

  private String name(Beginning beginning, long number) {
    String ours = owner;
    if (ours == null) {
      ours = Long.toUnsignedString(new SecureRandom().nextLong(), Character.MAX_RADIX);
      owner = ours;
    }
    return beginning.text() + PREFIX + "{" + beginning.tag() + "}:" + ours + ":" + number;
  }
}
