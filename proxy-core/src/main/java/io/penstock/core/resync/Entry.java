package io.penstock.core.resync;

/**
 * A key that a job has to copy or to compare.
 *
 * @param database as in {@link io.penstock.core.copies.CopyTask#database}
 * @param key not changed by anybody
 * @param size of the value in the primary's memory, in bytes; 0 if it is not known
 * @param attempts that failed
 */
record Entry(int database, byte[] key, long size, int attempts) {

  private static final long LARGE = 1024 * 1024;

  /** Weighs at least as much as the requests for it. */
  long weight() {
    return Math.max(size, 1_024);
  }

  /** Returns whether a reply with the value may come later than a client would wait. */
  boolean isLarge() {
    return size > LARGE;
  }

  Entry failedOnce() {
    return new Entry(database, key, size, attempts + 1);
  }
}
