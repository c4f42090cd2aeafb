package io.penstock.core.copies;

import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether a copy lacks something that only a resync brings. Safe from any thread. */
final class CopyStanding {

  private static final Logger log = LoggerFactory.getLogger(CopyStanding.class);

  private final String name;
  private final AtomicReference<State> state = new AtomicReference<>(new State(0, null, null));

  /**
   * The state at one moment.
   *
   * @param losses how often something was lost so far
   * @param since null if it is level
   * @param reason the first one since it was level
   */
  record State(long losses, @Nullable Instant since, @Nullable String reason) {

    private State withLoss(Instant now, String why) {
      return since == null ? new State(losses + 1, now, why) : new State(losses + 1, since, reason);
    }
  }

  /**
   * @param name of the copy
   */
  CopyStanding(String name) {
    this.name = name;
  }

  State state() {
    return state.get();
  }

  /** Something was lost: the copy is behind from now on. */
  void lose(String reason) {
    Instant now = Instant.now();
    State before = state.getAndUpdate(old -> old.withLoss(now, reason));
    if (before.since == null) {
      log.warn("Copy {} is behind, until it is resynchronized: {}", name, reason);
    }
  }

  /** Says that the copy is level, unless something was lost since {@code losses} were counted. */
  boolean markLevel(long losses) {
    State before =
        state.getAndUpdate(old -> old.losses == losses ? new State(losses, null, null) : old);
    boolean level = before.losses == losses;
    if (level && before.since != null) {
      log.info("Copy {} is level again; it was behind since {}", name, before.since);
    }
    return level;
  }
}
