package io.penstock.core.resync;

import io.netty.buffer.ByteBuf;
import io.penstock.core.resync.Questions.ReplySink;
import io.penstock.core.shadow.ReplyDigest;
import io.penstock.core.spec.ReplyComparison;

/** A hash of a reply. */
final class ContentDigest implements ReplySink {

  private final ReplyDigest digest;

  ContentDigest(ReplyComparison comparison) {
    this.digest = new ReplyDigest(comparison);
  }

  @Override
  public void add(ByteBuf buffer, int from, int to) {
    digest.add(buffer, from, to);
  }

  @Override
  public void end() {
    digest.end();
  }

  long value() {
    return digest.value();
  }
}
