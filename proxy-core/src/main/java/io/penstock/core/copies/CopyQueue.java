package io.penstock.core.copies;

import io.penstock.core.observe.MirrorStats;
import io.penstock.core.side.Side;
import io.penstock.core.transport.Loop;
import java.util.concurrent.CompletableFuture;

/**
 * What one copy has yet to do, in order. Tasks may be added on any thread; everything else happens
 * on the copy's loop.
 */
public final class CopyQueue {

  /**
   * @param number of the copy in its upstream
   * @param name of the copy's upstream
   * @param loop of the copy: everything is sent from there
   * @param side the copy's upstream, as that loop reaches it
   * @param repairs for keys that differ
   */
  public CopyQueue(
      int number, String name, Loop loop, Side side, MirrorSettings settings, Repairs repairs) {
    throw new UnsupportedOperationException();
  }

  /**
   * Goes on with other settings, and over another side: as soon as everything that was sent over
   * the earlier one is answered, so that the order stays. On the copy's loop.
   *
   * @return completes when the earlier side is not used any more
   */
  public CompletableFuture<Void> change(Side next, MirrorSettings settings) {
    throw new UnsupportedOperationException();
  }

  /** Returns the number of the copy in its upstream, which no other copy ever has. */
  public int number() {
    throw new UnsupportedOperationException();
  }

  /**
   * Adds a task behind all that were added before. Returns at once, on any thread.
   *
   * @param listener told what became of it
   */
  public void offer(CopyTask task, CopyTask.Listener listener) {
    throw new UnsupportedOperationException();
  }

  /** Returns how far the copy is. Safe from any thread. */
  public MirrorStats.Copy stats() {
    throw new UnsupportedOperationException();
  }

  /** The copy lacks something that only a resync brings. Safe from any thread. */
  public void markBehind(String reason) {
    throw new UnsupportedOperationException();
  }

  /** Returns how often something was lost for the copy so far. Safe from any thread. */
  public long losses() {
    throw new UnsupportedOperationException();
  }

  /**
   * Everything was copied again: the copy is level, unless something was lost since.
   *
   * @param lossesBefore {@link #losses} when copying began
   * @return whether it is level
   */
  public boolean markLevel(long lossesBefore) {
    throw new UnsupportedOperationException();
  }

  /** Sends nothing any more. Tasks that wait are dropped. Safe from any thread. */
  public void close() {
    throw new UnsupportedOperationException();
  }
}
