package io.penstock.core.reply;

import io.penstock.core.observe.Outcome;
import io.penstock.core.observe.Timeline;
import io.penstock.core.spec.CommandSpec;
import org.jspecify.annotations.Nullable;

/** Is told of the end of each reply of one loop. Called on that loop; must not block. */
public interface ReplyObserver {

  /**
   * Returns whether the times of a request that begins now are kept for {@link #onReply}. Called
   * once for each request.
   */
  default boolean wantsTimeline(CommandSpec command) {
    return false;
  }

  /**
   * A reply is complete: its last byte was given to the client's output, or waits for an earlier
   * reply.
   *
   * @param nanos since the client's bytes were read last before the request was handled
   * @param bytes length of the reply before it is rewritten, whether or not the client gets it
   * @param timeline of the request; null unless it is kept for any observer
   */
  void onReply(
      CommandSpec command, Outcome outcome, long nanos, long bytes, @Nullable Timeline timeline);

  /** Returns an observer that tells this one first, then {@code next}. */
  default ReplyObserver and(ReplyObserver next) {
    ReplyObserver first = this;
    return new ReplyObserver() {
      @Override
      public boolean wantsTimeline(CommandSpec command) {
        boolean wanted = first.wantsTimeline(command);
        return next.wantsTimeline(command) || wanted; // both are asked
      }

      @Override
      public void onReply(
          CommandSpec command,
          Outcome outcome,
          long nanos,
          long bytes,
          @Nullable Timeline timeline) {
        first.onReply(command, outcome, nanos, bytes, timeline);
        next.onReply(command, outcome, nanos, bytes, timeline);
      }
    };
  }
}
