package io.penstock.core.route;

/**
 * A cursor of {@code SCAN} over all shards: everything that has to be known between two calls.
 * Below 2^63. From the highest bit: whether partitions or masters have changed during the scan (1
 * bit), the partition that says which shard's turn it is (14), whether the node's cursor is a long
 * one (1), a tag by which the next call knows whether that cursor still means anything (15, or 7
 * beside a long one), the node's own cursor (32, or 40).
 *
 * @param changed partitions or masters are not what they were when the scan began
 * @param partition of the shard whose turn it is; the partitions before it are done with
 * @param tag what it holds for, in 64 bits of which some are kept
 * @param node the node's cursor, 0 to begin with it
 */
public record ScanCursor(boolean changed, int partition, long tag, long node) {

  /** An upstream with more partitions has no such cursors: 14 bits say which one it is. */
  public static final int MAX_PARTITIONS = 1 << 14;

  /** What {@link #encode()} gives when the node's cursor has too many bits. */
  public static final long DOES_NOT_FIT = -1;

  private static final int CHANGED_AT = 62;
  private static final int PARTITION_AT = 48;
  private static final long LONG_BIT = 1L << 47;
  private static final int LONG_NODE_BITS = 40;
  private static final int NODE_BITS = 32;

  /**
   * Reads a client's cursor as Redis's {@code parseScanCursorOrReply} does, by {@code strtoul}.
   *
   * @throws NumberFormatException when it is no number, or none of 64 bits
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

  /** Takes apart what {@link #encode()} made; any other number is a cursor as well. */
  static ScanCursor decode(long cursor) {
    int nodeBits = nodeBits(cursor);
    return new ScanCursor(
        ((cursor >>> CHANGED_AT) & 1) == 1,
        (int) (cursor >>> PARTITION_AT) & (MAX_PARTITIONS - 1),
        cursor & tagMask(nodeBits),
        cursor & ((1L << nodeBits) - 1));
  }

  /** Whether {@code cursor} was made with this tag. */
  static boolean hasTag(long cursor, long tag) {
    long mask = tagMask(nodeBits(cursor));
    return (cursor & mask) == (tag & mask);
  }

  /** As a positive number, or {@link #DOES_NOT_FIT}. */
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

  /** The bits between the node's cursor and the mark of a long one. */
  private static long tagMask(int nodeBits) {
    return (LONG_BIT - 1) & -(1L << nodeBits);
  }
}
