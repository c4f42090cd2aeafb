package io.penstock.core.limit;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A bounded map that forgets what has not been changed for long, oldest first. It consists of two
 * halves: when the younger one is full, or old enough, it becomes the older one, and what was there
 * is forgotten. Safe from any thread.
 */
final class RecentMap<K, V> {

  private final int half;
  private final long periodNanos;
  private final AtomicReference<Halves<K, V>> halves;

  private record Halves<K, V>(Map<K, V> younger, Map<K, V> older, long since) {}

  /**
   * @param most entries, approximately
   * @param period an entry is kept for one to two of these, if there is room
   */
  RecentMap(int most, Duration period) {
    this.half = most / 2;
    this.periodNanos = period.toNanos();
    this.halves =
        new AtomicReference<>(
            new Halves<>(new ConcurrentHashMap<>(), new ConcurrentHashMap<>(), System.nanoTime()));
  }

  /**
   * Returns the value, or null.
   *
   * @param now {@link System#nanoTime}
   */
  @Nullable V get(K key, long now) {
    Halves<K, V> current = halvesAt(now);
    V young = current.younger.get(key);
    return young != null ? young : current.older.get(key);
  }

  /** Replaces the value, which is null if there is none, and makes it the youngest. */
  void change(K key, long now, UnaryOperator<@Nullable V> change) {
    Halves<K, V> current = halvesAt(now);
    V old = current.older.get(key);
    current.younger.compute(key, (_, young) -> change.apply(young != null ? young : old));
  }

  /** Entries in both halves; one that is in both counts twice. */
  int size() {
    Halves<K, V> current = halves.get();
    return current.younger.size() + current.older.size();
  }

  private Halves<K, V> halvesAt(long now) {
    Halves<K, V> current = halves.get();
    long age = now - current.since;
    if (age < periodNanos && current.younger.size() < half) {
      return current;
    }
    Map<K, V> older = age < 2 * periodNanos ? current.younger : new ConcurrentHashMap<>();
    halves.compareAndSet(current, new Halves<>(new ConcurrentHashMap<>(), older, now));
    return halves.get();
  }
}
