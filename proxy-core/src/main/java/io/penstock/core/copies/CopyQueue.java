package io.penstock.core.copies;

import io.penstock.core.copies.CopyTask.Result;
import io.penstock.core.observe.MirrorStats;
import io.penstock.core.observe.ThrottledLog;
import io.penstock.core.side.Side;
import io.penstock.core.transport.Loop;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one copy has yet to do, in order. Tasks may be added on any thread; everything else happens
 * on the copy's loop. Beyond the limits of the settings, tasks are dropped, and the copy is behind.
 * It goes on with what comes later.
 */
public final class CopyQueue {

  private static final Logger log = LoggerFactory.getLogger(CopyQueue.class);

  /**
   * How long tasks that nobody waits for are gathered before they are sent: fewer and larger writes
   * to the copy leave more of the processors to clients.
   */
  static final Duration GATHERING = Duration.ofNanos(500_000);

  /** From this share of a full queue on, nothing is gathered. */
  private static final int FULL_SHARE = 4;

  private final int number;
  private final String name;
  private final Loop loop;
  private volatile MirrorSettings settings;
  private final CopyCounts counts = new CopyCounts();
  private final CopyStanding standing;
  private final Overflow overflow;
  private final KeyRepairs repairs;
  private final CopySender sender;
  private final Queue<CopyFlight> inbox = new ConcurrentLinkedQueue<>();
  private final Queue<CopyTask.Listener> droppedOnes = new ConcurrentLinkedQueue<>();
  private final AtomicLong queued = new AtomicLong(); // those in flight included
  private final AtomicLong queuedBytes = new AtomicLong();
  private final AtomicBoolean woken = new AtomicBoolean();
  private final AtomicBoolean gathering = new AtomicBoolean();
  private final ThrottledLog differingLog = new ThrottledLog();
  private final ThrottledLog pauseLog = new ThrottledLog();
  private volatile boolean closed;

  /**
   * @param number of the copy in its upstream
   * @param name of the copy's upstream
   * @param loop of the copy: everything is sent from there
   * @param side the copy's upstream, as that loop reaches it
   * @param repairs for keys that differ
   */
  public CopyQueue(
      int number, String name, Loop loop, Side side, MirrorSettings settings, Repairs repairs) {
    this.number = number;
    this.name = name;
    this.loop = loop;
    this.settings = settings;
    this.standing = new CopyStanding(name);
    this.overflow = new Overflow(name);
    this.repairs = new KeyRepairs(number, loop, repairs, counts, standing);
    this.sender = new CopySender(number, loop, side, new Waiting());
  }

  /**
   * Goes on with other settings, and over another side: as soon as everything that was sent over
   * the earlier one is answered, so that the order stays. On the copy's loop.
   *
   * @return completes when the earlier side is not used any more
   */
  public CompletableFuture<Void> change(Side next, MirrorSettings changed) {
    settings = changed;
    return sender.change(next);
  }

  /** Returns the number of the copy in its upstream, which no other copy ever has. */
  public int number() {
    return number;
  }

  /**
   * Adds a task behind all that were added before. Returns at once, on any thread.
   *
   * @param listener told what became of it
   */
  public void offer(CopyTask task, CopyTask.Listener listener) {
    var flight = new CopyFlight(task, listener, System.nanoTime());
    if (closed) {
      drop(listener);
    } else if (reserve(flight.size())) {
      inbox.add(flight);
      if (listener == CopyTask.Listener.NOBODY && !isGettingFull()) {
        gather();
      } else {
        wake();
      }
    } else {
      overflow.onDropped(queued.get(), queuedBytes.get());
      standing.lose("writes were dropped because its queue was full");
      drop(listener);
    }
  }

  /** A single task may be larger than the limit of bytes: else it would never be copied. */
  private boolean reserve(long size) {
    long before = queued.getAndIncrement();
    long bytes = queuedBytes.getAndAdd(size);
    if (before < settings.maxRequests() && (before == 0 || bytes + size <= settings.maxBytes())) {
      return true;
    }
    release(size);
    return false;
  }

  private boolean isGettingFull() {
    return queued.get() > settings.maxRequests() / FULL_SHARE
        || queuedBytes.get() > settings.maxBytes() / FULL_SHARE;
  }

  private void release(long size) {
    queued.decrementAndGet();
    queuedBytes.addAndGet(-size);
  }

  private void drop(CopyTask.Listener listener) {
    counts.dropped.increment();
    droppedOnes.add(listener);
    wake();
  }

  /** Has it sent with what else is added soon. */
  private void gather() {
    if (!gathering.get() && gathering.compareAndSet(false, true)) {
      try {
        var _ =
            loop.executor().schedule(this::onGathered, GATHERING.toNanos(), TimeUnit.NANOSECONDS);
      } catch (RejectedExecutionException _) { // the loop has ended, and nobody drops it there
        dropAll();
      }
    }
  }

  private void onGathered() {
    gathering.set(false); // first: what is added from now on is gathered again
    onWoken();
  }

  private void wake() {
    if (!woken.get() && woken.compareAndSet(false, true)) {
      try {
        loop.executor().execute(this::onWoken);
      } catch (RejectedExecutionException _) { // the loop has ended, and nobody drops it there
        dropAll();
      }
    }
  }

  private void onWoken() {
    woken.set(false); // first: what is added from now on wakes again
    tellDropped();
    if (closed) {
      dropAll();
    } else {
      loop.tick();
      sender.run();
    }
  }

  private void tellDropped() {
    for (var next = droppedOnes.poll(); next != null; next = droppedOnes.poll()) {
      tell(next, Result.DROPPED);
    }
  }

  private static void tell(CopyTask.Listener listener, Result result) {
    try {
      listener.onEnd(result);
    } catch (Throwable e) { // the other tasks must be copied, too
      log.error("The end of a copied write could not be handled", e);
    }
  }

  /** The tasks that wait, and what follows from the end of each. On the loop. */
  private final class Waiting implements CopySender.Source {

    @Override
    public @Nullable CopyFlight peek() {
      return inbox.peek();
    }

    @Override
    public void take() {
      inbox.poll();
    }

    @Override
    public void onEnd(CopyFlight flight, Result result, @Nullable CopyError error) {
      switch (result) {
        case DONE -> counts.done.increment();
        case DIFFERED -> onDiffered(flight, error);
        case UNKNOWN -> {
          counts.unknown.increment();
          copyAgain(flight, null, "it did not answer a write in time, or the connection was lost");
        }
        case DROPPED -> counts.dropped.increment();
      }
      release(flight.size());
      if (overflow.isUnderWay() && isHalfFree()) {
        overflow.onEnd();
      }
      tell(flight.listener(), result);
    }

    @Override
    public void onPause(String reason) {
      repairs.hold();
      pauseLog.log(times ->
          log.warn(
              "Copy {} takes no writes now ({}), {} wait; it was so {} times since the last such"
                  + " line",
              name,
              reason,
              queued.get(),
              times));
    }

    @Override
    public void onResume() {
      repairs.release();
    }
  }

  private boolean isHalfFree() {
    return queued.get() <= settings.maxRequests() / 2
        && queuedBytes.get() <= settings.maxBytes() / 2;
  }

  private void onDiffered(CopyFlight flight, @Nullable CopyError error) {
    CopyTask task = flight.task();
    String command = CopyCounts.name(task.spec());
    String text = error == null ? "another reply than the primary's" : error.text();
    counts.countDiffering(task.spec());
    differingLog.log(times ->
        log.warn(
            "Copy {} differs: a write ({}) had {}; {} since the last such line",
            name,
            command,
            text,
            times));
    if (error != null && error.kind() == CopyError.Kind.REFUSED) {
      repairs.fail(task.database(), flight.keys(), text);
      standing.lose("it refuses writes: " + text);
    } else {
      copyAgain(flight, task.spec() == null && error != null ? text : null, text);
    }
  }

  /**
   * Has the keys of a task copied again; without keys the copy is behind.
   *
   * @param error with which a request of Penstock was answered; null for none
   * @param why words for the reason
   */
  private void copyAgain(CopyFlight flight, @Nullable String error, String why) {
    if (closed) {
      return;
    }
    List<byte[]> keys = flight.keys();
    if (keys.isEmpty()) {
      standing.lose("the keys of a write are not known: " + why);
    } else {
      repairs.add(flight.task().database(), keys, error);
    }
  }

  /** Returns how far the copy is. Safe from any thread. */
  public MirrorStats.Copy stats() {
    CopyStanding.State state = standing.state();
    return new MirrorStats.Copy(
        name,
        queued.get(),
        queuedBytes.get(),
        lagNanos(),
        counts.done.sum(),
        counts.dropped.sum(),
        counts.unknown.sum(),
        counts.differing(),
        repairs.size(),
        counts.copiedAgain.sum(),
        state.since(),
        state.reason());
  }

  private long lagNanos() {
    long oldest = sender.oldestAt();
    CopyFlight first = oldest == 0 ? inbox.peek() : null;
    if (first != null) {
      oldest = first.queuedAt();
    }
    return oldest == 0 ? 0 : Math.max(0, System.nanoTime() - oldest);
  }

  /** The copy lacks something that only a resync brings. Safe from any thread. */
  public void markBehind(String reason) {
    standing.lose(reason);
  }

  /** Returns how often something was lost for the copy so far. Safe from any thread. */
  public long losses() {
    return standing.state().losses();
  }

  /**
   * Everything was copied again: the copy is level, unless something was lost since.
   *
   * @param lossesBefore {@link #losses} when copying began
   * @return whether it is level
   */
  public boolean markLevel(long lossesBefore) {
    return standing.markLevel(lossesBefore);
  }

  /** Sends nothing any more. Tasks that wait are dropped. Safe from any thread. */
  public void close() {
    closed = true;
    try {
      loop.executor().execute(this::closeOnLoop);
    } catch (RejectedExecutionException _) {
      dropAll();
    }
  }

  private void closeOnLoop() {
    sender.close();
    repairs.close();
    dropAll();
    overflow.onEnd();
  }

  private void dropAll() {
    tellDropped();
    for (CopyFlight next = inbox.poll(); next != null; next = inbox.poll()) {
      counts.dropped.increment();
      release(next.size());
      tell(next.listener(), Result.DROPPED);
    }
  }
}
