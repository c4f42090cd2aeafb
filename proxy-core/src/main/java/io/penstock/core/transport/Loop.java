package io.penstock.core.transport;

import io.netty.channel.EventLoop;
import java.util.function.LongSupplier;

/**
 * One event loop as the rooms see it: its executor, its flush queue and its clock. Everything built
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

  Loop(int index, EventLoop executor, ActiveClients crowd, LongSupplier clock) {
    this.clock = clock;
    this.now = clock.getAsLong();
    this.index = index;
    this.executor = executor;
    this.activeClients = crowd;
    this.flushQueue = new FlushQueue(executor);
    this.readGate = new ReadGate(executor);
    this.slices = new Slices(executor);
    this.carrier = new Carrier(executor);
  }

  /**
   * A loop of its own over an event loop that somebody else made and runs, with the machine's
   * clock.
   */
  public static Loop over(EventLoop executor) {
    return new Loop(0, executor, new ActiveClients(System.nanoTime()), System::nanoTime);
  }

  /** 0 to loops - 1. */
  public int index() {
    return index;
  }

  public EventLoop executor() {
    return executor;
  }

  public FlushQueue flushQueue() {
    return flushQueue;
  }

  /** How many clients of this loop ask at the same time. */
  public ActiveClients activeClients() {
    return activeClients;
  }

  /** Whether the sockets of this loop are read. */
  public ReadGate readGate() {
    return readGate;
  }

  /** What is too long for one turn of this loop. */
  public Slices slices() {
    return slices;
  }

  /**
   * Starts a virtual thread that hands things over to this loop and back at little cost: the loop's
   * own thread carries it where the JVM allows that. It may park, and must not occupy its carrier.
   */
  public Thread startVirtual(String name, Runnable task) {
    return carrier.start(name, task);
  }

  /** Runs {@code task} on the loop; called by threads of {@link #startVirtual} alone. */
  public void executeFromVirtual(Runnable task) {
    carrier.run(task);
  }

  /** {@link System#nanoTime()} as of the last {@link #tick()}: good for this turn's stamps. */
  public long now() {
    return now;
  }

  /** Reads the clock; called once when bytes arrive or a timer fires. */
  public long tick() {
    now = clock.getAsLong();
    return now;
  }
}
