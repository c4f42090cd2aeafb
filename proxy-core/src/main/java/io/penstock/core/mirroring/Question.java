package io.penstock.core.mirroring;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.backend.Failure;
import io.penstock.core.dispatch.PlacedExchange;
import io.penstock.core.mirror.CopyRequest;
import io.penstock.core.output.SharedBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A read that is sent to the primary directly behind a call, over the same connection, to learn
 * what the call did. Confined to the loop.
 */
final class Question extends PlacedExchange {

  private static final Logger log = LoggerFactory.getLogger(Question.class);

  private final Consumer<Question> then;
  private @Nullable ByteBuf answer; // in the heap
  private boolean over;

  /**
   * @param behind what was sent before
   * @param then called once it has an answer, or will not get any
   */
  Question(CopyRequest request, PlacedExchange behind, Consumer<Question> then) {
    this.then = then;
    ByteBuf bytes = Unpooled.buffer(request.size());
    request.write(bytes);
    bytes(new SharedBuffer(bytes), 0, bytes.readableBytes());
    targetSameAs(behind);
    sendOptions(behind.protocol(), behind.affinity(), behind.deadline(), behind.holdDeadline());
  }

  boolean isOver() {
    return over;
  }

  /** Returns the answer; null if there is none, or an error. */
  @Nullable ByteBuf answer() {
    return answer;
  }

  @Override
  public void onReply(ByteBuf buffer, int from, int to) {
    onReplyPart(buffer, from, to, true);
  }

  @Override
  public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    ByteBuf kept = answer;
    if (kept == null) {
      kept = Unpooled.buffer(to - from);
      answer = kept;
    }
    kept.writeBytes(buffer, from, to - from);
    if (last) {
      if (kept.getByte(0) == '-') {
        answer = null;
      }
      end();
    }
  }

  @Override
  public void onFailure(Failure failure) {
    answer = null;
    end();
  }

  private void end() {
    over = true;
    releaseBytes();
    then.accept(this);
  }

  @Override
  public boolean recoverFrom(Throwable defect) {
    log.error("What a mirrored call did could not be read", defect);
    if (!over) {
      onFailure(Failure.NOT_SENT);
    }
    return true;
  }
}
