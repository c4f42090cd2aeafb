package io.penstock.core.transport;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Lets one loop wait until others have polled their sockets. What has arrived for their clients by
 * now has then been handled, although their threads may have to wait for a processor: bytes, and
 * the end of a connection. Calls that come while another loop polls share its next poll. Confined
 * to its loop.
 */
public final class LoopPolls {

  private final Loop own;
  private final Map<Loop, Poll> polls = new HashMap<>();

  /**
   * @param own the loop that waits
   */
  public LoopPolls(Loop own) {
    this.own = own;
  }

  /**
   * Runs {@code action} on this loop when all of {@code loops} have polled their sockets; at once
   * if there is none but this loop. A loop that has been shut down is not waited for. The action
   * does not run if a loop is shut down meanwhile. It must not throw.
   */
  public void whenPolled(Set<Loop> loops, Runnable action) {
    var wait = new Wait(loops.size() - (loops.contains(own) ? 1 : 0), action);
    if (wait.missing == 0) {
      action.run();
      return;
    }
    for (Loop loop : loops) {
      if (loop != own) {
        polls.computeIfAbsent(loop, Poll::new).add(wait);
      }
    }
  }

  /** An action, and how many loops it waits for. */
  private static final class Wait {

    private final Runnable action;
    private int missing;

    Wait(int missing, Runnable action) {
      this.missing = missing;
      this.action = action;
    }

    void onPolled() {
      if (--missing == 0) {
        action.run();
      }
    }
  }

  /** The polls of one other loop, one at a time. */
  private final class Poll {

    private final Loop other;
    private List<Wait> current = List.of(); // for the poll under way
    private List<Wait> next = new ArrayList<>();

    Poll(Loop other) {
      this.other = other;
    }

    void add(Wait wait) {
      next.add(wait);
      if (current.isEmpty()) {
        begin();
      }
    }

    private void begin() {
      current = next;
      next = new ArrayList<>();
      try {
        other.executor().execute(this::poll);
      } catch (RejectedExecutionException _) { // it has been shut down
        own.executor().execute(this::onPolled);
      }
    }

    /** Runs on the other loop. Scheduled: executed tasks may run before the sockets are polled. */
    private void poll() {
      other.executor().schedule(this::polled, 0, TimeUnit.NANOSECONDS);
    }

    private void polled() {
      own.executor().execute(this::onPolled);
    }

    private void onPolled() {
      List<Wait> done = current;
      current = List.of();
      if (!next.isEmpty()) {
        begin();
      }
      done.forEach(Wait::onPolled);
    }
  }
}
