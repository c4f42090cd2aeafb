package io.penstock.core.shadow;

import io.netty.buffer.ByteBuf;
import io.penstock.core.backend.Failure;
import io.penstock.core.side.Side;
import io.penstock.core.side.SideExchange;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A read that Penstock sends itself, of whose reply only a digest is kept. */
final class DigestExchange extends SideExchange {

  private static final Logger log = LoggerFactory.getLogger(DigestExchange.class);

  private final ReplyDigest digest;
  private final Receiver receiver;

  /** Is told how an exchange has ended, once. */
  interface Receiver {

    void onReply(ReplyDigest reply);

    void onNoReply(Failure failure);
  }

  /**
   * @param affinity that no other exchange in flight has on this side
   * @param deadlineNanos {@link System#nanoTime()} at which it fails
   */
  DigestExchange(
      Side side, SampledRequest request, int affinity, long deadlineNanos, Receiver receiver) {
    super(side);
    this.digest = new ReplyDigest(request.spec().comparison());
    this.receiver = receiver;
    bytes(request.share(), 0, request.length());
    sendOptions(request.protocol(), affinity, deadlineNanos);
  }

  /** Sets the partition that it reads. */
  DigestExchange of(int partition) {
    targetPartition(partition);
    return this;
  }

  @Override
  public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    digest.add(buffer, from, to);
    if (last) {
      digest.end();
      end();
      receiver.onReply(digest);
    }
  }

  @Override
  public void onFailure(Failure failure) {
    end();
    receiver.onNoReply(failure);
  }

  @Override
  protected void logDefect(Throwable defect) {
    log.error("A shadow read failed", defect);
  }
}
