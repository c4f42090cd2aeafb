package io.penstock.core.info;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What this process uses. Reads counters only.
 *
 * @param heap bytes of objects, garbage included
 * @param direct bytes of network buffers outside the heap
 * @param committed bytes that the heap has taken from the system, and the buffers
 * @param total bytes of memory that the machine or container has
 * @param cpuSeconds processor time, all threads
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

  /** The most that was used whenever somebody looked. */
  long peak() {
    return PEAK.accumulateAndGet(used(), Math::max);
  }
}
