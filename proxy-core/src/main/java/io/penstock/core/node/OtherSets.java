package io.penstock.core.node;

import io.penstock.core.backend.BackendContext;
import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.backend.NodeCounters;
import io.penstock.core.upstream.Endpoint;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The connection sets of a node besides the plain one: by database, and for reads from replicas. A
 * set is made when first needed, and closed when it has been idle for long. Confined to one loop.
 */
final class OtherSets {

  /** More sets than this are not open at the same time. */
  static final int MAX_SETS = 64;

  /** A set that has been idle for this long is closed. */
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private static final ConnectionSet[] NONE = {};

  private final Endpoint node;
  private final BackendContext backend;
  private final NodeCounters counters;
  private ConnectionSet[] sets = NONE; // few, and the one used last comes first

  OtherSets(Endpoint node, BackendContext backend, NodeCounters counters) {
    this.node = node;
    this.backend = backend;
    this.counters = counters;
  }

  /**
   * Returns a set, which is made if necessary.
   *
   * @return null if there are too many, all in use
   */
  @Nullable ConnectionSet get(ConnectionKey key) {
    ConnectionSet[] known = sets;
    for (int i = 0; i < known.length; i++) {
      ConnectionSet set = known[i];
      if (set.key().equals(key)) {
        if (i > 0) { // moves to the front
          System.arraycopy(known, 0, known, 1, i);
          known[0] = set;
        }
        set.usedAt(backend.loop().now());
        return set;
      }
    }
    return add(key);
  }

  private @Nullable ConnectionSet add(ConnectionKey key) {
    if (sets.length >= MAX_SETS && !closeOneIdle()) {
      return null;
    }
    var made = new ConnectionSet(key, node, backend, counters);
    made.usedAt(backend.loop().now());
    ConnectionSet[] more = new ConnectionSet[sets.length + 1];
    more[0] = made;
    System.arraycopy(sets, 0, more, 1, sets.length);
    sets = more;
    return made;
  }

  /** Closes the set that has not been used for longest and has nothing pending. */
  private boolean closeOneIdle() {
    for (int i = sets.length - 1; i >= 0; i--) {
      if (!sets[i].hasPending()) {
        close(sets[i]);
        return true;
      }
    }
    return false;
  }

  /** Closes what has been idle for long. */
  void closeIdle(long now) {
    for (ConnectionSet set : sets) {
      if (now - set.usedAt() > IDLE_NANOS && !set.hasPending()) {
        close(set);
      }
    }
  }

  private void close(ConnectionSet set) {
    sets = Arrays.stream(sets).filter(other -> other != set).toArray(ConnectionSet[]::new);
    set.close();
  }

  void collect(List<BackendConnection> into) {
    for (ConnectionSet set : sets) {
      set.collect(into);
    }
  }
}
