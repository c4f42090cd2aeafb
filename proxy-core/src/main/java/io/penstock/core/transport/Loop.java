package io.penstock.core.transport;

import io.netty.channel.EventLoop;
import io.penstock.core.output.FlushQueue;
import java.util.function.LongSupplier;

/**
 * One event loop with what belongs to it: executor, flush queue, clock and more. Everything built
 * on a loop is used on that loop only.
 */
public final class Loop {

  private final int index;
  private final EventLoop executor;
  private final FlushQueue flushQueue;
  private final Carrier carrier;
  private final ActiveClients activeClients;
  private final ReadGate readGate;
  private final Slices slices;
  private final LongSupplier clock;
  private long now;

  Loop(int index, EventLoop executor, ActiveClients activeClients, LongSupplier clock) {
    this.clock = clock;
    this.now = clock.getAsLong();
    this.index = index;
    this.executor = executor;
    this.activeClients = activeClients;
    this.flushQueue = new FlushQueue(executor);
    this.readGate = new ReadGate(executor);
    this.slices = new Slices(executor);
    this.carrier = new Carrier(executor);
  }

  /** Returns a loop over an existing event loop, with the system clock. */
  public static Loop over(EventLoop executor) {
    return new Loop(0, executor, new ActiveClients(System.nanoTime()), System::nanoTime);
  }

  /** From 0 to the number of loops - 1. */
  public int index() {
    return index;
  }

  public EventLoop executor() {
    return executor;
  }

  public FlushQueue flushQueue() {
    return flushQueue;
  }

  /** Counts the clients of this loop that send requests at the same time. */
  public ActiveClients activeClients() {
    return activeClients;
  }

  /** Controls whether the sockets of this loop are read. */
  public ReadGate readGate() {
    return readGate;
  }

  /** Runs work that is too long for one turn of this loop. */
  public Slices slices() {
    return slices;
  }

  /**
   * Starts a virtual thread that can exchange work with this loop at low cost: the loop's own
   * thread is its carrier where the JVM allows that. It may park but must not pin its carrier.
   */
  public Thread startVirtual(String name, Runnable task) {
    return carrier.start(name, task);
  }

  /** Runs {@code task} on the loop. Only for threads of {@link #startVirtual}. */
  public void executeFromVirtual(Runnable task) {
    carrier.run(task);
  }

  /** {@link System#nanoTime()} as of the latest {@link #tick()}: for timestamps of this turn. */
  public long now() {
    return now;
  }

  /** Reads the clock. Called once when bytes arrive or a timer fires. */
  public long tick() {
    now = clock.getAsLong();
    return now;
  }
}
