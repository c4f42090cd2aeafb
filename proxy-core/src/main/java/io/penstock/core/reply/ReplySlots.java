package io.penstock.core.reply;

import io.penstock.core.observe.LoopCounters;
import io.penstock.core.observe.Outcome;
import io.penstock.core.observe.Timeline;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.transport.Loop;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The pool of a loop's {@link ReplySlot}s. It counts those in use and keeps spare ones: as many as
 * the peak of the load needs, so that requests in flight make no garbage, and fewer again after the
 * peak. Confined to the loop.
 */
public final class ReplySlots {

  /** Spare slots that are always kept. */
  public static final int MIN_SPARE = 1_024;

  /**
   * Most spare slots: with their arrays for small replies about 30 MB for a loop, or a part of a
   * small heap.
   */
  public static final int MAX_SPARE =
      Math.clamp(Runtime.getRuntime().maxMemory() / (64 * 450), MIN_SPARE, 65_536);

  private final Loop loop;
  private final LoopCounters counters;
  private ReplyObserver observer;
  private final ArrayDeque<ReplySlot> spare = new ArrayDeque<>();
  private int inUse;
  private int unused; // the smallest size of the pool since the last trim

  /**
   * @param counters of the loop
   */
  public ReplySlots(Loop loop, LoopCounters counters) {
    this.loop = loop;
    this.counters = counters;
    this.observer =
        (command, outcome, nanos, _, _) -> counters.record(command.id(), outcome, nanos);
  }

  /** Adds an observer of the replies that end from now on. */
  public void observe(ReplyObserver more) {
    observer = observer.and(more);
  }

  @Nullable Timeline timelineFor(CommandSpec command, long arrived) {
    return observer.wantsTimeline(command) ? new Timeline(arrived, System.nanoTime()) : null;
  }

  void record(
      CommandSpec command, Outcome outcome, long since, long bytes, @Nullable Timeline timeline) {
    observer.onReply(command, outcome, loop.now() - since, bytes, timeline);
  }

  void countError(String prefix) {
    counters.countError(prefix);
  }

  /** Returns the number of slots in use. */
  public int inUse() {
    return inUse;
  }

  /** Returns a spare slot, or a new one if there is none. */
  ReplySlot acquire() {
    inUse++;
    ReplySlot slot = spare.pollLast();
    if (slot == null) {
      return new ReplySlot();
    }
    unused = Math.min(unused, spare.size());
    return slot;
  }

  /** Stops counting a slot as in use: it may never be released. */
  void abandon(ReplySlot slot) {
    inUse -= slot.abandon();
  }

  /** Takes back a slot and resets it. */
  void release(ReplySlot slot) {
    abandon(slot);
    slot.recycle();
    if (spare.size() < MAX_SPARE) {
      spare.addLast(slot);
    }
  }

  /**
   * Drops half of the spare slots that were not needed since the last call. Called periodically.
   */
  public void trim() {
    int rest = Math.max(MIN_SPARE, spare.size() - (unused + 1) / 2);
    while (spare.size() > rest) {
      spare.pollFirst();
    }
    unused = spare.size();
  }

  int size() {
    return spare.size();
  }
}
