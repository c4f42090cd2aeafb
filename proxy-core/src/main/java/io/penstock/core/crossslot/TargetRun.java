package io.penstock.core.crossslot;

import io.netty.buffer.ByteBuf;
import io.penstock.core.client.Backpressure;
import io.penstock.core.client.Client;
import io.penstock.core.client.Nodes;
import io.penstock.core.command.CommandTable;
import io.penstock.core.forward.GatheredBytes;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.steps.Replies;
import java.util.List;

/**
 * The last step of a command that runs on copies: the block with the copies and the command, sent
 * to the target. Its reply, or an error, ends the command. Confined to the client's event loop.
 */
final class TargetRun implements Block.Listener {

  private final CrossSlotContext context;
  private final Client client;
  private final Nodes nodes;
  private final Backpressure backpressure;
  private final ReplySlot whole;
  private final CommandSpec spec;
  private final int target;
  private int before; // replies before that of the command
  private boolean removes; // a reply follows it

  /**
   * @param whole where the reply goes; this resumes the client
   * @param spec of the command
   * @param target partition of the copies
   */
  TargetRun(CrossSlotContext context, ReplySlot whole, CommandSpec spec, int target) {
    this.context = context;
    this.client = context.forward().clientContext().client();
    this.nodes = context.forward().clientContext().nodes();
    this.backpressure = context.backpressure();
    this.whole = whole;
    this.spec = spec;
    this.target = target;
  }

  /** Sends the block; takes its bytes. A command that writes is sent once. */
  void begin(CopyBlock copies) {
    before = copies.before();
    removes = copies.hasRemoval();
    var limit = context.loop().limit();
    var gathered = new GatheredBytes(context.forward().clientContext(), limit);
    var block = new Block(context.forward().owner(), whole, gathered, this);
    CommandTable commands = context.forward().clientContext().reader().servers().commands();
    block.prepareWhole(commands.byName("exec"), target, copies.take(), copies.commands());
    if (spec.isWrite()) {
      context.forward().order().noteOtherWrite(target);
    } else {
      block.repeatable();
    }
    if (spec.isScript()) {
      block.loadScripts(context.forward().forwardLoop().scripts());
    }
    block.sendPrerequisites(nodes::dispatch);
    if (!nodes.dispatch(block)) {
      backpressure.pauseIfBusy(block.sentTo());
    }
  }

  @Override
  public void onRan(Block block) {
    try {
      answer(block);
    } catch (Throwable e) { // the caller must not fail because of this client
      client.fail(e);
    } finally {
      block.release();
    }
  }

  private void answer(Block block) {
    if (block.isTooLarge()) {
      fail(CrossSlotErrors.replyTooLarge(context.loop().limit().maxBytes()), Outcome.OVERLOADED);
      return;
    }
    ByteBuf all = block.reply();
    List<ByteBuf> first = Replies.elements(all, before);
    for (ByteBuf reply : first) {
      if (Replies.isError(reply)) {
        fail(CrossSlotErrors.notRestored(reply), Outcome.ERROR);
        return;
      }
    }
    ByteBuf reply = Replies.behind(all, first, removes);
    boolean error = Replies.isError(reply);
    if (error && SortPattern.isRefused(reply)) {
      fail(CrossSlotErrors.PATTERNS_REFUSED, Outcome.ERROR);
      return;
    }
    client.resume(whole);
    whole.deliver(
        reply, reply.readerIndex(), reply.writerIndex(), error ? Outcome.ERROR : Outcome.OK);
  }

  @Override
  public void onError(byte[] error, Outcome outcome) {
    fail(error, outcome);
  }

  @Override
  public void onInternalError() {
    // The client is closed, and what was kept is released.
  }

  private void fail(byte[] error, Outcome outcome) {
    client.resume(whole);
    whole.answer(error, outcome);
  }
}
