package io.penstock.core.transport;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the threads of event loops. Each asks the kernel for a longer time slice than others have:
 * where they share processors it runs less often, and finds more to do (docs/adr/0022).
 */
final class LoopThreads extends DefaultThreadFactory {

  private static final Logger log = LoggerFactory.getLogger(LoopThreads.class);

  private final long timeSliceNanos;

  /**
   * @param timeSlice zero: nothing is asked
   */
  LoopThreads(Duration timeSlice) {
    super("penstock-loop");
    this.timeSliceNanos = timeSlice.toNanos();
  }

  @Override
  protected Thread newThread(Runnable loop, String name) {
    return super.newThread(
        () -> {
          ask();
          loop.run();
        },
        name);
  }

  /** Whoever may not, or cannot, goes without. */
  private void ask() {
    if (timeSliceNanos == 0) {
      return;
    }
    try {
      long now = Libc.Scheduling.timeSlice(timeSliceNanos);
      log.debug("asked for a time slice of {} ns, and has {}", timeSliceNanos, now);
    } catch (RuntimeException | LinkageError e) {
      log.debug("could not ask for a time slice", e);
    }
  }
}
