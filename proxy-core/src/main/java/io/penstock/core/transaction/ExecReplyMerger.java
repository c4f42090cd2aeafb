package io.penstock.core.transaction;

import io.netty.buffer.ByteBuf;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.ReplyScanner;

/**
 * Merges the reply to an {@code EXEC} of a transaction with local commands: their replies are
 * inserted between those of the node.
 */
final class ExecReplyMerger extends ExecReplySlices {

  private final Execution execution;
  private final ByteBuf reply; // the node's; borrowed until the end
  private final ReplyScanner scanner = new ReplyScanner();
  private int at; // index in the node's reply

  /**
   * @param at index of the node's first reply
   */
  ExecReplyMerger(
      ReplySlot whole, Execution execution, LocalCommandRun localRun, ByteBuf reply, int at) {
    super(whole, localRun, execution.commands());
    this.execution = execution;
    this.reply = reply;
    this.at = at;
  }

  @Override
  boolean deliverNext(int command, int steps) {
    execution.onCommandReply(command, reply.getByte(at));
    int end = scanner.scan(reply, at, reply.writerIndex());
    deliver(reply, at, end);
    at = end;
    return true;
  }

  @Override
  Outcome onComplete() {
    execution.onReplyComplete();
    return Outcome.OK;
  }

  @Override
  void onInternalError(Throwable cause) {
    execution.onInternalError(cause);
  }
}
