package io.penstock.core.crossslot;

import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link Move} moves: how it is read, written and removed. One object for one command; its
 * methods are called in the order of the steps, again from the first one after a lost race. It owns
 * what it has read until {@link #release}; the requests that it returns are the caller's, and
 * replies are borrowed. Confined to the client's loop.
 */
interface Moved {

  /** Returns the requests that read what is moved. The first is {@code WATCH} if that is needed. */
  List<ByteBuf> lookAtSource();

  /** Reads the replies to {@link #lookAtSource}. */
  void readSource(List<ByteBuf> replies);

  /** Returns the requests that read what the destination has, as {@link #lookAtSource}; or none. */
  List<ByteBuf> lookAtDestination();

  /** Reads the replies to {@link #lookAtDestination}. */
  void readDestination(List<ByteBuf> replies);

  /**
   * Judges what was read.
   *
   * @return the reply that ends the command; null to go on
   */
  byte @Nullable [] judge();

  /** Returns the requests that write to the destination. */
  List<ByteBuf> write();

  /** Reads the replies to {@link #write}. */
  Effect written(List<ByteBuf> replies);

  /**
   * Returns the requests that remove it from its key, unless another client has changed the key
   * since {@link #lookAtSource}; none if it stays there.
   */
  List<ByteBuf> remove();

  /** What the source has after a removal that was lost. */
  enum Seen {
    /** What was written to the destination, to be removed. */
    SAME,
    /** Something else; or an equal value that others may rely on. */
    CHANGED,
    /** Nothing, as the destination: what was moved has expired. */
    EXPIRED
  }

  /**
   * Compares after a removal that was lost.
   *
   * @param replies to {@link #lookAtSource}, now
   */
  Seen seen(List<ByteBuf> replies);

  /**
   * Returns the key that is watched from {@link #write} on, so that {@link #undo} does nothing if
   * another client has changed it since; null if that does not matter.
   */
  @Nullable String watchedUntilUndone();

  /** Returns the requests that undo {@link #write}; none if it has changed nothing. */
  List<ByteBuf> undo();

  /** What is left of a write at a destination that others have changed since. */
  enum Left {
    NOTHING,
    /** Perhaps something that others rely on. The move may go on. */
    FOR_OTHERS,
    /** What was moved, and others' changes of it. What was there before is lost. */
    ALL
  }

  /**
   * Judges a write that could not be undone because others have changed the destination.
   *
   * @param replies to {@link #lookAtDestination}, now
   */
  Left left(List<ByteBuf> replies);

  /** Returns how many bytes were written to the destination. */
  int size();

  /** Returns the reply to the client when all is done; borrowed. */
  ByteBuf reply();

  /** Releases what was read. */
  void release();
}
