package io.penstock.core.crossslot;

import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link Move} moves: how it is read, written and removed. One object for one command; its
 * methods are called in the order of the steps, again from the first one after a lost race.
 * Confined to the client's loop.
 */
interface Moved {

  /** Returns the requests that read what is moved; its key is watched. */
  List<byte[]> look();

  /**
   * Reads the replies to {@link #look}.
   *
   * @param replies borrowed
   * @return the reply that ends the command; null to go on
   */
  byte @Nullable [] judge(List<ByteBuf> replies);

  /** Returns the requests that read what the destination has; its key is watched. */
  List<byte[]> lookAtDestination();

  /** Reads the replies to {@link #lookAtDestination}, as {@link #judge} does. */
  byte @Nullable [] judgeDestination(List<ByteBuf> replies);

  /** Returns the requests that write to the destination, together. */
  List<byte[]> write();

  /** Reads the replies to {@link #write}, as {@link #judge} does: null if it was written. */
  byte @Nullable [] judgeWrite(List<ByteBuf> replies);

  /** Returns the requests that remove it from its key, together; none if it stays there. */
  List<byte[]> remove();

  /**
   * Returns whether the destination still has what {@link #write} left there.
   *
   * @param replies to {@link #lookAtDestination}, now
   */
  boolean isStillWritten(List<ByteBuf> replies);

  /** Returns the requests that give the destination what it had before, together. */
  List<byte[]> undo();

  /** Returns the reply to the client when all is done. */
  byte[] reply();
}
