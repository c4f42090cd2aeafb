package io.penstock.core.route;

import io.penstock.core.command.Command;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.command.Handling;

/** Routes for one server: keys need not be looked at. */
public final class SingleRouter extends CommandRouter {

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
   * it counts this proxy's connections clients are meant.
   */
  @Override
  RoutePlan broadcast(Handling.Broadcast how) {
    return how.aside() || how.merge().countsClients()
        ? new RoutePlan.Broadcast(how.merge(), how.aside())
        : THE_SERVER;
  }
}
