package io.penstock.core.crossslot;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.penstock.core.reply.ReplyStrings;
import io.penstock.core.resp.WireRequest;
import io.penstock.core.steps.Replies;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An element at an end of a list: {@code LMOVE}, {@code RPOPLPUSH}. */
final class MovedElement implements Moved {

  private final String source;
  private final boolean fromLeft;
  private final String destination;
  private final boolean toLeft;
  private byte[] bulk = {}; // the element as the node replied it
  private String element = "";

  /** The characters of both keys are bytes. */
  MovedElement(String source, boolean fromLeft, String destination, boolean toLeft) {
    this.source = source;
    this.fromLeft = fromLeft;
    this.destination = destination;
    this.toLeft = toLeft;
  }

  @Override
  public List<byte[]> look() {
    return List.of(WireRequest.of("LINDEX", source, fromLeft ? "0" : "-1"));
  }

  @Override
  public byte @Nullable [] judge(List<ByteBuf> replies) {
    ByteBuf reply = replies.getFirst();
    bulk = ByteBufUtil.getBytes(reply);
    if (Replies.firstError(replies) != null || ReplyStrings.isNil(reply, reply.readerIndex())) {
      return bulk;
    }
    element = Replies.content(reply);
    return null;
  }

  @Override
  public List<byte[]> lookAtDestination() {
    return List.of(WireRequest.of("LINDEX", destination, toLeft ? "0" : "-1"));
  }

  @Override
  public byte @Nullable [] judgeDestination(List<ByteBuf> replies) {
    return Replies.firstError(replies);
  }

  @Override
  public List<byte[]> write() {
    return List.of(WireRequest.of(toLeft ? "LPUSH" : "RPUSH", destination, element));
  }

  @Override
  public byte @Nullable [] judgeWrite(List<ByteBuf> replies) {
    return Replies.firstError(replies);
  }

  @Override
  public List<byte[]> remove() {
    return List.of(WireRequest.of(fromLeft ? "LPOP" : "RPOP", source));
  }

  @Override
  public boolean isStillWritten(List<ByteBuf> replies) {
    return ByteBufUtil.equals(replies.getFirst(), Unpooled.wrappedBuffer(bulk));
  }

  @Override
  public List<byte[]> undo() {
    return List.of(WireRequest.of(toLeft ? "LPOP" : "RPOP", destination));
  }

  @Override
  public byte[] reply() {
    return bulk;
  }
}
