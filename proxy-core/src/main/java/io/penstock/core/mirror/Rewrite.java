package io.penstock.core.mirror;

import java.util.List;

/** How calls of some commands become what the primary did. Stateless. */
interface Rewrite {

  /** Returns what {@link MirroredCall#questions} says. */
  default List<CopyRequest> questions(Call call) {
    return List.of();
  }

  /** Returns what {@link MirroredCall#needsWholeReply} says. */
  default boolean needsWholeReply() {
    return true;
  }

  /** Returns whether a call may have written something before it failed. */
  default boolean mayFailHalfway() {
    return false;
  }

  /**
   * Returns what the copies get.
   *
   * @param reply not an error, unless the call may fail halfway
   * @param answers to the questions, in their order
   */
  Effect effect(Call call, Reply reply, List<Reply> answers);
}
