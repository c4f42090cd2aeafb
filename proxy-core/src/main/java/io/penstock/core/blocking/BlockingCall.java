package io.penstock.core.blocking;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.penstock.core.backend.Failure;
import io.penstock.core.backend.HandshakeError;
import io.penstock.core.client.LeasedExchange;
import io.penstock.core.client.Nodes;
import io.penstock.core.client.RequestReader;
import io.penstock.core.client.RetryWindow;
import io.penstock.core.directory.BlockingKeyCount;
import io.penstock.core.mirror.MirroredBlock;
import io.penstock.core.mirroring.ClientMirror;
import io.penstock.core.node.Lease;
import io.penstock.core.observe.Outcome;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.PendingReply;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.reply.ReplyStrings;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.resp.RespLimits;
import io.penstock.core.retry.RetryableError;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.Handling;
import io.penstock.core.transaction.TransactionBlock;
import io.penstock.core.transport.Loop;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Shard;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A call that may block, from its start to its reply. The client's next requests wait for it.
 *
 * <p>Ids that mean the end of a stream are found first. The call is tried without blocking, on the
 * shared connection. If there is nothing to return, it blocks on a leased connection, and starts
 * again after a retryable error. If the client disconnects, the node gets a {@code CLIENT UNBLOCK},
 * and anything it popped nevertheless is put back. The exchange itself is the blocking request.
 */
final class BlockingCall extends LeasedExchange
    implements BlockingOperation, NonBlockingAttempt.Listener {

  private static final byte[] UNBLOCKED =
      ErrorReplies.encode("UNBLOCKED client unblocked via CLIENT UNBLOCK");
  private static final long DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final BlockingContext context;
  private final CurrentBlockingCall current;
  private final Nodes nodes;
  private final RequestReader reader;
  private final Loop loop;
  private final ReplySlot whole;
  private final CommandSpec spec;
  private final int partition;
  private final BlockingRequest request;
  private final PendingReply unwanted = new PendingReply(); // for a disconnected client
  private final RetryWindow retryWindow; // while nodes cannot be reached
  private @Nullable Lease lease; // while it blocks
  private @Nullable Lease returning; // not blocked any more, but not released yet
  private int unblocking; // exchanges in flight
  private boolean repeated; // a part of its timeout has passed
  private boolean disconnected;
  private byte @Nullable [] denied; // the error, if the client may not call it any more
  private boolean arriving; // a part of the reply is here
  private boolean undoing; // the reply that arrives is put back

  /**
   * @param whole where the client's reply goes
   */
  BlockingCall(
      BlockingContext context,
      CurrentBlockingCall current,
      ReplySlot whole,
      CommandSpec spec,
      BlockingRequest request) {
    super(context.clientContext().client());
    this.context = context;
    this.current = current;
    this.nodes = context.clientContext().nodes();
    this.reader = context.clientContext().reader();
    this.loop = context.clientContext().loop();
    this.whole = whole;
    this.spec = spec;
    this.partition = request.partition();
    this.retryWindow = new RetryWindow(loop, nodes);
    this.request = request;
    timeline(whole.timeline());
  }

  /**
   * Returns whether the call is at its node, on a leased connection: from then on, new data ends
   * it.
   */
  @Override
  public boolean isBlocked() {
    return lease != null && lease.isReady();
  }

  @Override
  public void countKeys(BlockingKeyCount count) {
    count.add(spec, request.frame(reader.limits()));
  }

  /** Begins. */
  void start() {
    new LatestIds(context, whole, spec, request, this).next();
  }

  RespLimits limits() {
    return reader.limits();
  }

  /** Tries the call without blocking. */
  void attempt() {
    if (repeated && isUnwanted()) {
      end();
      return;
    }
    ByteBuf block = ByteBufAllocator.DEFAULT.directBuffer();
    TransactionBlock.writeMulti(block);
    RequestFrame brief = request.frameWithShortTimeout(reader.limits());
    block.writeBytes(brief.buffer(), brief.start(), brief.end() - brief.start());
    var attempt = new NonBlockingAttempt(context, this, whole);
    attempt.prepare(spec, partition, block, 1);
    follow(attempt);
    if (!nodes.dispatch(attempt)) {
      context.backpressure().pauseIfBusy(attempt.sentTo());
    }
  }

  /** Copies do what the first attempt does in its place among other writes. */
  private void follow(NonBlockingAttempt attempt) {
    ClientMirror mirror = context.mirror();
    if (mirror != null && !repeated) {
      MirroredBlock block = mirror.newBlock();
      block.add(spec, request.frame(reader.limits()));
      mirror.follow(attempt, block);
    }
  }

  /**
   * The call has changed its keys when another client's write made that possible, or was undone:
   * its place among other writes is not known.
   */
  private void copyKeysAgain() {
    ClientMirror mirror = context.mirror();
    if (mirror != null && !spec.isReadOnly()) {
      mirror.copyAgain(spec, request.frame(reader.limits()));
    }
  }

  @Override
  public void onAttemptReply(ByteBuf buffer, int from, int to) {
    if (repeated && !ReplyStrings.isNil(buffer, from)) {
      copyKeysAgain();
    }
    if (ReplyStrings.isNil(buffer, from)) {
      block();
    } else if (!client.isConnected()) {
      undoPop(buffer, from, to);
    } else {
      answer(buffer, from, to);
    }
  }

  /** Blocks for the time that is left. */
  private void block() {
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
    long timeout = nodes.commandTimeoutNanos();
    sendOptions(client.protocol(), client.affinity(), request.deadline(timeout));
    useConnections(client.connections());
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
    retryWindow.reset();
    boolean error = buffer.getByte(from) == '-';
    RetryableError retryable =
        error ? context.retryableErrors().parseForBlockingCall(this, buffer, from, to) : null;
    boolean popped = !error && !ReplyStrings.isNil(buffer, from);
    disconnected |= !client.isConnected(); // seen earlier than the end of its input
    if (popped) {
      copyKeysAgain();
    }
    if (retryable != null) {
      context.retryableErrors().applyToTopology(retryable);
      retry();
    } else if (popped && (disconnected || denied != null)) {
      undoPop(buffer, from, to);
    } else if (!popped && isUnwanted()) {
      end();
    } else {
      answer(buffer, from, to);
    }
  }

  /** Handles a part of the reply to the blocking request, or to the attempt before it. */
  @Override
  public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    if (!arriving) {
      disconnected |= !client.isConnected();
      undoing = disconnected || (denied != null && lease != null); // the whole reply or nothing
    }
    arriving = !last;
    if (last) {
      if (lease != null || repeated) {
        copyKeysAgain();
      }
      endLease(true);
    }
    if (!undoing) {
      if (last) {
        current.end(whole);
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

  /** Penstock's user at the node may still run the call by itself. */
  @Override
  public void onNotTried(byte[] error) {
    block();
  }

  @Override
  public void dropPartialReply() {
    arriving = false;
    unwanted.clear();
  }

  @Override
  public void onFailure(Failure failure) {
    endLease(false);
    dropPartialReply();
    if (disconnected) {
      end();
    } else if (whole.hasBegun()) {
      client.closeNow("a node's connection was lost in the middle of a reply");
      answer(ErrorReplies.CONNLOST_READ, Outcome.CONNLOST);
    } else if (failure == Failure.TIMEOUT) {
      copyKeysAgain();
      answer(ErrorReplies.TIMEOUT_WRITE, Outcome.TIMEOUT);
    } else if (failure == Failure.CONNECTION_LOST && !spec.isReadOnly()) {
      copyKeysAgain();
      answer(ErrorReplies.CONNLOST_WRITE, Outcome.CONNLOST);
    } else if (retryWindow.isOver() || hasPermanentHandshakeError()) {
      answer(ErrorReplies.unavailable(nodes.handshakeError(sentTo())), Outcome.UNAVAILABLE);
    } else {
      whole.dropPending();
      retry();
    }
  }

  /** Returns whether waiting is useless: the node does not accept Penstock's handshake. */
  private boolean hasPermanentHandshakeError() {
    HandshakeError error = nodes.handshakeError(sentTo());
    return error != null && error.permanent();
  }

  /** Releases the connection, or discards it if the call may still block on it. */
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

  /**
   * Releases the connection once no {@code CLIENT UNBLOCK} is in flight, which could end another
   * client's call.
   */
  private void releaseReturning() {
    Lease clean = returning;
    if (clean != null && unblocking == 0) {
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
      unblocking++;
      new ClientUnblock(
              context.clientContext(),
              on,
              error,
              () -> lease == on,
              unblocked -> {
                unblocking--;
                releaseReturning();
                done.accept(unblocked);
              })
          .send();
    }
  }

  @Override
  public void deny(byte[] error) {
    denied = error;
    unblock(false, _ -> {});
  }

  @Override
  public void onInputEnded() {
    Lease on = lease;
    if (on != null && !disconnected) {
      disconnected = true;
      unblock(false, _ -> {});
    }
  }

  @Override
  public void drain() {
    unblock(false, _ -> {});
  }

  private boolean isUnwanted() {
    return disconnected || denied != null || client.isInputEnded() || client.isDraining();
  }

  /** Ends the call without a result. */
  private void end() {
    current.end(whole);
    if (client.isInputEnded()) {
      client.drain();
      whole.deliverOwned(Unpooled.EMPTY_BUFFER, Outcome.OK);
    } else if (denied != null) {
      whole.answer(denied, Outcome.REJECTED);
    } else {
      whole.answer(ErrorReplies.CLOSING, Outcome.UNAVAILABLE);
    }
  }

  private void undoPop(ByteBuf buffer, int from, int to) {
    var call = request.frame(reader.limits());
    if (spec.handling() instanceof Handling.Blocking(_, Handling.Blocking.Undo undo)) {
      UndoPop.start(
          context,
          partition,
          UndoPop.inverse(undo, call, buffer.slice(from, to - from)),
          this::copyKeysAgain);
    }
    end();
  }

  @Override
  public void answer(byte[] reply, Outcome outcome) {
    dropPartialReply();
    current.end(whole);
    whole.answer(reply, outcome);
  }

  @Override
  public void answer(ByteBuf buffer, int from, int to) {
    current.end(whole);
    whole.deliver(buffer, from, to, buffer.getByte(from) == '-' ? Outcome.ERROR : Outcome.OK);
  }
}
