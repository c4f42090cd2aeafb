package io.penstock.core.survey;

import io.penstock.core.command.HelloFacts;
import io.penstock.core.command.LearntCommands;
import io.penstock.core.command.ServerVersion;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What one node reports about itself.
 *
 * @param runId the node's run id, new with each start of the process; empty if the node does not
 *     report it
 * @param version Redis version; null if the node does not report it to this user
 * @param valkey Valkey version; null if the node is no Valkey
 * @param mode {@code cluster}, {@code standalone} or {@code sentinel}; empty if the node does not
 *     report it
 * @param hello what it tells about itself in {@code HELLO}
 * @param commandCount how many commands it has; -1 if the node does not report it
 * @param learnt its commands that the built-in table lacks; null if the node does not report its
 *     commands
 */
record ServerReport(
    String runId,
    @Nullable ServerVersion version,
    @Nullable ServerVersion valkey,
    String mode,
    HelloFacts hello,
    long commandCount,
    @Nullable LearntCommands learnt) {

  /** Returns the same report with what the node tells now in {@code HELLO}. */
  ServerReport with(HelloFacts now) {
    return new ServerReport(runId, version, valkey, mode, now, commandCount, learnt);
  }

  /**
   * Returns whether a node that now reports these values has the same commands as in this report.
   */
  boolean hasSameCommands(String run, @Nullable ServerVersion version, long commandCount) {
    return this.runId.equals(run)
        && this.commandCount == commandCount
        && Objects.equals(this.version, version);
  }
}
