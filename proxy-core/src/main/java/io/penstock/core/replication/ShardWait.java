package io.penstock.core.replication;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.backend.Failure;
import io.penstock.core.blocking.BlockingContext;
import io.penstock.core.client.LeasedExchange;
import io.penstock.core.client.Nodes;
import io.penstock.core.client.RetryWindow;
import io.penstock.core.node.Lease;
import io.penstock.core.observe.Outcome;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.ReplyStrings;
import io.penstock.core.retry.RetryableErrors;
import io.penstock.core.transport.Loop;
import io.penstock.core.upstream.ErrorPolicy.Scope;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.Shard;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One shard's part of a {@code WAIT} or {@code WAITAOF}. At a node, these commands concern the
 * writes of their own connection, and the client's writes used another one. Therefore the master is
 * queried over a connection leased for this call, in short steps: between two steps the call may
 * end. If that master is lost or becomes a replica, the current master is queried, as long as there
 * is time.
 */
abstract class ShardWait extends LeasedExchange {

  /** Longest step: a client that has disconnected is noticed after that time at the latest. */
  static final long MAX_STEP_MILLIS = 100;

  private static final byte[] DEMOTED =
      ErrorReplies.encode("UNBLOCKED the master of a shard has become a replica");
  private static final long DELAY_MILLIS = 25;

  private final Nodes nodes;
  private final Loop loop;
  private final RetryableErrors retryableErrors;
  private final WaitCall call;
  private final int partition;
  private final RetryWindow retryWindow;
  private @Nullable Lease lease;
  private WaitCall.Acknowledged acknowledged = WaitCall.Acknowledged.NONE;
  private boolean done;

  /**
   * @param partition a partition of the shard
   */
  ShardWait(BlockingContext context, WaitCall call, int partition) {
    super(context.clientContext().client());
    this.nodes = context.clientContext().nodes();
    this.loop = context.clientContext().loop();
    this.retryableErrors = context.retryableErrors();
    this.call = call;
    this.partition = partition;
    this.retryWindow = new RetryWindow(loop, nodes);
  }

  /** Returns the first request to a master. */
  abstract byte[] firstRequest();

  /** Handles a reply that is not an error, as a list of its strings and numbers. */
  abstract void onSuccess(List<String> reply);

  /** Handles the loss of the master: its successor may lack what the client wrote. */
  abstract void onMasterLost();

  /** Returns whether nothing more can be learnt: only the client's timeout ends the wait. */
  abstract boolean hasLostTrack();

  /** Returns the client's reply for an error of the master; null for the error itself. */
  byte @Nullable [] replacementFor(String error) {
    return null;
  }

  final WaitCall call() {
    return call;
  }

  /** What was acknowledged when the master was last queried. */
  final WaitCall.Acknowledged acknowledged() {
    return acknowledged;
  }

  final boolean isDone() {
    return done;
  }

  /** Queries the current master. */
  final void begin() {
    if (call.isEnded()) {
      return;
    }
    Shard owner = nodes.placement().shardOf(partition);
    if (owner == null) {
      nodes.requestRefresh(RefreshTrigger.UNCOVERED_SLOT);
      retry(nodes.notServed(), Outcome.UNAVAILABLE);
      return;
    }
    prepare(firstRequest(), 0);
    Lease taken = nodes.lease(owner.master(), this);
    lease = taken;
    if (taken == null) {
      releaseBytes();
      call.answer(ErrorReplies.NO_LEASE, Outcome.OVERLOADED);
    } else {
      taken.send(this, false);
    }
  }

  /**
   * Queries the master.
   *
   * @param millis how long the master may wait before it answers
   */
  final void query(byte[] request, long millis) {
    Lease on = lease;
    if (on != null) {
      prepare(request, millis);
      on.send(this, false);
    }
  }

  private void prepare(byte[] request, long millis) {
    bytes(new SharedBuffer(Unpooled.wrappedBuffer(request)), 0, request.length);
    long patienceNanos = nodes.commandTimeoutNanos() + TimeUnit.MILLISECONDS.toNanos(millis);
    long deadline = loop.tick() + patienceNanos;
    sendOptions(client.protocol(), client.affinity(), deadline);
  }

  /**
   * Sets what is acknowledged now. Returns for how many milliseconds to continue; 0 if the wait is
   * over.
   */
  final long update(WaitCall.Acknowledged now) {
    retryWindow.reset();
    acknowledged = now;
    long left = call.remainingMillis(this);
    if (left == 0) {
      release();
      finish();
    }
    return left;
  }

  private void finish() {
    done = true;
    call.onShardDone();
  }

  /** Handles a node that is a replica: another node is, or will be, the master. */
  final void onDemoted() {
    nodes.requestRefresh(RefreshTrigger.READONLY);
    retry(DEMOTED, Outcome.ERROR);
  }

  /** Queries again later. If there is no time left, what is acknowledged now is the result. */
  private void retry(byte[] error, Outcome outcome) {
    Lease on = lease;
    lease = null;
    if (on != null) {
      on.discard();
    }
    long left = call.remainingMillis(this);
    if (call.isEnded()) {
      return;
    }
    if (left == 0) {
      finish();
    } else if (call.hasNoTimeout() && (hasLostTrack() || retryWindow.isOver())) {
      call.answer(error, outcome);
    } else if (hasLostTrack()) {
      later(() -> retry(error, outcome), Math.min(MAX_STEP_MILLIS, left));
    } else {
      later(this::begin, Math.min(DELAY_MILLIS, left));
    }
  }

  private void later(Runnable action, long millis) {
    loop.executor().schedule(action, millis, TimeUnit.MILLISECONDS);
  }

  private void release() {
    Lease on = lease;
    lease = null;
    if (on != null) {
      on.release();
    }
  }

  @Override
  public final void onReply(ByteBuf buffer, int from, int to) {
    releaseBytes();
    if (call.isEnded()) {
      release();
    } else if (buffer.getByte(from) == '-') {
      onError(buffer, from, to);
    } else {
      onSuccess(ReplyStrings.of(buffer.slice(from, to - from)));
    }
  }

  private void onError(ByteBuf buffer, int from, int to) {
    if (retryableErrors.parse(this, Scope.MASTER, buffer, from, to) != null) {
      onDemoted();
      return;
    }
    byte[] error = new byte[to - from];
    buffer.getBytes(from, error);
    byte[] replacement = replacementFor(new String(error, StandardCharsets.ISO_8859_1));
    release();
    call.answer(replacement == null ? error : replacement, Outcome.ERROR);
  }

  @Override
  public final void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    throw new IllegalStateException("a replication query was answered with a large reply");
  }

  @Override
  public final void onFailure(Failure failure) {
    releaseBytes();
    onMasterLost();
    switch (failure) {
      case TIMEOUT -> retry(ErrorReplies.TIMEOUT_READ, Outcome.TIMEOUT);
      case CONNECTION_LOST -> retry(ErrorReplies.CONNLOST_READ, Outcome.CONNLOST);
      case NOT_SENT, NO_OWNER, NO_REPLICA, OVERLOADED ->
          retry(ErrorReplies.UNAVAILABLE, Outcome.UNAVAILABLE);
    }
  }
}
