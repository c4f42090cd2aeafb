package io.penstock.core.blocking;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.penstock.core.answer.BlockingKeyCount;
import io.penstock.core.backend.Failure;
import io.penstock.core.backend.HandshakeError;
import io.penstock.core.backend.Lease;
import io.penstock.core.client.LeasedExchange;
import io.penstock.core.client.Nodes;
import io.penstock.core.client.RequestReader;
import io.penstock.core.client.RetryWindow;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.PendingReply;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.reply.ReplyStrings;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.retry.RetryableError;
import io.penstock.core.transaction.TransactionBlock;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.SharedBuffer;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Shard;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A call that may block, from its beginning to its reply; the client's next requests wait for it.
 *
 * <p>It is tried without blocking first, on the shared connection. When there is nothing to be had
 * it blocks on a connection of its own, and begins again when the node says that it did not run.
 * When the client goes away the node is asked to end it, and what it popped for nobody all the same
 * is put back. As an exchange it is what blocks.
 */
final class BlockingCall extends LeasedExchange implements BlockingOperation {

  private static final byte[] UNBLOCKED =
      ErrorReplies.encode("UNBLOCKED client unblocked via CLIENT UNBLOCK");
  private static final long DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final BlockingContext made;
  private final CurrentBlockingCall calls;
  private final Nodes nodes;
  private final RequestReader reader;
  private final Loop loop;
  private final ReplySlot whole;
  private final CommandSpec spec;
  private final int partition;
  private final BlockingRequest request;
  private final PendingReply unwanted =
      new PendingReply(); // a large reply for a client that is gone
  private final RetryWindow patience; // with nodes that cannot be reached
  private @Nullable Lease lease; // while it blocks
  private @Nullable Lease returning; // not blocked any more, and not given back yet
  private int unblockings; // on their way
  private boolean repeated; // some of its time has passed
  private boolean gone;
  private boolean arriving; // a part of the reply is here
  private boolean undoing; // it is for nobody

  /**
   * @param whole its place among the client's replies
   */
  BlockingCall(
      BlockingContext made,
      CurrentBlockingCall calls,
      ReplySlot whole,
      CommandSpec spec,
      BlockingRequest request) {
    super(made.clientContext().client());
    this.made = made;
    this.calls = calls;
    this.nodes = made.clientContext().nodes();
    this.reader = made.clientContext().reader();
    this.loop = made.clientContext().loop();
    this.whole = whole;
    this.spec = spec;
    this.partition = request.partition();
    this.patience = new RetryWindow(loop, nodes);
    this.request = request;
  }

  /** Whether its node has it, on a connection of its own: what is new since then ends it. */
  @Override
  public boolean isBlocked() {
    return lease != null && lease.isReady();
  }

  /** Adds the keys that it names. */
  void countKeys(BlockingKeyCount count) {
    count.add(spec, request.frame(reader.limits()));
  }

  /** Tries without blocking. */
  void attempt() {
    if (repeated && isUnwanted()) {
      end();
      return;
    }
    ByteBuf block = ByteBufAllocator.DEFAULT.directBuffer();
    TransactionBlock.writeMulti(block);
    RequestFrame brief = request.frameWithShortTimeout(reader.limits());
    block.writeBytes(brief.buffer(), brief.start(), brief.end() - brief.start());
    var attempt = new NonBlockingAttempt(made, this, whole);
    attempt.prepare(spec, partition, block, 1);
    if (!nodes.dispatch(attempt)) {
      made.backpressure().pauseIfBusy(attempt.sentTo());
    }
  }

  /** A reply without blocking. */
  void onAttemptReply(ByteBuf buffer, int from, int to) {
    if (ReplyStrings.isNil(buffer, from)) {
      block();
    } else if (!client.isConnected()) {
      undoPop(buffer, from, to);
    } else {
      answer(buffer, from, to);
    }
  }

  /** Blocks, with the time that is left. */
  void block() {
    long now = loop.tick();
    Shard owner = nodes.placement().shardOf(partition);
    if (isUnwanted()) {
      end();
    } else if (request.isExpired(now)) {
      answer(client.nullArray(), Outcome.OK);
    } else if (owner == null) {
      retry();
    } else {
      blockOn(owner.master(), now);
    }
  }

  private void blockOn(Endpoint node, long now) {
    long patience = nodes.commandTimeoutNanos();
    targetPartition(partition);
    sendOptions(client.protocol(), client.affinity(), request.deadline(patience));
    Lease taken = nodes.lease(node, this);
    if (taken == null) {
      answer(ErrorReplies.NO_LEASE, Outcome.OVERLOADED);
      return;
    }
    byte[] bytes = repeated ? request.bytesWithTimeLeft(now, reader.limits()) : request.bytes();
    bytes(new SharedBuffer(Unpooled.wrappedBuffer(bytes)), 0, bytes.length);
    lease = taken;
    taken.send(this, false);
  }

  private void retry() {
    repeated = true;
    loop.executor().schedule(this::attempt, DELAY_NANOS, TimeUnit.NANOSECONDS);
  }

  @Override
  public void onReply(ByteBuf buffer, int from, int to) {
    endLease(true);
    patience.reset();
    boolean error = buffer.getByte(from) == '-';
    RetryableError said =
        error ? made.retryableErrors().parseForBlockingCall(this, buffer, from, to) : null;
    boolean popped = !error && !ReplyStrings.isNil(buffer, from);
    gone |= !client.isConnected(); // before its end is heard of
    if (said != null) {
      made.retryableErrors().applyToTopology(said);
      retry();
    } else if (popped && gone) {
      undoPop(buffer, from, to);
    } else if (!popped && isUnwanted()) {
      end();
    } else {
      answer(buffer, from, to);
    }
  }

  /** Of what blocks, and of the attempt before. */
  @Override
  public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    if (!arriving) {
      gone |= !client.isConnected();
      undoing = gone; // all of it or nothing
    }
    arriving = !last;
    if (last) {
      endLease(true);
    }
    if (!undoing) {
      if (last) {
        calls.end(whole);
      }
      whole.deliverPart(buffer, from, to, last);
      return;
    }
    unwanted.append(buffer, from, to, true);
    if (last) {
      ByteBuf reply = unwanted.view();
      undoPop(reply, reply.readerIndex(), reply.writerIndex());
      unwanted.clear();
    }
  }

  /** The rest of the reply will not come. */
  void dropPartialReply() {
    arriving = false;
    unwanted.clear();
  }

  @Override
  public void onFailure(Failure failure) {
    endLease(false);
    dropPartialReply();
    if (gone) {
      end();
    } else if (whole.hasBegun()) {
      client.closeNow("a node's connection was lost in the middle of a reply");
      answer(ErrorReplies.CONNLOST_READ, Outcome.CONNLOST);
    } else if (failure == Failure.TIMEOUT) {
      answer(ErrorReplies.TIMEOUT_WRITE, Outcome.TIMEOUT);
    } else if (failure == Failure.CONNECTION_LOST && !spec.isReadOnly()) {
      answer(ErrorReplies.CONNLOST_WRITE, Outcome.CONNLOST);
    } else if (patience.isOver() || hasPermanentHandshakeError()) {
      answer(ErrorReplies.unavailable(nodes.handshakeError(sentTo())), Outcome.UNAVAILABLE);
    } else {
      whole.dropPending();
      retry();
    }
  }

  /** Whether the node has never let Penstock in, and says why. */
  private boolean hasPermanentHandshakeError() {
    HandshakeError refusal = nodes.handshakeError(sentTo());
    return refusal != null && refusal.permanent();
  }

  /** Gives the connection back, or up when it may still be blocked. */
  private void endLease(boolean clean) {
    releaseBytes();
    Lease on = lease;
    lease = null;
    if (on == null) {
      return;
    }
    if (!clean || returning != null) {
      on.discard();
    } else {
      returning = on;
      releaseReturning();
    }
  }

  /** A CLIENT UNBLOCK that is on its way must not meet somebody else's call. */
  private void releaseReturning() {
    Lease clean = returning;
    if (clean != null && unblockings == 0) {
      returning = null;
      clean.release();
    }
  }

  @Override
  public void unblock(boolean error, IntConsumer done) {
    Lease on = lease;
    if (on == null) {
      done.accept(0);
    } else if (on.withdraw(this)) { // the connection is still being made
      endLease(false);
      if (isUnwanted()) {
        end();
      } else {
        answer(error ? UNBLOCKED : client.nullArray(), Outcome.OK);
      }
      done.accept(1);
    } else {
      unblockings++;
      new ClientUnblock(
              made.clientContext(),
              on,
              error,
              () -> lease == on,
              unblocked -> {
                unblockings--;
                releaseReturning();
                done.accept(unblocked);
              })
          .send();
    }
  }

  @Override
  public void onInputEnded() {
    Lease on = lease;
    if (on != null && !gone) {
      gone = true;
      unblock(false, _ -> {});
    }
  }

  @Override
  public void drain() {
    unblock(false, _ -> {});
  }

  private boolean isUnwanted() {
    return gone || client.isInputEnded() || client.isDraining();
  }

  /** Ends without what the client waited for. */
  private void end() {
    calls.end(whole);
    if (client.isInputEnded()) {
      client.drain();
      whole.deliverOwned(Unpooled.EMPTY_BUFFER, Outcome.OK);
    } else {
      whole.answer(ErrorReplies.SHUTTING_DOWN, Outcome.UNAVAILABLE);
    }
  }

  private void undoPop(ByteBuf buffer, int from, int to) {
    var call = request.frame(reader.limits());
    UndoPop.start(made, partition, call, buffer.slice(from, to - from));
    end();
  }

  void answer(byte[] reply, Outcome outcome) {
    dropPartialReply();
    calls.end(whole);
    whole.answer(reply, outcome);
  }

  void answer(ByteBuf buffer, int from, int to) {
    calls.end(whole);
    whole.deliver(buffer, from, to, buffer.getByte(from) == '-' ? Outcome.ERROR : Outcome.OK);
  }
}
