package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.penstock.core.backend.Failure;
import io.penstock.core.backend.Lease;
import io.penstock.core.backend.NodeRefusal;
import io.penstock.core.cluster.Redirect;
import io.penstock.core.observe.Outcome;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.Shard;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One {@code WATCH}. The client's first one finds the node, and is tried again until its deadline;
 * a later one that the node does not take shows that what is watched is lost.
 */
final class WatchCall extends LeasedCall {

  private static final byte[] OK = "+OK\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final long DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(25);

  private final Watch watch;
  private final Request place;
  private @Nullable Lease taken; // by this one
  private boolean asking;
  private boolean over;

  WatchCall(Session session, Watch watch, Request place) {
    super(session);
    this.watch = watch;
    this.place = place;
    RequestFrame frame = session.input().frame();
    bytes(session.input().shareOfFrame(), frame.start(), frame.end() - frame.start());
    long now = session.loop().tick();
    SessionSettings settings = session.loop().settings();
    toPartition(watch.slot());
    terms(
        session.profile().protocol(),
        session.affinity(),
        now + settings.commandTimeoutNanos(),
        now + settings.patienceNanos());
  }

  void send() {
    watch.waiting(null);
    if (over) {
      return;
    }
    if (session.loop().hold().leave(this)) {
      sentLate(session.loop().tick(), session.loop().settings().commandTimeoutNanos());
    }
    if (!watch.isNew()) {
      watch.send(this);
      return;
    }
    Shard owner = session.loop().dispatcher().adoptTopology().shardOf(watch.slot());
    if (owner == null) {
      session.loop().topology().requestRefresh(RefreshTrigger.UNCOVERED_SLOT);
      again(session.loop().notServed(), Outcome.UNAVAILABLE);
    } else {
      sendTo(owner.master(), false);
    }
  }

  private void sendTo(Endpoint node, boolean withAsking) {
    Lease lease = session.loop().dispatcher().lease(node, this);
    if (lease == null) {
      answer(ErrorReplies.NO_LEASE, Outcome.OVERLOADED);
      return;
    }
    taken = lease;
    asking = withAsking;
    lease.send(this, withAsking);
  }

  private void again(byte[] refusal, Outcome outcome) {
    if (session.isInputEnded() || isTooLate()) {
      answer(refusal, outcome);
    } else if (session.loop().hold().admits(this)) {
      watch.waiting(this);
      session.loop().executor().schedule(this::send, DELAY_NANOS, TimeUnit.NANOSECONDS);
    } else {
      answer(ErrorReplies.OVERLOADED, Outcome.OVERLOADED);
    }
  }

  private boolean isTooLate() {
    long now = session.loop().tick();
    return now - deadline() >= 0 && now - heldUntil() >= 0;
  }

  /** The client is gone while this waits for another attempt. */
  void giveUp() {
    over = true;
    session.loop().hold().leave(this);
    answer(ErrorReplies.UNAVAILABLE, Outcome.UNAVAILABLE);
  }

  @Override
  public void onReply(ByteBuf buffer, int from, int to) {
    Lease lease = taken;
    taken = null;
    if (buffer.getByte(from) != '-') {
      if (lease != null) {
        watch.begin(lease, asking);
      }
      answer(OK, Outcome.OK);
    } else if (lease == null && Refusal.isOne(buffer, from, to, session.loop())) {
      lose();
    } else {
      if (lease != null) {
        lease.release();
      }
      refused(buffer, from, to);
    }
  }

  private void refused(ByteBuf buffer, int from, int to) {
    byte[] line = new byte[to - from];
    buffer.getBytes(from, line);
    Endpoint answered = sentTo();
    Redirect redirect = Redirect.parse(buffer, from, to - from);
    if (!Refusal.isOne(buffer, from, to, session.loop())) {
      answer(line, Outcome.ERROR);
    } else if (redirect == null || answered == null) {
      again(line, Outcome.ERROR);
    } else if (redirect.kind() == Redirect.Kind.MOVED) {
      session.loop().topology().moved(redirect.slot(), redirect.target(answered));
      again(ErrorReplies.ON_THE_MOVE, Outcome.UNAVAILABLE);
    } else {
      session.loop().topology().requestRefresh(RefreshTrigger.ASK);
      sendTo(redirect.target(answered), true);
    }
  }

  /** What was watched before is lost, and this with it: a transaction will not run. */
  private void lose() {
    watch.lose();
    answer(OK, Outcome.OK);
  }

  private void answer(byte[] reply, Outcome outcome) {
    releaseBytes();
    if (watch.isNew()) {
      session.intake().transactions().unwatch(); // nothing is watched
    }
    session.goOn(place);
    place.deliverError(reply, outcome);
  }

  @Override
  public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    throw new IllegalStateException("WATCH was answered with a large reply");
  }

  @Override
  public void onFailure(Failure failure) {
    Lease lease = taken;
    taken = null;
    if (lease == null) {
      lose();
      return;
    }
    lease.discard();
    if (failure == Failure.TIMEOUT) {
      answer(ErrorReplies.TIMEOUT_READ, Outcome.TIMEOUT);
    } else {
      NodeRefusal refusal = session.loop().dispatcher().refusal(sentTo());
      byte[] reply = ErrorReplies.unavailable(refusal);
      if (refusal != null && refusal.lasting()) {
        answer(reply, Outcome.UNAVAILABLE);
      } else {
        again(reply, Outcome.UNAVAILABLE);
      }
    }
  }
}
