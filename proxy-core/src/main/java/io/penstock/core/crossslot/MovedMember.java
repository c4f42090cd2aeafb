package io.penstock.core.crossslot;

import io.netty.buffer.ByteBuf;
import io.penstock.core.resp.WireRequest;
import io.penstock.core.steps.Replies;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A member of a set: {@code SMOVE}. */
final class MovedMember implements Moved {

  private static final byte[] ZERO = ":0\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] ONE = ":1\r\n".getBytes(StandardCharsets.US_ASCII);

  private final String source;
  private final String destination;
  private final String member;
  private boolean isMember;
  private boolean added;

  /** The characters of all three are bytes. */
  MovedMember(String source, String destination, String member) {
    this.source = source;
    this.destination = destination;
    this.member = member;
  }

  @Override
  public List<byte[]> look() {
    return List.of(WireRequest.of("EXISTS", source), WireRequest.of("SISMEMBER", source, member));
  }

  /** As a server, which looks at the type of the destination even if there is no such member. */
  @Override
  public byte @Nullable [] judge(List<ByteBuf> replies) {
    byte[] error = Replies.firstError(replies);
    if (error != null) {
      return error;
    }
    isMember = Replies.isOne(replies.getLast());
    return Replies.isOne(replies.getFirst()) ? null : ZERO;
  }

  @Override
  public List<byte[]> lookAtDestination() {
    return List.of(WireRequest.of("SISMEMBER", destination, member));
  }

  @Override
  public byte @Nullable [] judgeDestination(List<ByteBuf> replies) {
    byte[] error = Replies.firstError(replies);
    if (error != null) {
      return error;
    }
    added = !Replies.isOne(replies.getFirst());
    return isMember ? null : ZERO;
  }

  @Override
  public List<byte[]> write() {
    return List.of(WireRequest.of("SADD", destination, member));
  }

  @Override
  public byte @Nullable [] judgeWrite(List<ByteBuf> replies) {
    return Replies.firstError(replies);
  }

  @Override
  public List<byte[]> remove() {
    return List.of(WireRequest.of("SREM", source, member));
  }

  @Override
  public boolean isStillWritten(List<ByteBuf> replies) {
    return added && Replies.firstError(replies) == null && Replies.isOne(replies.getFirst());
  }

  @Override
  public List<byte[]> undo() {
    return List.of(WireRequest.of("SREM", destination, member));
  }

  @Override
  public byte[] reply() {
    return ONE;
  }
}
