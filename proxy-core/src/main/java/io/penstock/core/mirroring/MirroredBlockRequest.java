package io.penstock.core.mirroring;

import io.netty.buffer.ByteBuf;
import io.penstock.core.copies.CopyTask;
import io.penstock.core.mirror.Effect;
import io.penstock.core.mirror.MirroredBlock;
import io.penstock.core.mirror.Reply;
import io.penstock.core.retry.ClientExchange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A transaction: a client's, or one in which Penstock tries a call that may block. */
final class MirroredBlockRequest extends MirroredRequest {

  private final MirroredBlock block;
  private final boolean ordered;

  /**
   * @param claim null if its place among other writes is not known
   */
  MirroredBlockRequest(
      LoopMirror mirror, @Nullable Claim claim, int database, MirroredBlock block) {
    super(mirror, claim, database);
    this.block = block;
    this.ordered = claim != null;
  }

  @Override
  boolean needsWholeReply() {
    return true;
  }

  @Override
  void read(ClientExchange exchange) {
    // The block has copies of its calls.
  }

  @Override
  void conclude(ByteBuf whole) {
    Effect effect = block.effect(Reply.of(whole));
    end(effect == Effect.NOTHING || ordered ? effect : block.unknown(), whole);
  }

  @Override
  Effect unknown() {
    return block.unknown();
  }

  @Override
  CopyTask asIs(ByteBuf whole) {
    throw new IllegalStateException("a block is never copied as it is");
  }

  @Override
  List<byte[]> keys() {
    return block.keys();
  }
}
