package io.penstock.core.copies;

import io.netty.buffer.ByteBuf;
import io.penstock.core.mirror.Effect;
import io.penstock.core.mirror.MirroredBlock;
import io.penstock.core.mirror.Reply;
import io.penstock.core.retry.ClientExchange;
import java.util.List;

/** A transaction: a client's, or one in which Penstock tries a call that may block. */
final class MirroredBlockRequest extends MirroredRequest {

  private final MirroredBlock block;

  MirroredBlockRequest(LoopMirror mirror, Claim claim, int database, MirroredBlock block) {
    super(mirror, claim, database);
    this.block = block;
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
    end(block.effect(Reply.of(whole)), whole);
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
