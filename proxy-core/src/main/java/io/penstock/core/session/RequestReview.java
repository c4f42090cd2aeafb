package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.penstock.core.client.RequestRules;
import io.penstock.core.reply.ReplySequence;
import org.jspecify.annotations.Nullable;

/**
 * The step between the route of a request and its execution: the rules of the client's user may
 * reject the request or replace it. A request that is put back is not judged again. Confined to the
 * client's event loop.
 */
final class RequestReview {

  private final CurrentRequest request;
  private final ReplySequence replies;
  private long judged = -1; // how many requests had come before the one that was judged last

  RequestReview(CurrentRequest request, ReplySequence replies) {
    this.request = request;
    this.replies = replies;
  }

  /**
   * Judges the current request, which the rules may replace: its route must be found again then.
   *
   * @return the encoded error that answers it; null if it is executed
   */
  byte @Nullable [] judge(RequestRules rules) {
    if (judged == replies.lastRequestNumber()) {
      return null;
    }
    byte[] rejection = rules.rejection(request.command());
    if (rejection != null) {
      return rejection;
    }
    judged = replies.lastRequestNumber();
    ByteBuf other = rules.rewrite(request.command());
    if (other != null) {
      request.replace(other);
    }
    return null;
  }
}
