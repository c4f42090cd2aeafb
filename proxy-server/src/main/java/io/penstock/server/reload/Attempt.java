package io.penstock.server.reload;

import io.penstock.core.change.ChangePlan.Step;
import io.penstock.server.change.ReloadOutcome;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One reload that has ended.
 *
 * @param at when it ended
 * @param reason why it was refused, without secrets; null if it was not
 * @param plan what was changed, or would have been; what needs a restart comes last
 */
record Attempt(
    Instant at, Trigger trigger, ReloadOutcome outcome, @Nullable String reason, List<Step> plan) {

  Attempt {
    plan = List.copyOf(plan);
  }
}
