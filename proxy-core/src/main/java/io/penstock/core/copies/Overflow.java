package io.penstock.core.copies;

import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs when a full queue begins to drop tasks, and when it has ended. Safe from any thread. It has
 * ended when half of the queue is free: one line for many tasks, also while it is full again and
 * again.
 */
final class Overflow {

  private static final Logger log = LoggerFactory.getLogger(Overflow.class);

  private final String name;
  private final AtomicReference<@Nullable Instant> since = new AtomicReference<>();
  private final AtomicLong dropped = new AtomicLong();

  /**
   * @param name of the copy
   */
  Overflow(String name) {
    this.name = name;
  }

  /**
   * A task was dropped.
   *
   * @param queued tasks that wait
   * @param bytes of them
   */
  void onDropped(long queued, long bytes) {
    dropped.incrementAndGet();
    if (since.get() == null && since.compareAndSet(null, Instant.now())) {
      log.warn(
          "Copy {} does not keep up: {} writes with {} bytes wait for it. It does not get further"
              + " writes until there is room",
          name,
          queued,
          bytes);
    }
  }

  boolean isUnderWay() {
    return since.get() != null;
  }

  /** Half of the queue is free, or the queue is closed. */
  void onEnd() {
    Instant began = since.getAndSet(null);
    if (began != null) {
      log.warn(
          "Copy {} gets all writes again; from {} to {} it did not get {} writes",
          name,
          began,
          Instant.now(),
          dropped.getAndSet(0));
    }
  }
}
