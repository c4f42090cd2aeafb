package io.penstock.core.crossslot;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.penstock.core.reply.ReplyStrings;
import io.penstock.core.steps.Replies;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An element at an end of a list: {@code LMOVE}, {@code RPOPLPUSH}. The source is watched. To undo
 * it, the nearest equal element at the destination is removed: equal elements are the same to
 * clients, so none is lost or doubled by that, whatever others have pushed and popped since.
 */
final class MovedElement implements Moved {

  private final String source;
  private final boolean fromLeft;
  private final String destination;
  private final boolean toLeft;
  private ByteBuf bulk = Unpooled.EMPTY_BUFFER; // the element as the node replied it
  private byte @Nullable [] end;

  /** The characters of both keys are bytes. */
  MovedElement(String source, boolean fromLeft, String destination, boolean toLeft) {
    this.source = source;
    this.fromLeft = fromLeft;
    this.destination = destination;
    this.toLeft = toLeft;
  }

  @Override
  public List<ByteBuf> lookAtSource() {
    return List.of(
        Requests.of("WATCH", source), Requests.of("LINDEX", source, fromLeft ? "0" : "-1"));
  }

  @Override
  public void readSource(List<ByteBuf> replies) {
    release();
    ByteBuf reply = replies.getLast();
    end = Replies.firstError(replies);
    if (end == null && ReplyStrings.isNil(reply, reply.readerIndex())) {
      end = ByteBufUtil.getBytes(reply);
    }
    bulk = reply.retainedSlice();
  }

  /** Returns none: if it is no list, the write fails. */
  @Override
  public List<ByteBuf> lookAtDestination() {
    return List.of();
  }

  @Override
  public void readDestination(List<ByteBuf> replies) {
    throw new IllegalStateException("the destination is not read");
  }

  @Override
  public byte @Nullable [] judge() {
    return end;
  }

  @Override
  public List<ByteBuf> write() {
    return List.of(Requests.of(List.of(toLeft ? "LPUSH" : "RPUSH", destination), bulk, List.of()));
  }

  @Override
  public Effect written(List<ByteBuf> replies) {
    return Effect.of(replies.getFirst());
  }

  @Override
  public List<ByteBuf> remove() {
    return Requests.block(Requests.of(fromLeft ? "LPOP" : "RPOP", source));
  }

  /** An equal element is as good as this one, so that pushes of others do not end the move. */
  @Override
  public Seen seen(List<ByteBuf> replies) {
    return Replies.firstError(replies) == null && ByteBufUtil.equals(replies.getLast(), bulk)
        ? Seen.SAME
        : Seen.CHANGED;
  }

  @Override
  public @Nullable String watchedUntilUndone() {
    return null;
  }

  @Override
  public List<ByteBuf> undo() { // removes nothing if another client has taken it
    List<String> before = List.of("LREM", destination, toLeft ? "1" : "-1");
    return List.of(Requests.of(before, bulk, List.of()));
  }

  @Override
  public Left left(List<ByteBuf> replies) {
    throw new IllegalStateException("the destination is not watched");
  }

  @Override
  public int size() {
    return bulk.readableBytes();
  }

  @Override
  public ByteBuf reply() {
    return bulk;
  }

  @Override
  public void release() {
    bulk.release();
    bulk = Unpooled.EMPTY_BUFFER;
  }
}
