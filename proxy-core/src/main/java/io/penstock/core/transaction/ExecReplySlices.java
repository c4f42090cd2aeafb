package io.penstock.core.transaction;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.transport.Sliced;
import io.penstock.core.transport.Slices;

/**
 * Delivers the reply to an {@code EXEC} command by command, in slices: local commands have their
 * own replies, the others those of nodes. Confined to its loop.
 */
abstract class ExecReplySlices implements Sliced {

  private final ReplySlot whole;
  private final LocalCommandRun localRun;
  private final int commands;
  private int command; // index among all commands
  private int next; // index of the next local command

  /**
   * @param localRun has run
   * @param commands how many the transaction has
   */
  ExecReplySlices(ReplySlot whole, LocalCommandRun localRun, int commands) {
    this.whole = whole;
    this.localRun = localRun;
    this.commands = commands;
  }

  /** Begins the reply; a short one is delivered at once, a long one in slices. */
  final void begin(Slices slices) {
    byte[] header = Execution.header(commands);
    whole.deliverPart(Unpooled.wrappedBuffer(header), 0, header.length, false);
    if (step()) {
      slices.start(this);
    }
  }

  @Override
  public final boolean step() {
    for (int left = Slices.STEPS_PER_SLICE; left > 0 && command < commands; left--) {
      if (next < localRun.size() && localRun.position(next) == command) {
        deliver(localRun.reply(next));
        localRun.release(next++);
      } else if (!deliverNext(command, left)) {
        return true;
      }
      command++;
    }
    if (command < commands) {
      return true;
    }
    whole.complete(onComplete());
    return false;
  }

  /**
   * Delivers the reply of nodes to a command, or a part of it.
   *
   * @param command index among all commands
   * @param steps that the part may take
   * @return whether it is delivered whole; if not, the next slice goes on with it
   */
  abstract boolean deliverNext(int command, int steps);

  /** Runs when all replies are delivered; returns what became of the transaction. */
  abstract Outcome onComplete();

  /** Ends the transaction with an internal error. */
  abstract void onInternalError(Throwable cause);

  final void deliver(ByteBuf one) {
    deliver(one, one.readerIndex(), one.writerIndex());
  }

  final void deliver(ByteBuf buffer, int from, int to) {
    whole.deliverPart(buffer, from, to, false);
  }

  @Override
  public final void onFailure(Throwable cause) {
    localRun.abandon();
    onInternalError(cause);
  }
}
