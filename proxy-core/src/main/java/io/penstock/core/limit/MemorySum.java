package io.penstock.core.limit;

/**
 * What the clients of one loop keep, of one kind of memory, and how much those of all loops may.
 * Changed on its loop; the figures are for any thread.
 */
public final class MemorySum {

  private final long limit;
  private long staying;
  private long going;
  private long lingering;
  private volatile long used; // staying
  private volatile long closing; // going and lingering
  private volatile long largest;

  /**
   * @param limit of all loops together, in bytes; 0 for none
   */
  MemorySum(long limit) {
    this.limit = limit;
  }

  long limit() {
    return limit;
  }

  /** Bytes that clients keep, as of late. Any thread. */
  public long used() {
    return used;
  }

  /** Bytes that clients keep, or kept, which were closed, as of late. Any thread. */
  public long closing() {
    return closing;
  }

  /** Bytes of the client that keeps the most and may be closed, as of late. Any thread. */
  long largest() {
    return largest;
  }

  /** A client keeps so many more. */
  void addUsed(long more) {
    staying += more;
    used = staying;
  }

  /** A client keeps so many and may be closed. */
  void offerLargest(long bytes) {
    if (bytes > largest) {
      largest = bytes;
    }
  }

  /** So many more are kept for a client that is being closed. */
  void addClosing(long more) {
    going += more;
    closing = going + lingering;
  }

  /** So many more are there of clients that are closed. */
  void addClosed(long more) {
    lingering += more;
    closing = going + lingering;
  }

  /** All of it was counted anew. */
  void set(long stay, long go, long most) {
    staying = stay;
    going = go;
    used = staying;
    closing = going + lingering;
    largest = most;
  }
}
