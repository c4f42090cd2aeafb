package io.penstock.core.route;

/**
 * A cursor of {@code SCAN} over all shards, with all state between two calls. Less than 2^63. From
 * the highest bit: whether partitions or masters have changed during the scan (1 bit), a partition
 * of the shard to scan next (14), whether the node's cursor is long (1), a tag that shows the next
 * call whether the node's cursor is still valid (15, or 7 with a long cursor), the node's cursor
 * (32, or 40).
 *
 * @param changed whether partitions or masters have changed since the scan began
 * @param partition of the shard to scan next; the partitions before it are done
 * @param tag of what the node's cursor is valid for: 64 bits, of which some are kept
 * @param node the node's cursor; 0 to begin its scan
 */
public record ScanCursor(boolean changed, int partition, long tag, long node) {

  /** Limit on the partitions of an upstream: a cursor has 14 bits for them. */
  public static final int MAX_PARTITIONS = 1 << 14;

  /** Returned by {@link #encode()} if the node's cursor has too many bits. */
  public static final long DOES_NOT_FIT = -1;

  private static final int CHANGED_AT = 62;
  private static final int PARTITION_AT = 48;
  private static final long LONG_BIT = 1L << 47;
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

  /** Decodes a result of {@link #encode()}; any other number is a cursor as well. */
  static ScanCursor decode(long cursor) {
    int nodeBits = nodeBits(cursor);
    return new ScanCursor(
        ((cursor >>> CHANGED_AT) & 1) == 1,
        (int) (cursor >>> PARTITION_AT) & (MAX_PARTITIONS - 1),
        cursor & tagMask(nodeBits),
        cursor & ((1L << nodeBits) - 1));
  }

  /** Returns whether {@code cursor} was made with this tag. */
  static boolean hasTag(long cursor, long tag) {
    long mask = tagMask(nodeBits(cursor));
    return (cursor & mask) == (tag & mask);
  }

  /** Returns the cursor as a positive number, or {@link #DOES_NOT_FIT}. */
  long encode() {
    boolean wide = node >>> NODE_BITS != 0;
    if (node >>> LONG_NODE_BITS != 0) {
      return DOES_NOT_FIT;
    }
    long kept = tag & tagMask(wide ? LONG_NODE_BITS : NODE_BITS);
    long head = (changed ? 1L << CHANGED_AT : 0) | ((long) partition << PARTITION_AT);
    return head | (wide ? LONG_BIT : 0) | kept | node;
  }

  private static int nodeBits(long cursor) {
    return (cursor & LONG_BIT) == 0 ? NODE_BITS : LONG_NODE_BITS;
  }

  /** Returns the bits between the node's cursor and the bit that marks a long one. */
  private static long tagMask(int nodeBits) {
    return (LONG_BIT - 1) & -(1L << nodeBits);
  }
}
