package io.penstock.core.tcp;

import java.util.function.IntUnaryOperator;

/**
 * One choice of a server, as nginx' stream module makes it. Works on copies of the table and of the
 * attempt: whoever publishes the table may have to choose again.
 */
final class Selection {

  /** Returned if no server can be had. */
  static final int NONE = -1;

  /** After so many places of a hash, or random servers, that are out, servers take turns. */
  private static final int MOST_TRIES = 20;

  private static final int WHOLE = 1000;

  private final PeerTable table;
  private final PeerTable.Layout layout;
  private final Attempt attempt;
  private final long now;
  private final IntUnaryOperator random;

  /**
   * @param now in milliseconds
   * @param random returns a number below its argument
   */
  Selection(PeerTable table, Attempt attempt, long now, IntUnaryOperator random) {
    this.table = table;
    this.layout = table.layout();
    this.attempt = attempt;
    this.now = now;
    this.random = random;
  }

  /** Returns the server, which has one connection more then, or {@link #NONE}. */
  int choose() {
    int chosen = layout.isSingle() ? single() : balanced();
    if (chosen != NONE) {
      PeerState state = table.state(chosen);
      if (now - state.checked > layout.server(chosen).failTimeout().toMillis()) {
        state.checked = now;
      }
      state.connections++;
      attempt.tried.set(chosen);
    }
    return chosen;
  }

  private int single() {
    return table.isUp(0, now) && !isFull(0) ? 0 : NONE;
  }

  private int balanced() {
    return switch (layout.settings().balance()) {
      case ROUND_ROBIN -> orBackup(roundRobin(layout.primary()), this::roundRobin);
      case LEAST_CONNECTIONS ->
          orBackup(leastConnections(layout.primary()), this::leastConnections);
      case RANDOM -> random();
      case RANDOM_TWO -> randomTwo();
      case HASH -> hash();
      case CONSISTENT_HASH -> consistentHash();
    };
  }

  private interface Choice {
    int of(int[] group);
  }

  private int orBackup(int chosen, Choice choice) {
    return chosen == NONE ? choice.of(layout.backup()) : chosen;
  }

  private boolean isOut(int index) {
    return attempt.tried.get(index) || !table.isUp(index, now) || isFull(index);
  }

  private boolean isFull(int index) {
    int most = layout.server(index).maxConnections();
    return most > 0 && table.state(index).connections >= most;
  }

  /** Returns how much of its weight a server has, in thousandths: it grows after a recovery. */
  private long share(int index) {
    long slowStart = layout.server(index).slowStart().toMillis();
    long elapsed = now - table.state(index).recovered;
    return elapsed >= slowStart ? WHOLE : Math.max(1, elapsed * WHOLE / slowStart);
  }

  private int roundRobin(int[] group) {
    int best = NONE;
    long total = 0;
    for (int index : group) {
      if (!isOut(index)) {
        total += turn(index);
        if (best == NONE || table.state(index).current > table.state(best).current) {
          best = index;
        }
      }
    }
    if (best != NONE) {
      table.state(best).current -= total;
    }
    return best;
  }

  /** Raises the current weight of a server by its effective weight, which is returned. */
  private long turn(int index) {
    PeerState state = table.state(index);
    long weight = state.effective * share(index);
    state.current += weight;
    if (state.effective < layout.server(index).weight()) {
      state.effective++;
    }
    return weight;
  }

  private int leastConnections(int[] group) {
    int best = NONE;
    boolean several = false;
    for (int index : group) {
      if (isOut(index)) {
        continue;
      }
      int order = best == NONE ? -1 : compareLoad(index, best);
      if (order < 0) {
        best = index;
        several = false;
      } else if (order == 0) {
        several = true;
      }
    }
    return several ? amongEqual(group, best) : best;
  }

  private int amongEqual(int[] group, int first) {
    int best = first;
    long total = 0;
    for (int index : group) {
      if (index >= first && !isOut(index) && compareLoad(index, best) == 0) {
        total += turn(index);
        if (table.state(index).current > table.state(best).current) {
          best = index;
        }
      }
    }
    table.state(best).current -= total;
    return best;
  }

  /** Compares the connections of two servers for their weights. */
  private int compareLoad(int one, int other) {
    return Long.compare(
        table.state(one).connections * weight(other), table.state(other).connections * weight(one));
  }

  private long weight(int index) {
    return layout.server(index).weight() * share(index);
  }

  private int random() {
    while (attempt.tries <= MOST_TRIES) {
      int index = at(random.applyAsInt(layout.totalWeight()));
      if (!isOut(index)) {
        return index;
      }
      attempt.tries++;
    }
    return roundRobin(layout.primary());
  }

  private int randomTwo() {
    int first = NONE;
    while (attempt.tries <= MOST_TRIES) {
      int index = at(random.applyAsInt(layout.totalWeight()));
      if (index == first || isOut(index)) {
        attempt.tries++;
      } else if (first == NONE) {
        first = index;
      } else {
        return compareLoad(index, first) > 0 ? first : index;
      }
    }
    return roundRobin(layout.primary());
  }

  private int hash() {
    while (attempt.tries <= MOST_TRIES) {
      String before = attempt.rehash == 0 ? "" : Integer.toString(attempt.rehash);
      attempt.hash += (int) (attempt.crc(before) >> 16) & 0x7fff;
      attempt.rehash++;
      int index = at(Integer.remainderUnsigned(attempt.hash, layout.totalWeight()));
      if (!isOut(index)) {
        return index;
      }
      attempt.tries++;
    }
    return roundRobin(layout.primary());
  }

  /** Returns the server at a place of the sum of all weights. */
  private int at(int place) {
    int rest = place;
    for (int index : layout.primary()) {
      rest -= layout.server(index).weight();
      if (rest < 0) {
        return index;
      }
    }
    throw new IllegalArgumentException("not below the sum of the weights");
  }

  private int consistentHash() {
    HashRing ring = layout.ring();
    while (ring != null && attempt.tries <= MOST_TRIES) {
      int index = ring.owner(attempt.hash);
      if (!isOut(index)) {
        return index;
      }
      attempt.hash++;
      attempt.tries++;
    }
    return roundRobin(layout.primary());
  }
}
