package io.penstock.core.command;

import io.penstock.core.spec.AclCategory;
import io.penstock.core.spec.CommandFacts;
import io.penstock.core.spec.CommandFlag;
import io.penstock.core.spec.Handling;
import io.penstock.core.spec.KeySpec;
import io.penstock.core.spec.Merge;
import io.penstock.core.spec.ResponsePolicy;
import org.jspecify.annotations.Nullable;

/**
 * Decides the handling of commands that are in neither resource file, by the facts that a server
 * reports. A line of {@code handling.table} takes precedence: if a container's line covers all of
 * its subcommands, it covers new ones too.
 */
final class LearntHandling {

  private LearntHandling() {}

  /**
   * Returns the handling of a learnt command.
   *
   * @param container the handling by the line of its container, or null
   * @param divided whether there are several partitions, so that commands are routed by their keys
   */
  static Handling of(CommandFacts command, @Nullable Handling container, boolean divided) {
    if (container != null) {
      return container;
    }
    if (command.flags().contains(CommandFlag.BLOCKING)) {
      return rejected(command, "it may block, and Penstock does not know how to end it");
    }
    if (command.flags().contains(CommandFlag.PUBSUB)) {
      return rejected(command, "Penstock does not know how it changes subscriptions");
    }
    if (!command.keySpecs().isEmpty() || command.flags().contains(CommandFlag.MOVABLEKEYS)) {
      boolean findable = command.keySpecs().stream().anyMatch(KeySpec::isLocatable);
      return findable || !divided
          ? new Handling.Forward()
          : rejected(command, "servers do not report which of its arguments are keys");
    }
    if (command.acl().contains(AclCategory.CONNECTION)) {
      return rejected(command, "it acts on the connection, and connections to nodes are shared");
    }
    return divided ? byPolicies(command) : new Handling.AnyNode();
  }

  private static Handling byPolicies(CommandFacts command) {
    return switch (command.requestPolicy()) {
      case DEFAULT -> new Handling.AnyNode();
      case ALL_NODES, ALL_SHARDS -> {
        Merge merge = merge(command.responsePolicy());
        yield merge == null
            ? rejected(command, "Penstock does not know how to merge the replies of all nodes")
            : new Handling.Broadcast(merge, false);
      }
      case MULTI_SHARD, SPECIAL ->
          rejected(command, "Penstock does not know which nodes to send it to");
    };
  }

  private static @Nullable Merge merge(ResponsePolicy policy) {
    return switch (policy) {
      case DEFAULT -> Merge.CONCAT;
      case ALL_SUCCEEDED -> Merge.ALL_SUCCEEDED;
      case ONE_SUCCEEDED -> Merge.ONE_SUCCEEDED;
      case AGG_SUM -> Merge.SUM;
      case AGG_MIN -> Merge.MIN;
      case AGG_LOGICAL_AND, AGG_LOGICAL_OR, AGG_MAX, SPECIAL -> null;
    };
  }

  /**
   * Returns the error line that rejects the command unless the configuration allows it; null if
   * there is none.
   */
  static @Nullable String denialError(CommandFacts command) {
    boolean dangerous =
        command.acl().contains(AclCategory.DANGEROUS)
            || command.flags().contains(CommandFlag.ADMIN);
    return dangerous ? CommandRules.notAllowed(command, "servers flag it as dangerous") : null;
  }

  private static Handling rejected(CommandFacts command, String reason) {
    return new Handling.Rejected(CommandRules.notSupported(command, reason));
  }
}
