package io.penstock.server.fault;

import com.sun.management.UnixOperatingSystemMXBean;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.penstock.testkit.network.Relay;
import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * The resources that this JVM, proxy and clients together, uses.
 *
 * @param heap bytes in use after garbage collections
 * @param direct bytes of direct memory that Netty's allocator holds
 * @param connections through relays; their number depends on which nodes are masters
 * @param files open file descriptors, without those of these connections
 * @param threads names of platform threads, without those of relays
 */
record ResourceUsage(long heap, long direct, long connections, long files, List<String> threads) {

  /** Both sides of a relay, and Penstock's side, which is in this JVM too. */
  private static final int FILES_OF_A_CONNECTION = 3;

  /** For a connection between two nodes only the two sides of the relay are in this JVM. */
  private static final int FILES_OF_AN_EXEMPT_CONNECTION = 2;

  /** How much the heap after garbage collections varies. */
  private static final long HEAP = 4L << 20;

  /** The largest chunk of Netty's adaptive allocator, for each of two event loops. */
  private static final long DIRECT = 2 * (8L << 20);

  /** Returns whether any resource has grown more than can be explained. */
  boolean exceeds(ResourceUsage before, int connectionsKept) {
    return heap > before.heap + HEAP
        || direct > before.direct + DIRECT
        || connections > connectionsKept
        || files > before.files
        || threads.size() > before.threads.size();
  }

  static ResourceUsage now(FaultTestbed testbed) {
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
    long connections = testbed.relays().stream().mapToLong(Relay::connections).sum();
    long exempt = testbed.relays().stream().mapToLong(Relay::exemptConnections).sum();
    List<String> threads =
        Thread.getAllStackTraces().keySet().stream()
            .map(Thread::getName)
            .filter(name -> !name.startsWith("relay "))
            .sorted()
            .toList();
    return new ResourceUsage(
        heap,
        direct,
        connections,
        files - FILES_OF_A_CONNECTION * connections - FILES_OF_AN_EXEMPT_CONNECTION * exempt,
        threads);
  }

  @Override
  public String toString() {
    return "heap %d KB, direct memory %d KB, %d connections, %d other files, %d threads"
        .formatted(heap / 1_024, direct / 1_024, connections, files, threads.size());
  }
}
