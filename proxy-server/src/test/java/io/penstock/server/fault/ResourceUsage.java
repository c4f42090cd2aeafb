package io.penstock.server.fault;

import com.sun.management.UnixOperatingSystemMXBean;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.penstock.testkit.network.Relay;
import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * What this JVM, proxy and clients together, has taken.
 *
 * @param heap bytes in use after garbage collections
 * @param direct bytes that Netty's allocator keeps of direct memory
 * @param connections through relays: how many there are depends on which nodes are masters
 * @param files open file descriptors that are not those connections'
 * @param threads names of platform threads, relays' left out
 */
record ResourceUsage(long heap, long direct, long connections, long files, List<String> threads) {

  /** Both sides of a relay and Penstock's own, which is in this JVM as well. */
  private static final int FILES_OF_A_CONNECTION = 3;

  /** Of a node's connection to another only the relay's are here. */
  private static final int FILES_OF_AN_EXEMPT_CONNECTION = 2;

  /** What garbage collections leave differs so much from one time to the next. */
  private static final long HEAP = 4L << 20;

  /** The largest chunk that Netty's adaptive allocator takes, for each of two loops. */
  private static final long DIRECT = 2 * (8L << 20);

  /** Whether there is more of anything than can be explained. */
  boolean exceeds(ResourceUsage before, int connectionsKept) {
    return heap > before.heap + HEAP
        || direct > before.direct + DIRECT
        || connections > connectionsKept
        || files > before.files
        || threads.size() > before.threads.size();
  }

  static ResourceUsage now(FaultTestbed scene) {
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
    long connections = scene.relays().stream().mapToLong(Relay::connections).sum();
    long exempt = scene.relays().stream().mapToLong(Relay::exemptConnections).sum();
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
