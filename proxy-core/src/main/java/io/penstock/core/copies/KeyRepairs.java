package io.penstock.core.copies;

import io.penstock.core.transport.Loop;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one copy that are to be copied again. Each is asked for once at a time, and once more
 * if it differed again meanwhile. There is a limit of keys, and of attempts; beyond it the copy is
 * behind. Nothing is asked for while the copy does not answer. Confined to the copy's loop.
 */
final class KeyRepairs {

  static final int MOST_KEYS = 10_000;

  private static final int MOST_ASKED = 64;
  private static final int MOST_TRIES = 10;

  /**
   * Time before keys are copied again after the copy was away, or after a failure: a server that
   * was unresponsive may still run what it was sent before.
   */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final int copy;
  private final Loop loop;
  private final Repairs repairs;
  private final CopyCounts counts;
  private final CopyStanding standing;
  private final Map<Key, Pending> pending = new HashMap<>();
  private final ArrayDeque<Pending> waiting = new ArrayDeque<>();
  private int asked;
  private boolean held;
  private boolean timed;
  private long notBefore;
  private boolean closed;
  private volatile int size; // of what is pending, for other threads

  /** A key of a database. */
  private record Key(int database, byte[] bytes) {

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Key that
          && database == that.database
          && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
      return 31 * database + Arrays.hashCode(bytes);
    }
  }

  /** A key until it is copied. */
  private static final class Pending {

    final Key key;
    boolean asked;
    boolean again; // it differed since it was asked for
    int tries;
    @Nullable String error; // of a request of Penstock for it since it was asked for

    Pending(Key key) {
      this.key = key;
    }
  }

  /**
   * @param copy its number
   */
  KeyRepairs(int copy, Loop loop, Repairs repairs, CopyCounts counts, CopyStanding standing) {
    this.copy = copy;
    this.loop = loop;
    this.repairs = repairs;
    this.counts = counts;
    this.standing = standing;
    this.notBefore = loop.now();
  }

  /**
   * Has keys copied again.
   *
   * @param error with which a request was answered that may have been to copy them; null for none
   */
  void add(int database, List<byte[]> keys, @Nullable String error) {
    for (byte[] bytes : keys) {
      var key = new Key(database, bytes);
      Pending known = pending.get(key);
      if (known != null) {
        known.again = known.asked;
        known.error = known.asked && error != null ? error : known.error;
      } else if (pending.size() < MOST_KEYS) {
        var added = new Pending(key);
        pending.put(key, added);
        size = pending.size();
        waiting.add(added);
      } else {
        standing.lose("more than " + MOST_KEYS + " keys differ or may differ");
        break;
      }
    }
    ask();
  }

  /** Says why keys cannot be copied, if they just are. */
  void fail(int database, List<byte[]> keys, String error) {
    for (byte[] bytes : keys) {
      Pending known = pending.get(new Key(database, bytes));
      if (known != null && known.asked) {
        known.error = error;
      }
    }
  }

  /** The copy does not answer. */
  void hold() {
    held = true;
  }

  /** The copy answers again. */
  void release() {
    held = false;
    notBefore = loop.now() + PAUSE_NANOS;
    ask();
  }

  private void ask() {
    while (!held && !closed && asked < MOST_ASKED && !waiting.isEmpty()) {
      long rest = notBefore - loop.now();
      if (rest > 0) {
        askLater(rest);
        return;
      }
      Pending next = waiting.remove();
      next.asked = true;
      next.again = false;
      next.error = null;
      asked++;
      repairs.copyAgain(
          copy,
          next.key.database,
          List.of(next.key.bytes),
          copied -> loop.executor().execute(() -> onDone(next, copied)));
    }
  }

  private void askLater(long nanos) {
    if (!timed) {
      timed = true;
      Runnable task =
          () -> {
            timed = false;
            loop.tick();
            ask();
          };
      loop.executor().schedule(task, nanos, TimeUnit.NANOSECONDS);
    }
  }

  private void onDone(Pending key, boolean copied) {
    asked--;
    key.asked = false;
    String error = key.error;
    if (closed) {
      return;
    }
    if (copied) {
      counts.copiedAgain.increment();
      endOrRepeat(key);
    } else if (error != null) {
      lose(key, "a key cannot be copied: " + error);
    } else if (++key.tries >= MOST_TRIES) {
      lose(key, "a key could not be copied");
    } else {
      notBefore = loop.tick() + PAUSE_NANOS;
      waiting.add(key);
    }
    ask();
  }

  private void endOrRepeat(Pending key) {
    if (key.again) {
      waiting.add(key);
    } else {
      remove(key);
    }
  }

  private void remove(Pending key) {
    pending.remove(key.key);
    size = pending.size();
  }

  /** Returns how many keys are to be copied again. Safe from any thread. */
  int size() {
    return size;
  }

  private void lose(Pending key, String reason) {
    remove(key);
    standing.lose(reason);
  }

  void close() {
    closed = true;
    pending.clear();
    waiting.clear();
    size = 0;
  }
}
