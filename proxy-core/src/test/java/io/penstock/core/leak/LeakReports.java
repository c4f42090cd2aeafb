package io.penstock.core.leak;

import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import io.netty.util.ResourceLeakTracker;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Netty's leak reports of this JVM. Must be installed before Netty makes its first buffer. */
final class LeakReports {

  private static final Queue<String> REPORTS = new ConcurrentLinkedQueue<>();
  private static final Pattern MACHINERY =
      Pattern.compile("\\s(org\\.junit|org\\.apache\\.maven|java\\.base)\\b");
  private static final int ROUNDS = 3;
  private static final long GC_PATIENCE_MILLIS = 1_000;

  private static final AtomicLong tracked = new AtomicLong();
  private static long trackedWhenTaken;

  private LeakReports() {}

  /**
   * Makes every detector that Netty creates from now on report here too. Where a buffer was made
   * and released is enough to find a leak; noting each read of each byte is most of a test's time.
   */
  static void install() {
    System.setProperty("io.netty.leakDetection.acquireAndReleaseOnly", "true");
    ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(
        new ResourceLeakDetectorFactory() {
          @Override
          @SuppressWarnings("deprecation") // abstract, so there is no way around it
          public <T> ResourceLeakDetector<T> newResourceLeakDetector(
              Class<T> resource, int samplingInterval, long maxActive) {
            return new Detector<>(resource, samplingInterval);
          }
        });
  }

  private static final class Detector<T> extends ResourceLeakDetector<T> {

    Detector(Class<T> resource, int samplingInterval) {
      super(resource, samplingInterval);
    }

    @Override
    public @Nullable ResourceLeakTracker<T> track(T resource) {
      tracked.incrementAndGet();
      return super.track(resource);
    }

    @Override
    protected boolean needReport() {
      return true;
    }

    @Override
    protected void reportTracedLeak(String resourceType, String records) {
      REPORTS.add(resourceType + " was not released" + ownFrames(records));
    }

    @Override
    protected void reportUntracedLeak(String resourceType) {
      REPORTS.add(resourceType + " was not released");
    }
  }

  /** Without the frames of the machinery that runs tests: they are the same in every report. */
  private static String ownFrames(String records) {
    return records
        .lines()
        .filter(line -> !MACHINERY.matcher(line).lookingAt())
        .collect(Collectors.joining("\n"));
  }

  /**
   * Collects garbage, if buffers were made since the last call, and answers, once each, the leaks
   * that this brought to light.
   */
  static List<String> take() {
    boolean mayHaveLeaked = tracked.get() != trackedWhenTaken;
    for (int i = 0; mayHaveLeaked && i < ROUNDS; i++) {
      collectGarbage();
      ByteBufAllocator.DEFAULT.directBuffer(16).release(); // Netty looks when it makes a buffer
    }
    trackedWhenTaken = tracked.get();
    List<String> taken = new ArrayList<>();
    for (String report = REPORTS.poll(); report != null; report = REPORTS.poll()) {
      taken.add(report);
    }
    return taken;
  }

  /** Returns when an object that was garbage before has been found to be. */
  private static void collectGarbage() {
    var queue = new ReferenceQueue<Object>();
    var canary = new PhantomReference<>(new Object(), queue);
    System.gc();
    try {
      queue.remove(GC_PATIENCE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    canary.clear();
  }
}
