package io.penstock.core.copies;

import java.util.List;
import java.util.function.Consumer;

/**
 * Copies keys again whole: as they are at the primary, in their place among the writes that the
 * copy gets. Safe from any thread.
 */
public interface Repairs {

  /**
   * Copies keys again to one copy.
   *
   * @param copy its number in the upstream
   * @param database see {@link CopyTask#database}
   * @param keys not changed by anybody
   * @param done told, once and on any thread, whether the copy has them all as the primary had them
   */
  void copyAgain(int copy, int database, List<byte[]> keys, Consumer<Boolean> done);
}
