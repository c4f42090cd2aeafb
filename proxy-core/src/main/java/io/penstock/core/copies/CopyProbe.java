package io.penstock.core.copies;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.backend.Failure;
import io.penstock.core.dispatch.PlacedExchange;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.WireRequest;

/** Asks a copy's node whether it answers. Confined to the copy's loop. */
final class CopyProbe extends PlacedExchange {

  private static final byte[] PING = WireRequest.of("PING");

  private final Receiver receiver;

  /** Is told, once. */
  interface Receiver {

    /** Any answer but an error that says "later" is one. */
    void onAnswer(boolean answers);
  }

  /**
   * @param partition of the node
   * @param deadlineNanos {@link System#nanoTime()}
   */
  CopyProbe(int partition, int affinity, long deadlineNanos, Receiver receiver) {
    this.receiver = receiver;
    targetPartition(partition);
    bytes(new SharedBuffer(Unpooled.wrappedBuffer(PING)), 0, PING.length);
    sendOptions(Protocol.RESP2, affinity, deadlineNanos);
  }

  @Override
  public void onReply(ByteBuf buffer, int from, int to) {
    boolean later = false;
    if (buffer.getByte(from) == '-') {
      byte[] line = new byte[to - from];
      buffer.getBytes(from, line);
      later = CopyError.of(line).kind() == CopyError.Kind.NOT_NOW;
    }
    end(!later);
  }

  @Override
  public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    if (last) {
      end(true);
    }
  }

  @Override
  public void onFailure(Failure failure) {
    end(false);
  }

  private void end(boolean answers) {
    releaseBytes();
    receiver.onAnswer(answers);
  }
}
