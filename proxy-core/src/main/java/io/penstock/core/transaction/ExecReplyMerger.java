package io.penstock.core.transaction;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.ReplyScanner;
import io.penstock.core.transport.Sliced;
import io.penstock.core.transport.Slices;

/**
 * Merges the reply to an {@code EXEC} of a transaction with local commands: their replies are
 * inserted between those of the node, in slices. Confined to its loop.
 */
final class ExecReplyMerger implements Sliced {

  private final ReplySlot whole;
  private final Execution execution;
  private final LocalCommandRun localRun;
  private final ByteBuf reply; // the node's; borrowed until the end
  private final int commands;
  private final ReplyScanner scanner = new ReplyScanner();
  private int at; // index in the node's reply
  private int command; // index among all commands
  private int next; // index of the next local command

  /**
   * @param at index of the node's first reply
   */
  ExecReplyMerger(
      ReplySlot whole, Execution execution, LocalCommandRun localRun, ByteBuf reply, int at) {
    this.whole = whole;
    this.execution = execution;
    this.localRun = localRun;
    this.reply = reply;
    this.commands = execution.commands();
    this.at = at;
  }

  /** Begins the reply; a short one is delivered at once, a long one in slices. */
  void begin(Slices slices) {
    byte[] header = Execution.header(commands);
    whole.deliverPart(Unpooled.wrappedBuffer(header), 0, header.length, false);
    if (step()) {
      slices.start(this);
    }
  }

  @Override
  public boolean step() {
    for (int left = Slices.STEPS_PER_SLICE; left > 0 && command < commands; left--, command++) {
      if (next < localRun.size() && localRun.position(next) == command) {
        ByteBuf one = localRun.reply(next);
        whole.deliverPart(one, one.readerIndex(), one.writerIndex(), false);
        localRun.release(next++);
      } else {
        execution.onCommandReply(command, reply.getByte(at));
        int end = scanner.scan(reply, at, reply.writerIndex());
        whole.deliverPart(reply, at, end, false);
        at = end;
      }
    }
    if (command < commands) {
      return true;
    }
    execution.onReplyComplete();
    whole.complete(Outcome.OK);
    return false;
  }

  @Override
  public void onFailure(Throwable cause) {
    localRun.abandon();
    execution.onInternalError(cause);
  }
}
