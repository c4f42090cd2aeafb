package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.backend.Failure;
import io.penstock.core.backend.Lease;
import io.penstock.core.cluster.Node;
import io.penstock.core.observe.Outcome;
import io.penstock.core.transport.SharedBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One shard's part of a {@code WAIT} or {@code WAITAOF}. A connection's own is about what that
 * connection wrote, and the client's writes went by another. So the master is asked over a
 * connection for this call alone, in small steps: between two of them the call may end.
 */
abstract sealed class ShardWait extends LeasedCall permits OffsetWait, FsyncWait {

  static final byte[] DEMOTED =
      ErrorReplies.encode("UNBLOCKED the master of a shard has become a replica");

  /** A step lasts no longer: so late a client that has gone is noticed. */
  static final long LONGEST_MILLIS = 100;

  private final WaitCall call;
  private final Node master;
  private @Nullable Lease lease;
  private WaitCall.Acknowledged acknowledged = WaitCall.Acknowledged.NONE;
  private boolean settled;

  ShardWait(Session session, WaitCall call, Node master) {
    super(session);
    this.call = call;
    this.master = master;
  }

  /** What the master is asked first. */
  abstract byte[] firstRequest();

  /** A reply that is no error, all its strings and numbers. */
  abstract void answered(List<String> reply);

  /** The reply to an error; null for the error itself. */
  byte @Nullable [] worded(String error) {
    return null;
  }

  final WaitCall call() {
    return call;
  }

  /** As of the last look. */
  final WaitCall.Acknowledged acknowledged() {
    return acknowledged;
  }

  final boolean isSettled() {
    return settled;
  }

  final void begin() {
    prepare(firstRequest(), 0);
    Lease taken = session.loop().dispatcher().lease(master, this);
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
  final void ask(byte[] request, long millis) {
    Lease on = lease;
    if (on != null) {
      prepare(request, millis);
      on.send(this, false);
    }
  }

  private void prepare(byte[] request, long millis) {
    bytes(new SharedBuffer(Unpooled.wrappedBuffer(request)), 0, request.length);
    long patience =
        session.loop().settings().commandTimeoutNanos() + TimeUnit.MILLISECONDS.toNanos(millis);
    long deadline = session.loop().tick() + patience;
    destination(ANY_NODE, session.profile().protocol(), session.affinity(), deadline);
  }

  /** So much is acknowledged now. Answers for how many milliseconds to ask on; 0 if no longer. */
  final long look(WaitCall.Acknowledged now) {
    acknowledged = now;
    long patience = call.patienceMillis(this);
    if (patience == 0) {
      settled = true;
      release();
      call.settled();
    }
    return patience;
  }

  /** Ends the whole call. */
  final void end(byte[] error) {
    release();
    call.answer(error, Outcome.ERROR);
  }

  private void release() {
    if (lease != null) {
      lease.release();
    }
  }

  @Override
  public final void onReply(ByteBuf buffer, int from, int to) {
    releaseBytes();
    if (call.isEnded()) {
      release();
    } else if (buffer.getByte(from) == '-') {
      byte[] error = new byte[to - from];
      buffer.getBytes(from, error);
      byte[] worded = worded(new String(error, StandardCharsets.ISO_8859_1));
      end(worded == null ? error : worded);
    } else {
      answered(ReplyStrings.of(buffer.slice(from, to - from)));
    }
  }

  @Override
  public final void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    throw new IllegalStateException("a master was asked how far it is and gave a large reply");
  }

  @Override
  public final void onFailure(Failure failure) {
    releaseBytes();
    if (lease != null) {
      lease.discard();
    }
    switch (failure) {
      case TIMEOUT -> call.answer(ErrorReplies.TIMEOUT_READ, Outcome.TIMEOUT);
      case CONNECTION_LOST -> call.answer(ErrorReplies.CONNLOST_READ, Outcome.CONNLOST);
      case NOT_SENT, NO_OWNER, OVERLOADED ->
          call.answer(ErrorReplies.UNAVAILABLE, Outcome.UNAVAILABLE);
    }
  }
}
