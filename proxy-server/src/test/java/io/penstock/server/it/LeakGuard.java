package io.penstock.server.it;

import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test class if Netty's leak detector, at its paranoid level, reports a buffer that was not
 * released. Registered for all classes in {@code META-INF/services}: a leak may be reported long
 * after the test that caused it.
 */
public final class LeakGuard implements AfterAllCallback {

  /** One collection for unreachable objects, one more for objects only reachable from those. */
  private static final int COLLECTIONS = 2;

  /**
   * Lettuce's buffer of a connection, released when the channel is unregistered. If a proxy is
   * closed while its topology connects, the event loop ends before that.
   */
  private static final String AT_LETTUCE_S_END = "lettuce.core.protocol.CommandHandler.channelReg";

  private static final Queue<String> LEAKS = new ConcurrentLinkedQueue<>();

  static {
    // Before Netty's buffer classes are loaded. Recording each access to a buffer would be too
    // slow;
    // where it was acquired and released is enough to find a leak.
    System.setProperty("io.netty.leakDetection.acquireAndReleaseOnly", "true");
    ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(new Recording());
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
  }

  @Override
  public void afterAll(ExtensionContext context) {
    List<String> leaks = collect();
    if (!leaks.isEmpty()) {
      throw new AssertionError(
          leaks.size()
              + " buffers were not released; noticed after "
              + context.getDisplayName()
              + ":\n"
              + String.join("\n", leaks));
    }
  }

  /** Returns the leaks reported since the last call, after a garbage collection. */
  static List<String> collect() {
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
      ByteBufAllocator.DEFAULT
          .directBuffer(1)
          .release(); // allocating makes the detector report leaks
    }
    List<String> leaks = new ArrayList<>();
    for (String leak = LEAKS.poll(); leak != null; leak = LEAKS.poll()) {
      leaks.add(leak);
    }
    return leaks;
  }

  private static final class Recording extends ResourceLeakDetectorFactory {
    @Override
    @SuppressWarnings("deprecation") // abstract; the other methods end in it
    public <T> ResourceLeakDetector<T> newResourceLeakDetector(
        Class<T> resource, int samplingInterval, long maxActive) {
      return new Detector<>(resource, samplingInterval);
    }
  }

  private static final class Detector<T> extends ResourceLeakDetector<T> {

    @SuppressWarnings("deprecation") // its replacement is meant to be called by a factory
    Detector(Class<?> resource, int samplingInterval) {
      super(resource, samplingInterval);
    }

    @Override
    protected void reportTracedLeak(String resourceType, String records) {
      if (!records.contains(AT_LETTUCE_S_END)) {
        LEAKS.add(resourceType + records);
      }
    }

    @Override
    protected void reportUntracedLeak(String resourceType) {
      LEAKS.add(resourceType + " (not traced)");
    }
  }
}
