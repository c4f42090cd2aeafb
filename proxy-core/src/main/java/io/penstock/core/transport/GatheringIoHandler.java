package io.penstock.core.transport;

import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Gathers more work into one turn of a busy event loop. If polling the sockets found several ready,
 * the loop yields the processor once and polls again before the turn's writes. Clients and nodes on
 * the same machine can run meanwhile, and what they send shares the system calls and the wake-ups
 * of this turn. If no other thread waits for the processor, yielding returns immediately and costs
 * only the call.
 *
 * <p>If many clients are active (see {@link ActiveClients#areMany}), the loop sleeps instead, for
 * the shortest possible time. That is short compared to the time between a client's requests, and
 * what arrives meanwhile makes the batches of clients and nodes larger.
 *
 * <p>A thread that never sleeps keeps the processor for a whole time slice. If yielding took that
 * long, or if sleeping gathered almost nothing, the loop does neither for {@link #REST} times as
 * long.
 *
 * <p>Confined to its event loop, except for {@link #wakeup}.
 */
final class GatheringIoHandler extends ForwardingIoHandler {

  /** The minimum of completions or ready sockets for yielding. */
  static final int BUSY = 2;

  /** The minimum for sleeping. */
  static final int MANY = 8;

  /** A sleep that gathers fewer was not worth it. */
  static final int FEW = 4;

  /** The kernel adds its timer slack, 50 us on most machines. */
  static final long NAP_NANOS = 10_000;

  /** Yielding for longer costs more than it gains. */
  static final long LONG_NANOS = 2_000_000;

  static final int REST = 32;

  private static final IoHandlerContext NON_BLOCKING = new NonBlocking();

  private final ActiveClients activeClients;
  private final LongConsumer pause;
  private final LongSupplier clock;
  private long restsUntil;

  /**
   * @param activeClients of the loop
   * @param pause sleeps for the given nanoseconds; yields if they are 0
   * @param clock nanoseconds, as of {@link System#nanoTime}
   */
  GatheringIoHandler(
      IoHandler io, ActiveClients activeClients, LongConsumer pause, LongSupplier clock) {
    super(io);
    this.activeClients = activeClients;
    this.pause = pause;
    this.clock = clock;
    this.restsUntil = clock.getAsLong();
  }

  /** Returns a factory of handlers that gather around those of {@code factory}. */
  static IoHandlerFactory around(
      IoHandlerFactory factory, Function<ThreadAwareExecutor, ActiveClients> activeClientsOf) {
    return around(
        factory,
        (io, loop) ->
            new GatheringIoHandler(
                io, activeClientsOf.apply(loop), GatheringIoHandler::pause, System::nanoTime));
  }

  @SuppressWarnings("ThreadPriorityCheck") // only a hint for better performance
  private static void pause(long nanos) {
    if (nanos == 0) {
      Thread.yield();
    } else {
      LockSupport.parkNanos(nanos);
    }
  }

  @Override
  public int run(IoHandlerContext context) {
    int handled = io.run(context);
    if (handled < BUSY) {
      return handled;
    }
    long start = clock.getAsLong();
    return start - restsUntil < 0 ? handled : handled + gather(handled, start);
  }

  private int gather(int handled, long start) {
    boolean sleeps = handled >= MANY && activeClients.areMany();
    pause.accept(sleeps ? NAP_NANOS : 0);
    long end = clock.getAsLong();
    int more = io.run(NON_BLOCKING);
    long took = end - start;
    if (took > LONG_NANOS || (sleeps && more < FEW)) {
      restsUntil = end + REST * took;
    }
    return more;
  }

  /** The second poll does not wait, since the results of the first must still be written. */
  private static final class NonBlocking implements IoHandlerContext {

    @Override
    public boolean canBlock() {
      return false;
    }

    @Override
    public long delayNanos(long now) {
      return 0;
    }

    @Override
    public long deadlineNanos() {
      return -1; // none
    }
  }
}
