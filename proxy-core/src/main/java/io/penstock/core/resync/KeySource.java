package io.penstock.core.resync;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Where the keys of one side come from. Confined to the jobs' loop. */
interface KeySource {

  /** Keys of one database. */
  record Keys(int database, List<byte[]> keys) {

    static final Keys NONE = new Keys(-1, List.of());
  }

  /**
   * Returns the next keys, perhaps none. Must not be called before the last call has ended. If it
   * fails with a {@link NoAnswerException} it may be called again, and leaves no key out.
   *
   * @param count how many, about
   */
  CompletableFuture<Keys> next(int count);

  /** Returns whether there are no more. */
  boolean isEnded();

  /** Returns about how many keys there are; -1 if it is not known yet. */
  long estimate();
}
