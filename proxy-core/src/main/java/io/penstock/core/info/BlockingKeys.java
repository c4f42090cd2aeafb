package io.penstock.core.info;

/**
 * The number of keys on which clients block.
 *
 * @param all different keys
 * @param onNoKey those among them whose deletion unblocks a call
 */
public record BlockingKeys(long all, long onNoKey) {

  /** None. */
  public static final BlockingKeys NONE = new BlockingKeys(0, 0);
}
