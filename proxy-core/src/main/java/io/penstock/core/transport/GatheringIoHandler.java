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
 * Gathers more work into one turn of a busy event loop: when a look at the sockets found several
 * with something to do, it gives way once to whoever waits for this processor, and looks again
 * before the turn's writes go out. Clients and nodes on the same machine get on meanwhile, and what
 * they send shares the system calls and the wake-ups of this turn. With a processor of its own a
 * loop notices nothing but the call: nobody waits, and it goes on at once.
 *
 * <p>When a large {@link ActiveClients} is served it sleeps instead, for the shortest time that can
 * be slept: that is little beside the time in which each client's turn comes round, and what comes
 * meanwhile makes the batches of clients and nodes larger.
 *
 * <p>Who never sleeps keeps the processor for a whole time slice. After giving way took that long,
 * or sleep brought next to nothing, the loop does neither for {@link #REST} times as long.
 *
 * <p>Confined to its event loop, but for {@link #wakeup}.
 */
final class GatheringIoHandler extends ForwardingIoHandler {

  /** From so many completions or ready sockets on a turn is worth gathering for. */
  static final int BUSY = 2;

  /** From so many on it is worth sleeping for. */
  static final int MANY = 8;

  /** A sleep that brings fewer was not worth it. */
  static final int FEW = 4;

  /** The kernel's timer slack, 50 us on most machines, comes on top. */
  static final long NAP_NANOS = 10_000;

  /** Giving way for longer than this costs more than it brings. */
  static final long LONG_NANOS = 2_000_000;

  static final int REST = 32;

  private static final IoHandlerContext AGAIN = new Again();

  private final ActiveClients crowd;
  private final LongConsumer pause;
  private final LongSupplier clock;
  private long restsUntil;

  /**
   * @param crowd the loop's clients
   * @param pause sleeps for so many nanoseconds; for none it only lets others run
   * @param clock nanoseconds, as of {@link System#nanoTime}
   */
  GatheringIoHandler(IoHandler io, ActiveClients crowd, LongConsumer pause, LongSupplier clock) {
    super(io);
    this.crowd = crowd;
    this.pause = pause;
    this.clock = clock;
    this.restsUntil = clock.getAsLong();
  }

  /** Makes handlers that gather around those of {@code factory}. */
  static IoHandlerFactory around(
      IoHandlerFactory factory, Function<ThreadAwareExecutor, ActiveClients> crowdOf) {
    return around(
        factory,
        (io, loop) ->
            new GatheringIoHandler(
                io, crowdOf.apply(loop), GatheringIoHandler::pause, System::nanoTime));
  }

  @SuppressWarnings("ThreadPriorityCheck") // a hint; without effect nothing but speed is lost
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
    boolean sleeps = handled >= MANY && crowd.areMany();
    pause.accept(sleeps ? NAP_NANOS : 0);
    long end = clock.getAsLong();
    int more = io.run(AGAIN);
    long took = end - start;
    if (took > LONG_NANOS || (sleeps && more < FEW)) {
      restsUntil = end + REST * took;
    }
    return more;
  }

  /** The second look does not wait: what the first one found has still to be written. */
  private static final class Again implements IoHandlerContext {

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
