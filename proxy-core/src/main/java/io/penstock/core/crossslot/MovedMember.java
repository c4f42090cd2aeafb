package io.penstock.core.crossslot;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.steps.Replies;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A member of a set: {@code SMOVE}. The source is watched, and the destination from the write on.
 *
 * <p>If the destination has the member already, another move may have put it there, which may have
 * to undo that. So the destination is then changed in a way that the other one notices, and that
 * leaves the set as it was: a member is added and removed.
 */
final class MovedMember implements Moved {

  private static final byte[] ZERO = ":0\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] ONE = ":1\r\n".getBytes(StandardCharsets.US_ASCII);

  private static final String TEMPORARY = TemporaryNames.PREFIX + "member";

  private final String source;
  private final String destination;
  private final ByteBuf member; // a bulk string on the heap
  private boolean exists;
  private boolean isMember;
  private boolean wasAtDestination;
  private boolean added;
  private byte @Nullable [] sourceError;
  private byte @Nullable [] destinationError;

  /**
   * @param source its characters are bytes
   * @param destination its characters are bytes
   * @param member on the heap; shared
   */
  MovedMember(String source, String destination, ByteBuf member) {
    this.source = source;
    this.destination = destination;
    this.member = Requests.bulk(member);
  }

  private ByteBuf request(String command, String key) {
    return Requests.of(List.of(command, key), member, List.of());
  }

  @Override
  public List<ByteBuf> lookAtSource() {
    return List.of(
        Requests.of("WATCH", source), Requests.of("EXISTS", source), request("SISMEMBER", source));
  }

  @Override
  public void readSource(List<ByteBuf> replies) {
    sourceError = Replies.firstError(replies);
    exists = Replies.isOne(replies.get(1));
    isMember = Replies.isOne(replies.getLast());
  }

  @Override
  public List<ByteBuf> lookAtDestination() {
    return List.of(request("SISMEMBER", destination));
  }

  @Override
  public void readDestination(List<ByteBuf> replies) {
    destinationError = Replies.firstError(replies);
    wasAtDestination = Replies.isOne(replies.getFirst());
  }

  /** As a server, which looks at the type of the destination even if there is no such member. */
  @Override
  public byte @Nullable [] judge() {
    if (sourceError == null && !exists) {
      return ZERO;
    }
    byte[] error = sourceError == null ? destinationError : sourceError;
    return error != null || isMember ? error : ZERO;
  }

  @Override
  public List<ByteBuf> write() {
    if (!wasAtDestination) {
      return List.of(request("SADD", destination));
    }
    return Requests.block(
        Requests.of(List.of("SADD", destination), member, List.of(TEMPORARY)),
        Requests.of("SREM", destination, TEMPORARY));
  }

  @Override
  public Effect written(List<ByteBuf> replies) {
    if (wasAtDestination) {
      Effect effect = Effect.ofBlock(replies);
      added =
          effect.equals(Effect.DONE)
              && !Replies.isOne(Replies.elements(replies.getLast()).getFirst());
      return effect;
    }
    Effect effect = Effect.of(replies.getFirst());
    added = Replies.isOne(replies.getFirst());
    return added || effect.error() != null ? effect : Effect.LOST;
  }

  @Override
  public List<ByteBuf> remove() {
    return Requests.block(request("SREM", source));
  }

  /** Returns {@code CHANGED}: other moves may rely on a member that is there again. */
  @Override
  public Seen seen(List<ByteBuf> replies) {
    return Seen.CHANGED;
  }

  @Override
  public String watchedUntilUndone() {
    return destination;
  }

  @Override
  public List<ByteBuf> undo() {
    return added ? Requests.block(request("SREM", destination)) : List.of();
  }

  /** If the member is there, others may rely on it. */
  @Override
  public Left left(List<ByteBuf> replies) {
    if (Replies.firstError(replies) != null) {
      return Left.ALL;
    }
    return Replies.isOne(replies.getFirst()) ? Left.FOR_OTHERS : Left.NOTHING;
  }

  @Override
  public int size() {
    return member.readableBytes();
  }

  @Override
  public ByteBuf reply() {
    return Unpooled.wrappedBuffer(ONE);
  }

  @Override
  public void release() {
    // The member is on the heap.
  }
}
