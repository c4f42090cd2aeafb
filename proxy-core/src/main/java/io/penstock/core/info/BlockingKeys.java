package io.penstock.core.info;

/**
 * Keys on which clients block.
 *
 * @param all different keys
 * @param onNoKey those among them whose deletion ends a call
 */
public record BlockingKeys(long all, long onNoKey) {

  /** None. */
  public static final BlockingKeys NONE = new BlockingKeys(0, 0);
}
