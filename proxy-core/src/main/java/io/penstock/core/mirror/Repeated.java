package io.penstock.core.mirror;

import io.netty.buffer.ByteBuf;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.Ascii;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.KeyPositions;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Calls that the copies get as they are, or not at all. */
enum Repeated implements MirroredCall {
  NEVER,
  ALWAYS,
  IF_POSITIVE,
  UNLESS_NULL;

  /** Returns null for a call that must be rewritten. Allocates nothing but for {@code SORT}. */
  static @Nullable Repeated of(CommandSpec spec, RequestFrame frame) {
    return switch (spec.mirrored()) {
      case NOTHING, DATABASE, REFUSED -> NEVER;
      case AS_IS -> ALWAYS;
      case AS_IS_IF_POSITIVE -> IF_POSITIVE;
      case AS_IS_UNLESS_NULL -> UNLESS_NULL;
      case AS_IS_IF_STORED -> stores(spec, frame) ? ALWAYS : NEVER;
      case SET -> frame.argc() == 3 ? ALWAYS : null;
      case DEADLINE -> frame.argc() == 2 ? NEVER : null; // GETEX without an option
      case RESTORE -> isAbsolute(frame) ? ALWAYS : null;
      case ADD_ENTRY -> frame.argc() > 2 && isWholeId(frame, 2) ? UNLESS_NULL : null;
      case TRIM_ENTRIES -> has(frame, "~", 3) ? null : IF_POSITIVE;
      default -> null;
    };
  }

  private static boolean stores(CommandSpec spec, RequestFrame frame) {
    return spec.findKeys(frame, new KeyPositions()) > 1;
  }

  /** {@code RESTORE key 0 …} or {@code … ABSTTL}. */
  private static boolean isAbsolute(RequestFrame frame) {
    return Ascii.parseLong(frame, 2) == 0 || has(frame, "absttl", 4);
  }

  private static boolean has(RequestFrame frame, String word, int from) {
    for (int i = from; i < frame.argc(); i++) {
      if (Ascii.equalsIgnoreCase(frame, i, word)) {
        return true;
      }
    }
    return false;
  }

  /** Returns false for options and for ids that the server completes. */
  private static boolean isWholeId(RequestFrame frame, int i) {
    int offset = frame.offset(i);
    int length = frame.length(i);
    return length > 0
        && frame.buffer().getByte(offset) <= '9'
        && frame.buffer().getByte(offset + length - 1) != '*';
  }

  @Override
  public List<CopyRequest> questions() {
    return List.of();
  }

  @Override
  public boolean needsWholeReply() {
    return false;
  }

  @Override
  public Effect effect(ByteBuf reply, List<Reply> answers) {
    int from = reply.readerIndex();
    boolean copied =
        switch (this) {
          case NEVER -> false;
          case ALWAYS -> !Reply.isError(reply, from);
          case IF_POSITIVE -> Reply.isPositive(reply, from);
          case UNLESS_NULL -> !Reply.isError(reply, from) && !Reply.isNull(reply, from);
        };
    return copied ? Effect.AS_IS : Effect.NOTHING;
  }
}
