package io.penstock.core.backend;

import io.netty.buffer.ByteBuf;

/** An exchange of which only the end matters, with any reply or with a failure. */
public abstract class CompletionExchange extends Exchange {

  /** The exchange has ended, with a reply or a failure; its bytes are released. */
  protected abstract void onEnd();

  /**
   * Returns whether the subclass sends it again after this failure. Then it has not ended, and its
   * bytes are not released.
   */
  protected boolean isRetriedAfter(Failure failure) {
    return false;
  }

  private void end() {
    releaseBytes();
    onEnd();
  }

  @Override
  public final void onReply(ByteBuf buffer, int from, int to) {
    end();
  }

  @Override
  public final void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    if (last) {
      end();
    }
  }

  @Override
  public final void onFailure(Failure failure) {
    if (!isRetriedAfter(failure)) {
      end();
    }
  }
}
