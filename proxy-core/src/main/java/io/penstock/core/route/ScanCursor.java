package io.penstock.core.route;

/**
 * A cursor of {@code SCAN} over all shards, with all state between two calls. Less than 2^63. From
 * the highest bit: whether partitions or masters have changed during the scan (1 bit), a partition
 * of the shard to scan next (14, or as many as the number of partitions needs), whether the node's
 * cursor is long (1), a tag that shows the next call whether the node's cursor is still valid (15,
 * or 7 with a long cursor; fewer if partitions need more), the node's cursor (32, or 40).
 *
 * @param changed whether partitions or masters have changed since the scan began
 * @param partition of the shard to scan next; the partitions before it are done
 * @param tag of what the node's cursor is valid for: 64 bits, of which some are kept
 * @param node the node's cursor; 0 to begin its scan
 */
public record ScanCursor(boolean changed, int partition, long tag, long node) {

  /** Limit on the partitions of an upstream: 63 clusters. At least one bit is left for the tag. */
  public static final int MAX_PARTITIONS = 1 << 20;

  /** Returned by {@link #encode} if the node's cursor has too many bits. */
  public static final long DOES_NOT_FIT = -1;

  private static final int CHANGED_AT = 62;
  private static final int PARTITION_BITS = 14; // at least
  private static final int LONG_NODE_BITS = 40;
  private static final int NODE_BITS = 32;

  /**
   * Parses a client's cursor like Redis's {@code parseScanCursorOrReply}, with {@code strtoul}.
   *
   * @throws NumberFormatException if it is not a number, or exceeds 64 bits
   */
  public static long parse(String text) {
    boolean signed = text.startsWith("-") || text.startsWith("+");
    String digits = signed ? text.substring(1) : text;
    if (digits.isEmpty() && !signed) {
      return 0;
    }
    for (int i = 0; i < digits.length(); i++) {
      if (digits.charAt(i) < '0' || digits.charAt(i) > '9') {
        throw new NumberFormatException();
      }
    }
    long value = Long.parseUnsignedLong(digits);
    return text.startsWith("-") ? -value : value;
  }

  /**
   * Decodes a result of {@link #encode}; any other number is a cursor as well.
   *
   * @param partitions of the upstream
   */
  static ScanCursor decode(long cursor, int partitions) {
    int nodeBits = nodeBits(cursor, partitions);
    int partitionAt = partitionAt(partitions);
    return new ScanCursor(
        ((cursor >>> CHANGED_AT) & 1) == 1,
        (int) (cursor >>> partitionAt) & ((1 << (CHANGED_AT - partitionAt)) - 1),
        cursor & tagMask(nodeBits, partitions),
        cursor & ((1L << nodeBits) - 1));
  }

  /** Returns whether {@code cursor} was made with this tag and as many partitions. */
  static boolean hasTag(long cursor, long tag, int partitions) {
    long mask = tagMask(nodeBits(cursor, partitions), partitions);
    return (cursor & mask) == (tag & mask);
  }

  /**
   * Returns the cursor as a positive number, or {@link #DOES_NOT_FIT}.
   *
   * @param partitions of the upstream, at most {@link #MAX_PARTITIONS}
   */
  long encode(int partitions) {
    boolean wide = node >>> NODE_BITS != 0;
    if (node >>> LONG_NODE_BITS != 0) {
      return DOES_NOT_FIT;
    }
    long kept = tag & tagMask(wide ? LONG_NODE_BITS : NODE_BITS, partitions);
    long head = (changed ? 1L << CHANGED_AT : 0) | ((long) partition << partitionAt(partitions));
    return head | (wide ? longBit(partitions) : 0) | kept | node;
  }

  private static int partitionAt(int partitions) {
    int needed = Integer.SIZE - Integer.numberOfLeadingZeros(partitions - 1);
    return CHANGED_AT - Math.max(PARTITION_BITS, needed);
  }

  private static long longBit(int partitions) {
    return 1L << (partitionAt(partitions) - 1);
  }

  private static int nodeBits(long cursor, int partitions) {
    return (cursor & longBit(partitions)) == 0 ? NODE_BITS : LONG_NODE_BITS;
  }

  /** Returns the bits between the node's cursor and the bit that marks a long one. */
  private static long tagMask(int nodeBits, int partitions) {
    return (longBit(partitions) - 1) & -(1L << nodeBits);
  }
}
