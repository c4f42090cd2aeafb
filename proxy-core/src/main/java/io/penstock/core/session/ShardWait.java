package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.Failure;
import io.penstock.core.backend.Lease;
import io.penstock.core.cluster.Node;
import io.penstock.core.observe.Outcome;
import io.penstock.core.transport.SharedBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One shard's part of a {@code WAIT}. A connection's own {@code WAIT} is about what that connection
 * wrote, and the client's writes went by another. So the master is asked ({@code ROLE}) how far its
 * stream was when the call began, and then how far each replica has acknowledged it; {@code WAIT}
 * for more replicas than there can be makes them acknowledge at once.
 */
final class ShardWait extends Exchange {

  private static final byte[] ROLE = WireRequest.of("ROLE");
  private static final byte[] DEMOTED =
      ErrorReplies.encode("UNBLOCKED the master of a shard has become a replica");
  private static final String TOO_MANY = Integer.toString(Integer.MAX_VALUE);
  private static final long SHORTEST_MILLIS = 2;
  private static final long LONGEST_MILLIS = 100;
  private static final long UNKNOWN = -1;

  private final Session session;
  private final WaitCall call;
  private final Node master;
  private @Nullable Lease lease;
  private long target = UNKNOWN;
  private long replicas;
  private long pause = SHORTEST_MILLIS;
  private boolean pausing; // the reply to come is to WAIT
  private boolean settled;

  ShardWait(Session session, WaitCall call, Node master) {
    this.session = session;
    this.call = call;
    this.master = master;
  }

  /** Replicas that have acknowledged enough, as of the last look. */
  long replicas() {
    return replicas;
  }

  boolean isSettled() {
    return settled;
  }

  void begin() {
    prepare(ROLE);
    Lease taken = session.loop().dispatcher().lease(master, this);
    lease = taken;
    if (taken == null) {
      releaseBytes();
      call.answer(ErrorReplies.NO_LEASE, Outcome.OVERLOADED);
    } else {
      taken.send(this, false);
    }
  }

  private void prepare(byte[] request) {
    bytes(new SharedBuffer(Unpooled.wrappedBuffer(request)), 0, request.length);
    long deadline = session.loop().tick() + session.loop().settings().commandTimeoutNanos();
    destination(ANY_NODE, session.profile().protocol(), session.affinity(), deadline);
  }

  @Override
  public void onReply(ByteBuf buffer, int from, int to) {
    releaseBytes();
    Lease on = lease;
    if (on == null) {
      return;
    }
    if (call.isEnded()) {
      on.release();
    } else if (buffer.getByte(from) == '-') {
      byte[] error = new byte[to - from];
      buffer.getBytes(from, error);
      on.release();
      call.answer(error, Outcome.ERROR);
    } else if (pausing) {
      pausing = false;
      prepare(ROLE);
      on.send(this, false);
    } else {
      look(on, ReplyStrings.of(buffer.slice(from, to - from)));
    }
  }

  /** {@code master offset [host port acknowledged]…}. */
  private void look(Lease on, List<String> role) {
    if (!role.getFirst().equals("master")) {
      on.release();
      call.answer(DEMOTED, Outcome.ERROR);
      return;
    }
    target = target == UNKNOWN ? Long.parseLong(role.get(1)) : target;
    replicas = 0;
    for (int i = 4; i < role.size(); i += 3) {
      replicas += Long.parseLong(role.get(i)) >= target ? 1 : 0;
    }
    long patience = call.patienceMillis(this);
    if (patience == 0) {
      settled = true;
      on.release();
      call.settled();
    } else {
      pausing = true;
      prepare(WireRequest.of("WAIT", TOO_MANY, Long.toString(Math.min(pause, patience))));
      pause = Math.min(LONGEST_MILLIS, pause * 2);
      on.send(this, false);
    }
  }

  @Override
  public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    throw new IllegalStateException("ROLE was answered with a large reply");
  }

  @Override
  public void onFailure(Failure failure) {
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
