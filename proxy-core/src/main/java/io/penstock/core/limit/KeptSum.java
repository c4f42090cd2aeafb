package io.penstock.core.limit;

/**
 * What the clients of one loop keep, of one kind of memory, and how much those of all loops may.
 * Changed on its loop; the figures are for any thread.
 */
public final class KeptSum {

  private final long limit;
  private long staying;
  private long going;
  private long lingering;
  private volatile long used; // staying
  private volatile long leaving; // going and lingering
  private volatile long largest;

  /**
   * @param limit of all loops together, in bytes; 0 for none
   */
  KeptSum(long limit) {
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
  public long leaving() {
    return leaving;
  }

  /** Bytes of the client that keeps the most and may be closed, as of late. Any thread. */
  long largest() {
    return largest;
  }

  /** A client keeps so many more. */
  void stays(long more) {
    staying += more;
    used = staying;
  }

  /** A client keeps so many and may be closed. */
  void isCandidate(long bytes) {
    if (bytes > largest) {
      largest = bytes;
    }
  }

  /** So many more are kept for a client that is being closed. */
  void leaves(long more) {
    going += more;
    leaving = going + lingering;
  }

  /** So many more are there of clients that are closed. */
  void lingers(long more) {
    lingering += more;
    leaving = going + lingering;
  }

  /** All of it was counted anew. */
  void recounted(long stay, long go, long most) {
    staying = stay;
    going = go;
    used = staying;
    leaving = going + lingering;
    largest = most;
  }
}
