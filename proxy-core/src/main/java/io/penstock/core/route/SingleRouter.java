package io.penstock.core.route;

import io.penstock.core.command.Command;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.command.Handling;
import java.util.Set;

/** Routes for one server: keys need not be looked at. */
public final class SingleRouter extends CommandRouter {

  /** What is about Penstock's own parameters and figures as well. */
  private static final Set<String> TAKES_PART = Set.of("config|set", "config|resetstat");

  private static final RoutePlan.Single THE_SERVER = new RoutePlan.Single(0);

  @Override
  RoutePlan forward(Command command, CommandSpec spec) {
    return THE_SERVER;
  }

  @Override
  int slotOfChannel(Command command) {
    return THE_SERVER.slot();
  }

  @Override
  RoutePlan split(Command command, CommandSpec spec, Handling.Split split) {
    return THE_SERVER;
  }

  @Override
  RoutePlan script(Command command, CommandSpec spec) {
    return THE_SERVER;
  }

  @Override
  RoutePlan scan() {
    return THE_SERVER;
  }

  /**
   * The server answers itself; but what must get past a running script needs its own way, and where
   * it counts this proxy's connections clients are meant, and Penstock takes part in some.
   */
  @Override
  RoutePlan broadcast(CommandSpec spec, Handling.Broadcast how) {
    return how.aside() || how.merge().countsClients() || TAKES_PART.contains(spec.name())
        ? new RoutePlan.Broadcast(how.merge(), how.aside())
        : THE_SERVER;
  }
}
