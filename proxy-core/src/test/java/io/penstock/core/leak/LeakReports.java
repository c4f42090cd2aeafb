package io.penstock.core.leak;

import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Netty's leak reports of this JVM. Must be installed before Netty makes its first buffer. */
final class LeakReports {

  private static final Queue<String> REPORTS = new ConcurrentLinkedQueue<>();
  private static final Pattern MACHINERY =
      Pattern.compile("\\s(org\\.junit|org\\.apache\\.maven|java\\.base)\\b");
  private static final int ROUNDS = 3;
  private static final long GC_PATIENCE_MILLIS = 1_000;

  private LeakReports() {}

  /** Makes every detector that Netty creates from now on report here too. */
  static void install() {
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

  /** Collects garbage and answers, once each, the leaks that this brought to light. */
  static List<String> take() {
    for (int i = 0; i < ROUNDS; i++) {
      collectGarbage();
      ByteBufAllocator.DEFAULT.directBuffer(16).release(); // Netty looks when it makes a buffer
    }
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
