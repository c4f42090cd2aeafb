package io.penstock.core.pubsub;

import io.netty.buffer.ByteBuf;
import io.penstock.core.upstream.Partitioner;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The name of a channel or pattern, as bytes. Immutable. Names are comparable so that maps find
 * them fast even if clients choose names with the same hash.
 */
public final class Name implements Comparable<Name> {

  private final byte[] bytes;
  private final int hash;

  private Name(byte[] bytes) {
    this.bytes = bytes;
    this.hash = Arrays.hashCode(bytes);
  }

  /** Copies {@code length} bytes of {@code buffer}, which is borrowed. */
  public static Name copy(ByteBuf buffer, int offset, int length) {
    byte[] bytes = new byte[length];
    buffer.getBytes(offset, bytes);
    return new Name(bytes);
  }

  /** The partition of the name, which determines its node. */
  int partition(Partitioner partitioner) {
    return partitioner.partitionOf(bytes);
  }

  public int length() {
    return bytes.length;
  }

  /** Whether this pattern cannot match {@code channel}, since it begins with other characters. */
  boolean cannotMatch(Name channel) {
    for (int i = 0; i < bytes.length; i++) {
      switch (bytes[i]) {
        case '*', '?', '[', '\\' -> {
          return false;
        }
        default -> {
          if (i == channel.bytes.length || bytes[i] != channel.bytes[i]) {
            return true;
          }
        }
      }
    }
    return false;
  }

  /** Returns whether bytes of a buffer begin with others. */
  static boolean begins(ByteBuf buffer, int offset, int length, byte[] with) {
    for (int i = 0; i < with.length; i++) {
      if (i == length || buffer.getByte(offset + i) != with[i]) {
        return false;
      }
    }
    return true;
  }

  /** Returns the bytes as characters, one to one, without those that it may begin with. */
  public String without(byte[] prefix) {
    boolean begins =
        bytes.length >= prefix.length
            && Arrays.equals(bytes, 0, prefix.length, prefix, 0, prefix.length);
    return begins ? toString().substring(prefix.length) : toString();
  }

  /** Appends the bytes. */
  public void writeTo(ByteBuf out) {
    out.writeBytes(bytes);
  }

  @Override
  public int compareTo(Name other) {
    return Arrays.compare(bytes, other.bytes);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Name that && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  /** The bytes as characters, one to one. */
  @Override
  public String toString() {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }
}
