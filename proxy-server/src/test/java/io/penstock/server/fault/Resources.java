package io.penstock.server.fault;

import com.sun.management.UnixOperatingSystemMXBean;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import java.lang.management.ManagementFactory;

/**
 * What this JVM, proxy and clients together, has taken.
 *
 * @param heap bytes in use after garbage collections
 * @param direct bytes that Netty's allocator keeps of direct memory
 * @param files open file descriptors
 * @param threads platform threads, relays' left out
 */
record Resources(long heap, long direct, long files, long threads) {

  /**
   * Chapters and ledgers of clients are gone by then; class data and code of the JIT are not heap.
   */
  private static final long HEAP = 16L << 20;

  /** The allocator keeps chunks for each thread, and grows them with what was needed at once. */
  private static final long DIRECT = 32L << 20;

  /** A connection is three: its ends and the relay's. Of a few it is open whether they are idle. */
  private static final long FILES = 30;

  /** Of pools that grow and shrink by themselves. */
  private static final long THREADS = 6;

  /** Whether there is more of anything than can be explained. */
  boolean exceeds(Resources before) {
    return heap > before.heap + HEAP
        || direct > before.direct + DIRECT
        || files > before.files + FILES
        || threads > before.threads + THREADS;
  }

  static Resources now() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    long direct =
        ByteBufAllocator.DEFAULT instanceof ByteBufAllocatorMetricProvider provider
            ? provider.metric().usedDirectMemory()
            : 0;
    long files =
        ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
            ? unix.getOpenFileDescriptorCount()
            : 0;
    long threads =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> !thread.getName().startsWith("relay "))
            .count();
    return new Resources(heap, direct, files, threads);
  }

  @Override
  public String toString() {
    return "heap %d KB, direct memory %d KB, %d files, %d threads"
        .formatted(heap / 1_024, direct / 1_024, files, threads);
  }
}
