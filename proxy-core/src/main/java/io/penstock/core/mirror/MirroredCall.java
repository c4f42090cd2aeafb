package io.penstock.core.mirror;

import io.netty.buffer.ByteBuf;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.KeyPositions;
import io.penstock.core.spec.Mirrored;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One call, from before it is sent to the primary until its reply has come: what must be asked
 * besides, and what the copies get. Immutable; confined to the event loop that has the request.
 */
public sealed interface MirroredCall permits Repeated, Rewritten {

  /**
   * Returns the error with which a request is rejected before it is sent, because copies could not
   * follow; null if it may be sent. Its keys must be valid. Borrows the frame.
   */
  static @Nullable String refusal(CommandSpec spec, RequestFrame frame) {
    return switch (spec.mirrored()) {
      case REFUSED -> Mirrored.refusal(spec);
      case SCRIPT ->
          spec.findKeys(frame, new KeyPositions()) == 0 ? Mirrored.keylessRefusal(spec) : null;
      default -> null;
    };
  }

  /**
   * Returns what becomes of a request that is not refused. Borrows the frame. Allocates only if the
   * request does not repeat alike; then it copies the request.
   *
   * @param fieldsMayExpire says whether the primary and all copies know deadlines of fields, {@code
   *     HSETEX} among them; asked for few requests
   */
  static MirroredCall of(CommandSpec spec, RequestFrame frame, BooleanSupplier fieldsMayExpire) {
    Repeated repeated = Repeated.of(spec, frame);
    return repeated == null
        ? new Rewritten(Rewrites.of(spec.mirrored(), fieldsMayExpire), new Call(spec, frame))
        : repeated;
  }

  /**
   * Returns what the copies get if the reply did not come, so that the primary may have run the
   * request or not. What {@code MOVE} or {@code COPY} did in another database is not among it.
   *
   * @param keys of the request
   */
  default Effect unknown(List<byte[]> keys) {
    return this == Repeated.NEVER ? Effect.NOTHING : Effect.CopyAgain.of(keys);
  }

  /**
   * Returns read-only requests that the primary must answer directly behind the call: no other
   * write to the keys may come between. Mostly none. In a transaction of the client they follow the
   * call within it. Their replies must not reach the client.
   */
  List<CopyRequest> questions();

  /** Returns whether {@link #effect} reads the whole reply; otherwise its first line is enough. */
  boolean needsWholeReply();

  /**
   * Returns what the copies get.
   *
   * @param reply the primary's final reply: no redirect, and no error that makes Penstock send the
   *     request again. Borrowed
   * @param answers to the questions, in their order; borrowed. Not read if the reply is an error
   */
  Effect effect(ByteBuf reply, List<Reply> answers);
}
