package io.penstock.core.route;

import io.penstock.core.command.Command;
import io.penstock.core.command.CommandErrors;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.command.Handling;
import io.penstock.core.command.LocalCommand;
import java.util.HashMap;
import java.util.Map;

/** What all routers share: existence, arity and the decisions that need no keys. */
abstract sealed class CommandRouter implements Router permits ClusterRouter, SingleRouter {

  /**
   * Most arguments of a command that Penstock answers itself, but for names to subscribe to, and of
   * one that blocks: it is read and written several times.
   */
  private static final int MOST_OWN = 262_144;

  /** Of {@code CONFIG GET}: each argument takes some microseconds. */
  private static final int MOST_PARAMETERS = 16_384;

  private static final RoutePlan TOO_MANY =
      new RoutePlan.Reject(
          "OVERLOADED too many arguments for a command that this proxy answers itself");

  private static final RoutePlan TOO_MANY_FOR_BLOCKING =
      new RoutePlan.Reject("OVERLOADED too many arguments for a command that blocks");

  private static final RoutePlan.Single ANY_NODE = new RoutePlan.Single(RoutePlan.Single.ANY_NODE);

  private final Map<CommandSpec, RoutePlan> fixed = new HashMap<>();

  @Override
  public final RoutePlan route(Command command) {
    CommandSpec spec = command.resolve();
    if (spec == null) {
      return new RoutePlan.Reject(CommandErrors.unknownCommand(command.frame()));
    }
    if (command.isUnknownSubcommand()) {
      return new RoutePlan.Reject(CommandErrors.unknownSubcommand(command.frame(), spec));
    }
    if (!spec.acceptsArity(command.argc())) {
      return new RoutePlan.Reject(CommandErrors.wrongArity(spec));
    }
    if (!spec.acceptsPatterns(command.frame())) {
      return new RoutePlan.Reject(CommandErrors.PATTERN_TOO_LONG);
    }
    return switch (spec.handling()) {
      case Handling.Forward _ -> forward(command, spec);
      case Handling.Split split -> split(command, spec, split);
      case Handling.Watch _ ->
          forward(command, spec) instanceof RoutePlan.OneSlot one
              ? new RoutePlan.Watch(one.slot())
              : forward(command, spec);
      case Handling.Blocking blocking ->
          blocking(command, spec, blocking.timeoutAt(command.frame()), false);
      case Handling.BlockingIf blocking ->
          blocking(command, spec, blocking.timeoutAt(command.frame()), true);
      case Handling.AnyNode _ -> ANY_NODE;
      case Handling.Script _ -> script(command, spec);
      case Handling.Scan _ -> scan();
      case Handling.Publish(boolean sharded) ->
          new RoutePlan.Publish(slotOfChannel(command), sharded);
      case Handling.Local(LocalCommand own) when hasTooMany(own, command.argc()) -> TOO_MANY;
      case Handling.Broadcast _, Handling.Local _, Handling.Refused _ -> fixed(spec);
    };
  }

  private static boolean hasTooMany(LocalCommand own, int argc) {
    return argc > MOST_PARAMETERS
        && (own == LocalCommand.CONFIG_GET || argc > MOST_OWN)
        && own.area() != LocalCommand.Area.SUBSCRIPTION;
  }

  private RoutePlan blocking(Command command, CommandSpec spec, int timeoutAt, boolean millis) {
    if (command.argc() > MOST_OWN) {
      return TOO_MANY_FOR_BLOCKING;
    }
    RoutePlan plan = forward(command, spec);
    return timeoutAt > 0 && plan instanceof RoutePlan.OneSlot one
        ? new RoutePlan.Blocking(one.slot(), timeoutAt, millis)
        : plan;
  }

  private RoutePlan fixed(CommandSpec spec) {
    RoutePlan known = fixed.get(spec);
    if (known == null) {
      known = makeFixed(spec);
      fixed.put(spec, known);
    }
    return known;
  }

  private RoutePlan makeFixed(CommandSpec spec) {
    return switch (spec.handling()) {
      case Handling.Broadcast broadcast -> broadcast(spec, broadcast);
      case Handling.Local local -> new RoutePlan.Local(spec, local.command());
      case Handling.Refused refused -> new RoutePlan.Reject(refused.error());
      default -> throw new IllegalStateException(spec + " has no fixed plan");
    };
  }

  /** The plan for a command that goes to the node of its keys. */
  abstract RoutePlan forward(Command command, CommandSpec spec);

  /** The slot that decides where a message is published. */
  abstract int slotOfChannel(Command command);

  /** The plan for a command whose keys may lie on several nodes. */
  abstract RoutePlan split(Command command, CommandSpec spec, Handling.Split split);

  /** The plan for a command that carries a script. */
  abstract RoutePlan script(Command command, CommandSpec spec);

  /** The plan for a call of {@code SCAN}. */
  abstract RoutePlan scan();

  /** The plan for a command that concerns every shard. */
  abstract RoutePlan broadcast(CommandSpec spec, Handling.Broadcast broadcast);
}
