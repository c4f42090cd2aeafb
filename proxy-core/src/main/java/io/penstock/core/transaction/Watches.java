package io.penstock.core.transaction;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a client watches: one {@link Watch} for each partition. Confined to its loop. */
final class Watches {

  private final List<Watch> all = new ArrayList<>(0);

  boolean isEmpty() {
    return all.isEmpty();
  }

  int size() {
    return all.size();
  }

  /** Returns the one for a partition; null for none. */
  @Nullable Watch of(int partition) {
    for (Watch watch : all) {
      if (watch.partition() == partition) {
        return watch;
      }
    }
    return null;
  }

  /** Returns the only one; null if there are none or several. */
  @Nullable Watch single() {
    return all.size() == 1 ? all.getFirst() : null;
  }

  void add(Watch watch) {
    all.add(watch);
  }

  /** The number of keys given; a key that was given twice counts twice. */
  int keys() {
    return all.stream().mapToInt(Watch::keys).sum();
  }

  /** Bytes of the objects. */
  long sizeOnHeap() {
    long bytes = 0;
    for (Watch watch : all) {
      bytes += watch.sizeOnHeap();
    }
    return bytes;
  }

  /** Returns whether a transaction must not run any more. */
  boolean isInvalidated() {
    return all.stream().anyMatch(Watch::isInvalidated);
  }

  /** Returns whether keys that were watched are not any more: a transaction will not run. */
  boolean isLost() {
    return all.stream().anyMatch(watch -> !watch.isNew() && watch.isInvalidated());
  }

  /** Invalidates all: a transaction must not run. */
  void invalidate() {
    all.forEach(Watch::invalidate);
  }

  /** Ends the one whose first {@code WATCH} has failed. */
  void remove(Watch watch) {
    watch.close();
    all.remove(watch);
  }

  /** Hands over all: this is empty from now on. */
  List<Watch> take() {
    List<Watch> taken = List.copyOf(all);
    all.clear();
    return taken;
  }

  /** Stops watching. */
  void close() {
    take().forEach(Watch::close);
  }
}
