package io.penstock.core.mirror;

import io.netty.buffer.ByteBuf;
import java.util.List;

/** A call that the copies get rewritten into what the primary did. */
record Rewritten(Rewrite rewrite, Call call) implements MirroredCall {

  @Override
  public List<CopyRequest> questions() {
    return rewrite.questions(call);
  }

  @Override
  public boolean needsWholeReply() {
    return rewrite.needsWholeReply();
  }

  @Override
  public Effect effect(ByteBuf reply, List<Reply> answers) {
    boolean failed = Reply.isError(reply, reply.readerIndex()) && !rewrite.mayFailHalfway();
    return failed ? Effect.NOTHING : rewrite.effect(call, Reply.of(reply), answers);
  }
}
