package io.penstock.core.reply;

import io.penstock.core.command.CommandSpec;
import io.penstock.core.observe.LoopCounters;
import io.penstock.core.observe.Outcome;
import io.penstock.core.transport.Loop;
import java.util.ArrayDeque;

/**
 * The places for replies of a loop's clients: how many are in use, and those that are done and can
 * be used again. Those are as many as a load needs at its height, so that what is in flight makes
 * no garbage, and fewer again when it is over. Confined to the loop.
 */
public final class ReplySlots {

  /** So many are kept in any case. */
  public static final int MIN_SPARE = 1_024;

  /** With what they keep of small replies some 30 MB for a loop, or a part of a small heap. */
  public static final int MAX_SPARE =
      Math.clamp(Runtime.getRuntime().maxMemory() / (64 * 450), MIN_SPARE, 65_536);

  private final Loop loop;
  private final LoopCounters counters;
  private final ArrayDeque<ReplySlot> spare = new ArrayDeque<>();
  private int inUse;
  private int unused; // there was no time with fewer since the last look

  /**
   * @param counters of the loop
   */
  public ReplySlots(Loop loop, LoopCounters counters) {
    this.loop = loop;
    this.counters = counters;
  }

  void record(CommandSpec command, Outcome outcome, long since) {
    counters.record(command.id(), outcome, loop.now() - since);
  }

  void countError(String prefix) {
    counters.countError(prefix);
  }

  /** Places that were taken and are not back. */
  public int inUse() {
    return inUse;
  }

  /** Answers one that was used before if there is one. */
  ReplySlot acquire() {
    inUse++;
    ReplySlot slot = spare.pollLast();
    if (slot == null) {
      return new ReplySlot();
    }
    unused = Math.min(unused, spare.size());
    return slot;
  }

  /** This one may never come back. */
  void abandon(ReplySlot slot) {
    inUse -= slot.abandon();
  }

  /** Takes one back, and has it forget everything. */
  void release(ReplySlot slot) {
    abandon(slot);
    slot.recycle();
    if (spare.size() < MAX_SPARE) {
      spare.addLast(slot);
    }
  }

  /** Lets go of half of those that nobody needed since the last time. Called now and then. */
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
