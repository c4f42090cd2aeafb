package io.penstock.core.transport;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.penstock.core.output.Libc;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the threads of event loops. Each requests a longer time slice from the kernel: where they
 * share processors with other threads they run less often, with more work each time
 * (docs/adr/0022).
 */
final class LoopThreads extends DefaultThreadFactory {

  private static final Logger log = LoggerFactory.getLogger(LoopThreads.class);

  private final long timeSliceNanos;

  /**
   * @param timeSlice zero for the kernel's default
   */
  LoopThreads(Duration timeSlice) {
    super("penstock-loop");
    this.timeSliceNanos = timeSlice.toNanos();
  }

  @Override
  protected Thread newThread(Runnable loop, String name) {
    return super.newThread(
        () -> {
          requestTimeSlice();
          loop.run();
        },
        name);
  }

  /** If the request fails, the thread keeps the default. */
  private void requestTimeSlice() {
    if (timeSliceNanos == 0) {
      return;
    }
    try {
      long now = Libc.Scheduling.timeSlice(timeSliceNanos);
      log.debug("Requested a time slice of {} ns, got {} ns", timeSliceNanos, now);
    } catch (RuntimeException | LinkageError e) {
      log.debug("Could not request a time slice", e);
    }
  }
}
