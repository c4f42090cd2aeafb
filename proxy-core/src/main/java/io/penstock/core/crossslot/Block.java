package io.penstock.core.crossslot;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.penstock.core.dispatch.PlacedExchange;
import io.penstock.core.forward.GatheredBytes;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.PendingReply;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.retry.ExchangeOwner;
import io.penstock.core.script.CalledScripts;
import io.penstock.core.script.LoopScripts;
import io.penstock.core.transaction.TransactionBlock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One step at one partition: commands between {@code MULTI} and {@code EXEC}, of which all run or
 * none. Confined to the client's event loop.
 */
final class Block extends TransactionBlock {

  /** The request that the step belongs to. */
  interface Listener {

    /** The commands ran. Their replies can be read until {@link Block#release}. */
    void onRan(Block block);

    /**
     * None of the commands ran, or it is unknown whether they did.
     *
     * @param error a whole error reply
     */
    void onError(byte[] error, Outcome outcome);

    /** Handles an internal error: the client is closed. */
    void onInternalError();
  }

  private final GatheredBytes gathered;
  private final Listener listener;
  private final PendingReply pending = new PendingReply();
  private @Nullable CalledScripts scripts; // null if none is called

  Block(ExchangeOwner owner, ReplySlot whole, GatheredBytes gathered, Listener listener) {
    super(owner);
    timeline(whole.timeline());
    this.gathered = gathered;
    this.listener = listener;
  }

  /** Returns whether the replies are too large to be kept, so that none is. */
  boolean isTooLarge() {
    return gathered.isTooLarge();
  }

  /** Returns the array of the replies to the commands; borrowed until {@link #release}. */
  ByteBuf reply() {
    return pending.view();
  }

  /** Loads scripts that the block calls and that the node may lack, before each send. */
  void loadScripts(LoopScripts known) {
    CalledScripts called = new CalledScripts(reader(), known);
    called.find(sharedBytes().buffer(), offset(), length());
    scripts = called;
  }

  @Override
  public void sendPrerequisites(Consumer<PlacedExchange> sender) {
    if (scripts != null) {
      scripts.load(this, sender);
    }
  }

  /** Sends it again after a lost connection: it changes nothing that stays. */
  void repeatable() {
    treatAsRead();
  }

  /** Releases the replies. */
  void release() {
    pending.clear();
    gathered.release();
  }

  @Override
  public void deliver(ByteBuf buffer, int from, int to, Outcome outcome) {
    releaseRequest();
    if (outcome != Outcome.OK || buffer.getByte(from) != '*') {
      listener.onError(ByteBufUtil.getBytes(buffer, from, to - from), outcome);
      return;
    }
    keep(buffer, from, to);
    listener.onRan(this);
  }

  private void keep(ByteBuf buffer, int from, int to) {
    if (gathered.overflowsOnAdd(to - from)) {
      pending.clear();
      gathered.release();
    }
    if (!gathered.isTooLarge()) {
      pending.append(buffer, from, to, account().hasMuchPending());
    }
  }

  @Override
  public void answer(byte[] reply, Outcome outcome) {
    releaseRequest();
    listener.onError(reply, outcome);
  }

  @Override
  public void deliverPart(ByteBuf buffer, int from, int to, boolean last) {
    keep(buffer, from, to);
    if (last) {
      releaseRequest();
      listener.onRan(this);
    }
  }

  @Override
  public void onRanWithoutMulti(byte[] error, ByteBuf reply) {
    markExecuted();
    answer(error, Outcome.ERROR);
  }

  @Override
  public void onAborted(byte[] error) {
    answer(error, Outcome.ERROR);
  }

  @Override
  public void dropPending() {
    pending.clear();
    gathered.reset();
  }

  /** Returns false: the reply to the client is made when all of this one is here. */
  @Override
  public boolean hasStartedReply() {
    return false;
  }

  @Override
  public void onInternalError() {
    super.onInternalError();
    listener.onInternalError();
  }
}
