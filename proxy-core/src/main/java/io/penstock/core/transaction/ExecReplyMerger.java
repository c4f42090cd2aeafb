package io.penstock.core.transaction;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.ReplyScanner;
import io.penstock.core.transport.Sliced;
import io.penstock.core.transport.Slices;

/**
 * The reply to an {@code EXEC} among whose commands are some of Penstock's own: theirs are put
 * between those of the node, in slices. Confined to its loop.
 */
final class ExecReplyMerger implements Sliced {

  private final ReplySlot whole;
  private final Execution execution;
  private final LocalCommandRun own;
  private final ByteBuf reply; // the node's; borrowed until the end
  private final int commands;
  private final ReplyScanner scanner = new ReplyScanner();
  private int at; // in the reply
  private int place; // among all commands
  private int next; // of the own ones

  /**
   * @param at where the node's first reply begins
   */
  ExecReplyMerger(ReplySlot whole, Execution execution, LocalCommandRun own, ByteBuf reply, int at) {
    this.whole = whole;
    this.execution = execution;
    this.own = own;
    this.reply = reply;
    this.commands = execution.commands();
    this.at = at;
  }

  /** Begins; a short reply is given at once, a long one in slices. */
  void begin(Slices slices) {
    byte[] header = Execution.header(commands);
    whole.deliverPart(Unpooled.wrappedBuffer(header), 0, header.length, false);
    if (step()) {
      slices.start(this);
    }
  }

  @Override
  public boolean step() {
    for (int left = Slices.STEPS_PER_SLICE; left > 0 && place < commands; left--, place++) {
      if (next < own.size() && own.position(next) == place) {
        ByteBuf one = own.reply(next);
        whole.deliverPart(one, one.readerIndex(), one.writerIndex(), false);
        own.given(next++);
      } else {
        int end = scanner.scan(reply, at, reply.writerIndex());
        whole.deliverPart(reply, at, end, false);
        at = end;
      }
    }
    if (place < commands) {
      return true;
    }
    execution.onReplyComplete();
    whole.complete(Outcome.OK);
    return false;
  }

  @Override
  public void onFailure(Throwable cause) {
    own.abandon();
    execution.onInternalError(cause);
  }
}
