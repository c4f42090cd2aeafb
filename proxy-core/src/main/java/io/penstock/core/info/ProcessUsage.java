package io.penstock.core.info;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory and CPU time of this process. Reads counters only.
 *
 * @param heap bytes of objects on the heap, garbage included
 * @param direct bytes of network buffers outside the heap
 * @param committed bytes of the committed heap and the network buffers
 * @param total bytes of memory of the machine or container
 * @param cpuSeconds CPU time of all threads
 */
record ProcessUsage(long heap, long direct, long committed, long total, double cpuSeconds) {

  private static final AtomicLong PEAK = new AtomicLong();

  static ProcessUsage now() {
    Runtime runtime = Runtime.getRuntime();
    long direct =
        ByteBufAllocator.DEFAULT instanceof ByteBufAllocatorMetricProvider allocator
            ? allocator.metric().usedDirectMemory()
            : 0;
    long total = 0;
    long cpuNanos = 0;
    if (ManagementFactory.getOperatingSystemMXBean()
        instanceof com.sun.management.OperatingSystemMXBean system) {
      total = system.getTotalMemorySize();
      cpuNanos = system.getProcessCpuTime();
    }
    return new ProcessUsage(
        runtime.totalMemory() - runtime.freeMemory(),
        direct,
        runtime.totalMemory() + direct,
        total,
        (double) cpuNanos / TimeUnit.SECONDS.toNanos(1));
  }

  long used() {
    return heap + direct;
  }

  /** Returns the maximum of {@link #used()} over all calls. */
  long peak() {
    return PEAK.accumulateAndGet(used(), Math::max);
  }
}
