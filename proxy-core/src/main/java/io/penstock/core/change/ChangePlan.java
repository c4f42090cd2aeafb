package io.penstock.core.change;

import java.util.List;

/**
 * What a change of the settings does to a running proxy. Immutable.
 *
 * @param steps in the order in which they are applied; empty if nothing differs
 */
public record ChangePlan(List<Step> steps) {

  public ChangePlan {
    steps = List.copyOf(steps);
  }

  /** What happens to a part of the proxy. */
  public enum Action {
    /** It did not exist. */
    ADD,
    /** It changes, and its clients stay connected. */
    CHANGE,
    /** It goes away: its clients are closed after their last reply. */
    DRAIN,
    /** It stays as it is until Penstock is restarted. */
    RESTART
  }

  /**
   * One step.
   *
   * @param subject such as {@code listener main}
   * @param what differs, such as {@code password, max-clients}; without values; empty if the
   *     subject is new or goes away
   */
  public record Step(Action action, String subject, String what) {}

  /** Returns whether nothing differs. */
  public boolean isEmpty() {
    return steps.isEmpty();
  }
}
