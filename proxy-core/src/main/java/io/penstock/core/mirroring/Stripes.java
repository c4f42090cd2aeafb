package io.penstock.core.mirroring;

import io.netty.buffer.ByteBuf;
import io.penstock.core.cluster.SlotPartitioner;

/**
 * The keys of one upstream in stripes, the same ones in all databases. Keys with the same hash tag
 * are in the same stripe. Safe for all loops.
 */
final class Stripes {

  /** More make two loops wait for one another less often, and calls that concern all keys slow. */
  static final int COUNT = 1024;

  private final Stripe[] all = new Stripe[COUNT];

  Stripes() {
    for (int i = 0; i < COUNT; i++) {
      all[i] = new Stripe();
    }
  }

  static int of(ByteBuf buffer, int offset, int length) {
    return SlotPartitioner.INSTANCE.partitionOf(buffer, offset, length) % COUNT;
  }

  static int of(byte[] key) {
    return SlotPartitioner.INSTANCE.partitionOf(key) % COUNT;
  }

  Stripe get(int number) {
    return all[number];
  }
}
