package io.penstock.core.directory;

import io.netty.buffer.ByteBuf;
import io.penstock.core.info.BlockingKeys;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.KeyPositions;
import io.penstock.core.spec.Trait;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts the different keys on which the clients of all loops block, for {@code INFO}. Keys are
 * distinguished by a hash of 64 bits and counted up to a limit; the keys themselves are not stored.
 * Safe from any thread; each client is counted on its loop.
 */
public final class BlockingKeyCount {

  /** Most keys that are counted. */
  private static final int MOST = 100_000;

  /** Most bytes of a key that are hashed, besides its length. */
  private static final int MOST_BYTES = 4_096;

  private static final long FNV_OFFSET = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;

  private final Set<Long> all = ConcurrentHashMap.newKeySet();
  private final Set<Long> onNoKey = ConcurrentHashMap.newKeySet();

  /** Returns the counts of the keys that were added. */
  public BlockingKeys result() {
    return new BlockingKeys(all.size(), onNoKey.size());
  }

  /** Adds the keys of a blocking call. */
  public void add(CommandSpec spec, RequestFrame call) {
    var keys = new KeyPositions();
    int found = spec.findKeys(call, keys);
    boolean deletionWakes = spec.has(Trait.WOKEN_BY_DELETION);
    for (int i = 0; i < found && all.size() < MOST; i++) {
      long key = hash(call.buffer(), call.offset(keys.get(i)), call.length(keys.get(i)));
      all.add(key);
      if (deletionWakes) {
        onNoKey.add(key);
      }
    }
  }

  private static long hash(ByteBuf bytes, int offset, int length) {
    long hash = (FNV_OFFSET ^ length) * FNV_PRIME;
    for (int i = 0; i < Math.min(length, MOST_BYTES); i++) {
      hash = (hash ^ bytes.getByte(offset + i)) * FNV_PRIME;
    }
    return hash;
  }
}
