package io.penstock.core.transaction;

import io.penstock.core.observe.CrossSlotCounts;
import io.penstock.core.resp.RequestFrame;

/**
 * What transactions need whose keys may be in several partitions.
 *
 * @param partitions of keys
 * @param counts of the loop
 */
public record AcrossPartitions(PartitionOfKey partitions, CrossSlotCounts counts) {

  /** Says where keys belong. */
  public interface PartitionOfKey {

    /** Returns the partition of an argument that is a key. */
    int partitionOf(RequestFrame frame, int argument);
  }
}
