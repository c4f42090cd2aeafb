package io.penstock.core.transport;

import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import org.jspecify.annotations.Nullable;

/**
 * Lets an event loop wait for its sockets without a timeout; an {@link AlarmClock} wakes it when a
 * scheduled task is due. A loop always has one, its tick, and a timeout must be set and taken back
 * in the kernel with each turn, where an alarm changes with the task (docs/adr/0019). As long as
 * there is no clock, it waits with one.
 *
 * <p>Confined to its event loop, but for {@link #wakeup}.
 */
final class UntimedIoHandler extends ForwardingIoHandler {

  private static final long NONE = -1; // as IoHandlerContext has it

  private final AlarmClock.Alarm alarm;
  private long deadline = NONE; // that it will be woken at
  private @Nullable Untimed untimed;

  UntimedIoHandler(IoHandler io, AlarmClock clock) {
    super(io);
    this.alarm = clock.alarm(io::wakeup);
  }

  /** Makes handlers around those of {@code factory} that share a clock. */
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
      deadline = isAwaited(next, context) ? next : NONE;
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

  /** Whether somebody will wake the loop at that time. */
  private boolean isAwaited(long next, IoHandlerContext context) {
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

  /** Waits for ever, if it may wait. */
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
