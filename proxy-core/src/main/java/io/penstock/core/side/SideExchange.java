package io.penstock.core.side;

import io.netty.buffer.ByteBuf;
import io.penstock.core.backend.Failure;
import io.penstock.core.dispatch.PlacedExchange;

/**
 * A request of Penstock itself, which follows redirects. Its creator sets destination, bytes and
 * deadline, and sends it through the same side. Confined to the loop of the side.
 */
public abstract class SideExchange extends PlacedExchange {

  /** Most redirects that are followed: a MOVED and an ASK. */
  private static final int MOST_REDIRECTS = 2;

  private final Side side;
  private int redirects;
  private boolean over;

  protected SideExchange(Side side) {
    this.side = side;
  }

  @Override
  public final void onReply(ByteBuf buffer, int from, int to) {
    if (buffer.getByte(from) == '-' && redirects < MOST_REDIRECTS) {
      redirects++;
      if (side.follow(this, buffer, from, to)) {
        return;
      }
    }
    onAnswer(buffer, from, to);
  }

  /** Handles a whole reply, which may be an error. The only part of a reply by default. */
  protected void onAnswer(ByteBuf buffer, int from, int to) {
    onReplyPart(buffer, from, to, true);
  }

  /** The exchange is over: releases the request's bytes. */
  protected final void end() {
    over = true;
    releaseBytes();
  }

  /** Returns whether it is over. */
  public final boolean isOver() {
    return over;
  }

  @Override
  public final boolean recoverFrom(Throwable defect) {
    logDefect(defect);
    if (!over) {
      onDefect();
    }
    return true;
  }

  /** Logs that a callback of this exchange has thrown. */
  protected abstract void logDefect(Throwable defect);

  /** Ends the exchange after that, as one that was not sent by default. */
  protected void onDefect() {
    onFailure(Failure.NOT_SENT);
  }
}
