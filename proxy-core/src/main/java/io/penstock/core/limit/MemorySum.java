package io.penstock.core.limit;

/**
 * The memory of one loop's clients, of one kind, and the limit for all loops. Changed on its loop;
 * the numbers may be read on any thread.
 */
public final class MemorySum {

  private long limit;
  private long usedBytes;
  private long closingBytes;
  private long closedBytes;
  private volatile long used; // for reading on any thread
  private volatile long closing; // closingBytes and closedBytes
  private volatile long largest;

  /**
   * @param limit for all loops together, in bytes; 0 for none
   */
  MemorySum(long limit) {
    this.limit = limit;
  }

  void limit(long bytes) {
    limit = bytes;
  }

  long limit() {
    return limit;
  }

  /** Bytes of open clients, as counted last. Any thread. */
  public long used() {
    return used;
  }

  /** Bytes of clients that are being closed or are closed, as counted last. Any thread. */
  public long closing() {
    return closing;
  }

  /** Bytes of the largest client that may be closed, as counted last. Any thread. */
  long largest() {
    return largest;
  }

  /** Adds bytes of an open client. */
  void addUsed(long more) {
    usedBytes += more;
    used = usedBytes;
  }

  /** Offers the bytes of a client that may be closed as those of the largest. */
  void offerLargest(long bytes) {
    if (bytes > largest) {
      largest = bytes;
    }
  }

  /** Adds bytes of a client that is being closed. */
  void addClosing(long more) {
    closingBytes += more;
    closing = closingBytes + closedBytes;
  }

  /** Adds bytes that remain of closed clients. */
  void addClosed(long more) {
    closedBytes += more;
    closing = closingBytes + closedBytes;
  }

  /** Sets all sums after a recount. */
  void set(long newUsed, long newClosing, long newLargest) {
    usedBytes = newUsed;
    closingBytes = newClosing;
    used = usedBytes;
    closing = closingBytes + closedBytes;
    largest = newLargest;
  }
}
