package io.penstock.core.command;

import io.penstock.core.spec.AclCategory;
import io.penstock.core.spec.CommandFacts;
import io.penstock.core.spec.CommandFlag;
import io.penstock.core.spec.KeySpec;
import io.penstock.core.spec.ResponsePolicy;
import org.jspecify.annotations.Nullable;

/**
 * What Penstock does with commands that neither of its two resource files knows, by what a server
 * says about them. Whoever writes {@code handling.table} decides better; so what a known
 * container's line says of all its subcommands holds for new ones too.
 */
final class LearntHandling {

  private LearntHandling() {}

  /**
   * The decision.
   *
   * @param container what the known container's line decides about a new subcommand, or null
   * @param divided whether commands must find the node of their keys
   */
  static Handling of(CommandFacts command, @Nullable Handling container, boolean divided) {
    if (container != null) {
      return container;
    }
    if (command.flags().contains(CommandFlag.BLOCKING)) {
      return refused(command, "it may block, and Penstock does not know how it ends");
    }
    if (command.flags().contains(CommandFlag.PUBSUB)) {
      return refused(command, "Penstock does not know how it changes subscriptions");
    }
    if (!command.keySpecs().isEmpty() || command.flags().contains(CommandFlag.MOVABLEKEYS)) {
      boolean findable = command.keySpecs().stream().anyMatch(KeySpec::isLocatable);
      return findable || !divided
          ? new Handling.Forward()
          : refused(command, "the servers do not say which of its arguments are keys");
    }
    if (command.acl().contains(AclCategory.CONNECTION)) {
      return refused(command, "it acts on a connection to a server, and those are shared");
    }
    return divided ? byPolicies(command) : new Handling.AnyNode();
  }

  private static Handling byPolicies(CommandFacts command) {
    return switch (command.requestPolicy()) {
      case DEFAULT -> new Handling.AnyNode();
      case ALL_NODES, ALL_SHARDS -> {
        Merge merge =
            command.name().equals("commandlog|get") // Valkey's second kind of slow log
                ? Merge.NEWEST
                : merge(command.responsePolicy());
        yield merge == null
            ? refused(command, "Penstock does not know how to merge what all nodes reply")
            : new Handling.Broadcast(merge, false);
      }
      case MULTI_SHARD, SPECIAL ->
          refused(command, "Penstock does not know which nodes it would have to ask");
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

  /** Why it is refused unless it is allowed by configuration; null when it is not. */
  static @Nullable String denialError(CommandFacts command) {
    boolean dangerous =
        command.acl().contains(AclCategory.DANGEROUS)
            || command.flags().contains(CommandFlag.ADMIN);
    return dangerous ? CommandRules.notAllowed(command, "the servers call it dangerous") : null;
  }

  private static Handling refused(CommandFacts command, String reason) {
    return new Handling.Rejected(CommandRules.notSupported(command, reason));
  }
}
