package io.penstock.core.copies;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.copies.CopyTask.Result;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.ReplyComparison;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One task on its way to a copy, from the queue to its result. Made on any thread; from when it is
 * taken from the queue, confined to the copy's loop.
 */
final class CopyFlight {

  private final CopyTask task;
  private final CopyTask.Listener listener;
  private final long queuedAt;
  private final long size;
  private @Nullable CopySender sender;
  private @Nullable CopyPlan plan;
  private List<CopyPart> parts = List.of(); // of the step
  private int step;
  private int open; // parts in flight
  private int redirects;
  private long sum; // of the integers that the parts answered
  private boolean sums;
  private boolean differs;
  private boolean ran;
  private boolean ended;

  CopyFlight(CopyTask task, CopyTask.Listener listener, long queuedAt) {
    this.task = task;
    this.listener = listener;
    this.queuedAt = queuedAt;
    this.size = task.size();
  }

  CopyTask task() {
    return task;
  }

  /** {@link System#nanoTime()}. */
  long queuedAt() {
    return queuedAt;
  }

  long size() {
    return size;
  }

  boolean hasEnded() {
    return ended;
  }

  /** Returns whether the copy has done some of it, or may have. */
  boolean mayHaveRun() {
    return ran;
  }

  /** Returns whether nothing of it is in flight, and it must be sent again. */
  boolean isToBeSentAgain() {
    return !ended && open == 0 && !parts.isEmpty();
  }

  /** Returns the plan, which is made when first asked for. */
  CopyPlan plan(CopyPlanner planner) {
    CopyPlan made = plan;
    if (made == null) {
      made = planner.plan(task);
      plan = made;
    }
    return made;
  }

  /** The keys to copy again if it is not done; empty if nobody knows them. */
  List<byte[]> keys() {
    CopyPlan made = plan;
    return made != null && made.selects() ? List.of() : task.keys();
  }

  CopySender sender() {
    CopySender its = sender;
    if (its == null) {
      throw new IllegalStateException("it was not sent");
    }
    return its;
  }

  /** Sends it for the first time. The plan must be possible. */
  void send(CopySender through) {
    sender = through;
    sendStep();
  }

  private void sendStep() {
    CopySender through = sender();
    CopyPlan.Piece first = steps().get(step).getFirst();
    List<CopyPart> made = new ArrayList<>(steps().get(step).size());
    if (first.partition() == CopyPlan.EVERY_MASTER) {
      through.addForEveryMaster(this, first.requests(), made);
    } else {
      ConnectionKey connections = through.connectionsOf(task.database(), selects());
      for (CopyPlan.Piece piece : steps().get(step)) {
        var part = new CopyPart(this, through.selecting(piece.requests(), this), connections);
        made.add(part.toPartition(piece.partition()));
      }
      sums = made.size() > 1;
    }
    parts = made;
    open = made.size();
    for (CopyPart part : made) {
      through.dispatch(part);
    }
  }

  private List<List<CopyPlan.Piece>> steps() {
    CopyPlan made = plan;
    return made == null ? List.of() : made.steps();
  }

  boolean selects() {
    CopyPlan made = plan;
    return made != null && made.selects();
  }

  /** Sends again what did not run. */
  void sendAgain() {
    List<CopyPart> again = new ArrayList<>(parts.size());
    for (CopyPart part : parts) {
      if (part.state() == CopyPart.State.AGAIN) {
        again.add(part);
      }
    }
    open = again.size();
    for (CopyPart part : again) {
      sender().dispatch(part);
    }
  }

  /** Returns how often it was redirected, this time included. */
  int countRedirect() {
    return ++redirects;
  }

  boolean comparesReplies() {
    return task.expected() != null;
  }

  /** A part was answered, not with an error. Borrows the reply. */
  void onReply(ByteBuf reply) {
    byte[] expected = task.expected();
    if (expected == null) {
      return;
    }
    if (sums && expected[0] == ':' && reply.getByte(reply.readerIndex()) == ':') {
      sum += integer(reply);
    } else if (!SameReply.isSame(Unpooled.wrappedBuffer(expected), reply, comparison())) {
      differs = true;
    }
  }

  private ReplyComparison comparison() {
    CommandSpec spec = task.spec();
    return spec == null ? ReplyComparison.EXACT : spec.comparison();
  }

  private static long integer(ByteBuf reply) {
    long number = 0;
    for (int i = reply.readerIndex() + 1; reply.getByte(i) != '\r'; i++) {
      number = number * 10 + (reply.getByte(i) - '0');
    }
    return number; // counts of keys are not negative
  }

  /** A part has ended, for now or at last. */
  void onPartEnd() {
    open--;
    if (open == 0 && !ended) {
      settle();
    }
    sender().onPartEnd();
  }

  private void settle() {
    boolean again = false;
    boolean unknown = false;
    CopyError error = null;
    for (CopyPart part : parts) {
      ran |= part.state() != CopyPart.State.AGAIN;
      again |= part.state() == CopyPart.State.AGAIN;
      unknown |= part.state() == CopyPart.State.UNKNOWN;
      error = error == null ? part.error() : error;
    }
    if (unknown) {
      sender().end(this, Result.UNKNOWN, null);
    } else if (error != null) {
      sender().end(this, Result.DIFFERED, error);
    } else if (again) {
      sender().sendLater(this);
    } else if (step + 1 < steps().size()) {
      step++;
      sendStep();
    } else {
      sender().end(this, isAsExpected() ? Result.DONE : Result.DIFFERED, null);
    }
  }

  private boolean isAsExpected() {
    byte[] expected = task.expected();
    if (expected == null || !sums || expected[0] != ':') {
      return !differs;
    }
    return !differs && sum == integer(Unpooled.wrappedBuffer(expected));
  }

  /** It has ended, and releases what it has. */
  void close() {
    ended = true;
    parts.forEach(CopyPart::abandon);
    parts = List.of();
  }

  CopyTask.Listener listener() {
    return listener;
  }
}
