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

  /** Weighs at least as much as the requests for it. */
  long weight() {
    return Math.max(size, 1_024);
  }

  Entry failedOnce() {
    return new Entry(database, key, size, attempts + 1);
  }
}
