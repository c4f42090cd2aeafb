package io.penstock.core.transport;

import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import org.jspecify.annotations.Nullable;

/**
 * Lets an event loop wait for its sockets without a timeout; an {@link AlarmClock} wakes it when a
 * scheduled task is due. A loop always has a scheduled task, its tick. A timeout must be set and
 * removed in the kernel with each turn, whereas an alarm changes only with the task
 * (docs/adr/0019). While the clock does not run, the loop waits with a timeout.
 *
 * <p>Confined to its event loop, except for {@link #wakeup}.
 */
final class UntimedIoHandler extends ForwardingIoHandler {

  private static final long NONE = -1; // as in IoHandlerContext

  private final AlarmClock.Alarm alarm;
  private long deadline = NONE; // at which the alarm wakes the loop
  private @Nullable Untimed untimed;

  UntimedIoHandler(IoHandler io, AlarmClock clock) {
    super(io);
    this.alarm = clock.alarm(io::wakeup);
  }

  /** Returns a factory of handlers around those of {@code factory}, which share a clock. */
  static IoHandlerFactory around(IoHandlerFactory factory) {
    var clock = new AlarmClock();
    return around(factory, (io, _) -> new UntimedIoHandler(io, clock));
  }

  @Override
  public int run(IoHandlerContext context) {
    if (!context.canBlock()) {
      return io.run(context);
    }
    long next = context.deadlineNanos();
    if (next != deadline) {
      deadline = setAlarm(next, context) ? next : NONE;
    }
    return io.run(deadline == next ? untimed(context) : context);
  }

  /** There is one context for each loop. */
  private Untimed untimed(IoHandlerContext context) {
    Untimed known = untimed;
    if (known == null || known.context != context) {
      known = new Untimed(context);
      untimed = known;
    }
    return known;
  }

  /** Sets or clears the alarm. Returns whether the loop may wait without a timeout. */
  private boolean setAlarm(long next, IoHandlerContext context) {
    if (next != NONE) {
      long now = System.nanoTime();
      if (alarm.set(now + context.delayNanos(now))) {
        return true;
      }
    }
    alarm.clear();
    return next == NONE;
  }

  @Override
  public void destroy() {
    alarm.close();
    super.destroy();
  }

  /** Waits without a timeout, if it may block. */
  private static final class Untimed implements IoHandlerContext {

    private final IoHandlerContext context;

    Untimed(IoHandlerContext context) {
      this.context = context;
    }

    @Override
    public boolean canBlock() {
      return context.canBlock();
    }

    @Override
    public long delayNanos(long now) {
      return Long.MAX_VALUE;
    }

    @Override
    public long deadlineNanos() {
      return NONE;
    }
  }
}
