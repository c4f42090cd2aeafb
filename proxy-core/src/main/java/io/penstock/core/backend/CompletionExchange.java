package io.penstock.core.backend;

import io.netty.buffer.ByteBuf;

/** An exchange of which only the end matters: whatever the node replies, or that it does not. */
public abstract class CompletionExchange extends Exchange {

  /** The reply has come, or will not; the request's bytes are given back. */
  protected abstract void onEnd();

  /**
   * Whether it goes on in spite of the failure, being sent again: then the bytes stay, and it has
   * not ended.
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
