package io.penstock.core.replication;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.backend.Failure;
import io.penstock.core.backend.Lease;
import io.penstock.core.blocking.BlockingContext;
import io.penstock.core.client.LeasedExchange;
import io.penstock.core.client.Nodes;
import io.penstock.core.client.RetryWindow;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.ReplyStrings;
import io.penstock.core.retry.RetryableErrors;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.SharedBuffer;
import io.penstock.core.upstream.ErrorPolicy.Scope;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.Shard;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One shard's part of a {@code WAIT} or {@code WAITAOF}. A connection's own is about what that
 * connection wrote, and the client's writes went by another. So the master is asked over a
 * connection for this call alone, in small steps: between two of them the call may end. When that
 * one is lost, or becomes a replica, whoever is the master then is asked, as long as there is time.
 */
abstract class ShardWait extends LeasedExchange {

  /** A step lasts no longer: so late a client that has gone is noticed. */
  static final long MAX_STEP_MILLIS = 100;

  private static final byte[] DEMOTED =
      ErrorReplies.encode("UNBLOCKED the master of a shard has become a replica");
  private static final long DELAY_MILLIS = 25;

  private final Nodes nodes;
  private final Loop loop;
  private final RetryableErrors retryableErrors;
  private final WaitCall call;
  private final int partition;
  private final RetryWindow patience;
  private @Nullable Lease lease;
  private WaitCall.Acknowledged acknowledged = WaitCall.Acknowledged.NONE;
  private boolean done;

  /**
   * @param partition one of the shard's
   */
  ShardWait(BlockingContext made, WaitCall call, int partition) {
    super(made.clientContext().client());
    this.nodes = made.clientContext().nodes();
    this.loop = made.clientContext().loop();
    this.retryableErrors = made.retryableErrors();
    this.call = call;
    this.partition = partition;
    this.patience = new RetryWindow(loop, nodes);
  }

  /** What a master is asked first. */
  abstract byte[] firstRequest();

  /** A reply that is no error, all its strings and numbers. */
  abstract void onSuccess(List<String> reply);

  /** The master was lost: what comes after it may lack what the client wrote. */
  abstract void onMasterLost();

  /** Whether nothing more can be known than is: only the client's time ends it. */
  abstract boolean hasLostTrack();

  /** The reply to an error; null for the error itself. */
  byte @Nullable [] replacementFor(String error) {
    return null;
  }

  final WaitCall call() {
    return call;
  }

  /** As of the last look. */
  final WaitCall.Acknowledged acknowledged() {
    return acknowledged;
  }

  final boolean isDone() {
    return done;
  }

  /** Asks whoever is the master now. */
  final void begin() {
    if (call.isEnded()) {
      return;
    }
    Shard owner = nodes.placement().shardOf(partition);
    if (owner == null) {
      nodes.requestRefresh(RefreshTrigger.UNCOVERED_SLOT);
      retry(ErrorReplies.NOT_SERVED, Outcome.UNAVAILABLE);
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
   * Asks the master.
   *
   * @param millis how long it may take its time
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
    targetEndpoint();
    sendOptions(client.protocol(), client.affinity(), deadline);
  }

  /** So much is acknowledged now. Answers for how many milliseconds to ask on; 0 if no longer. */
  final long update(WaitCall.Acknowledged now) {
    patience.reset();
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

  /** The node is a replica: another is, or will be, the master. */
  final void onDemoted() {
    nodes.requestRefresh(RefreshTrigger.READONLY);
    retry(DEMOTED, Outcome.ERROR);
  }

  /** Asks once more in a while; when there is no time for that, there is what there is. */
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
    } else if (call.hasNoTimeout() && (hasLostTrack() || patience.isOver())) {
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
    byte[] worded = replacementFor(new String(error, StandardCharsets.ISO_8859_1));
    release();
    call.answer(worded == null ? error : worded, Outcome.ERROR);
  }

  @Override
  public final void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    throw new IllegalStateException("a master was asked how far it is and gave a large reply");
  }

  @Override
  public final void onFailure(Failure failure) {
    releaseBytes();
    onMasterLost();
    switch (failure) {
      case TIMEOUT -> retry(ErrorReplies.TIMEOUT_READ, Outcome.TIMEOUT);
      case CONNECTION_LOST -> retry(ErrorReplies.CONNLOST_READ, Outcome.CONNLOST);
      case NOT_SENT, NO_OWNER, OVERLOADED -> retry(ErrorReplies.UNAVAILABLE, Outcome.UNAVAILABLE);
    }
  }
}
