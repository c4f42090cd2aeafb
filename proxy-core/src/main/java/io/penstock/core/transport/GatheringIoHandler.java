package io.penstock.core.transport;

import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import java.util.function.LongSupplier;

/**
 * Gathers more work into one turn of a busy event loop: when a look at the sockets found several
 * with something to do, it gives way once to whoever waits for this processor, and looks again
 * before the turn's writes go out. Clients and nodes on the same machine get on meanwhile, and what
 * they send shares the system calls and the wake-ups of this turn. With a processor of its own a
 * loop notices nothing but the call: nobody waits, and it goes on at once.
 *
 * <p>Who never sleeps keeps the processor for a whole time slice. After giving way took that long,
 * the loop does not do it again for {@link #REST} times as long.
 *
 * <p>Confined to its event loop, but for {@link #wakeup}.
 */
final class GatheringIoHandler extends ForwardingIoHandler {

  /** From so many completions or ready sockets on a turn is worth gathering for. */
  static final int BUSY = 2;

  /** Giving way for longer than this costs more than it brings. */
  static final long LONG_NANOS = 2_000_000;

  static final int REST = 32;

  private static final IoHandlerContext AGAIN = new Again();

  private final Runnable giveWay;
  private final LongSupplier clock;
  private long restsUntil;

  /**
   * @param giveWay lets others run
   * @param clock nanoseconds, as of {@link System#nanoTime}
   */
  GatheringIoHandler(IoHandler io, Runnable giveWay, LongSupplier clock) {
    super(io);
    this.giveWay = giveWay;
    this.clock = clock;
    this.restsUntil = clock.getAsLong();
  }

  /** Makes handlers that gather around those of {@code factory}. */
  @SuppressWarnings("ThreadPriorityCheck") // a hint; without effect nothing but speed is lost
  static IoHandlerFactory around(IoHandlerFactory factory) {
    return around(factory, io -> new GatheringIoHandler(io, Thread::yield, System::nanoTime));
  }

  @Override
  public int run(IoHandlerContext context) {
    int handled = io.run(context);
    if (handled >= BUSY && gaveWay()) {
      handled += io.run(AGAIN);
    }
    return handled;
  }

  private boolean gaveWay() {
    long start = clock.getAsLong();
    if (start - restsUntil < 0) {
      return false;
    }
    giveWay.run();
    long end = clock.getAsLong();
    long took = end - start;
    if (took > LONG_NANOS) {
      restsUntil = end + REST * took;
    }
    return true;
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
