package io.penstock.core.retry;

import io.netty.buffer.ByteBuf;
import io.penstock.core.dispatch.PlacedExchange;
import io.penstock.core.observe.Outcome;
import java.util.function.Consumer;

/**
 * Gets what ends an exchange before its client does, and passes it on: at once, or later. Confined
 * to the client's loop. Nothing is called after the end.
 */
public interface ReplyRelay {

  /**
   * The exchange was dispatched, perhaps once more.
   *
   * @param sender sends what must come directly behind it
   */
  void onDispatched(ClientExchange exchange, Consumer<PlacedExchange> sender);

  /**
   * The final reply has come, which must be passed to {@link ClientExchange#deliver}.
   *
   * @param buffer borrowed
   */
  void onReply(ClientExchange exchange, ByteBuf buffer, int from, int to, Outcome outcome);

  /**
   * A part of the final reply has come; see {@link ClientExchange#deliverPart}.
   *
   * @param buffer borrowed
   */
  void onReplyPart(ClientExchange exchange, ByteBuf buffer, int from, int to, boolean last);

  /** The reply is cut off: it comes once more, or not at all. */
  void onReplyDropped();

  /** There is no reply of a node: Penstock's must be passed to {@link ClientExchange#answer}. */
  void onAnswer(ClientExchange exchange, byte[] reply, Outcome outcome);

  /**
   * The exchange ends in another way, which is not passed on. Its bytes can still be read.
   *
   * @param mayHaveRun whether the request may have run
   */
  void onEnd(ClientExchange exchange, boolean mayHaveRun);
}
