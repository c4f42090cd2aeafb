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
 * Fails a test class when Netty's leak detector, at its paranoid level, reports a buffer that was
 * not released. Registered for all classes by {@code META-INF/services}: a leak can show long after
 * the test that made it.
 */
public final class LeakGuard implements AfterAllCallback {

  /** A collection for what died now, one more for what was only reachable from it. */
  private static final int COLLECTIONS = 2;

  /**
   * Lettuce's buffer of a connection, which it gives back when the channel is unregistered. A proxy
   * that is closed while its topology connects ends the event loop before that.
   */
  private static final String AT_LETTUCE_S_END = "lettuce.core.protocol.CommandHandler.channelReg";

  private static final Queue<String> LEAKS = new ConcurrentLinkedQueue<>();

  static {
    // Before Netty's buffers are loaded. With a record of every read of every byte, nothing here
    // would run in time; where a buffer was acquired and released is enough to find a leak.
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

  /** What was reported since the last call, and what a garbage collection now brings to light. */
  static List<String> collect() {
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
      ByteBufAllocator.DEFAULT.directBuffer(1).release(); // to allocate is to look for leaks
    }
    List<String> leaks = new ArrayList<>();
    for (String leak = LEAKS.poll(); leak != null; leak = LEAKS.poll()) {
      leaks.add(leak);
    }
    return leaks;
  }

  private static final class Recording extends ResourceLeakDetectorFactory {
    @Override
    @SuppressWarnings("deprecation") // abstract, and still what the others end in
    public <T> ResourceLeakDetector<T> newResourceLeakDetector(
        Class<T> resource, int samplingInterval, long maxActive) {
      return new Detector<>(resource, samplingInterval);
    }
  }

  private static final class Detector<T> extends ResourceLeakDetector<T> {

    @SuppressWarnings("deprecation") // a factory is what its replacement is meant to be called by
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
