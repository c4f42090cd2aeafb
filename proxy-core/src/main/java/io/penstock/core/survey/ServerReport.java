package io.penstock.core.survey;

import io.penstock.core.command.LearntCommands;
import io.penstock.core.command.ServerVersion;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What one node says about itself.
 *
 * @param runId tells one start of the server from the next, as far as it may be known
 * @param version null when the node does not tell this user
 * @param valkey its version by Valkey's count; null when it is none
 * @param mode {@code cluster}, {@code standalone} or {@code sentinel}; empty when it does not tell
 * @param commandCount how many commands it has, -1 when it does not tell
 * @param learnt what it has beyond the built-in table; null when it does not tell
 */
record ServerReport(
    String runId,
    @Nullable ServerVersion version,
    @Nullable ServerVersion valkey,
    String mode,
    long commandCount,
    @Nullable LearntCommands learnt) {

  /** Whether a node that now says this has the commands that it had when it gave this report. */
  boolean hasSameCommands(String run, @Nullable ServerVersion version, long commandCount) {
    return this.runId.equals(run)
        && this.commandCount == commandCount
        && Objects.equals(this.version, version);
  }
}
