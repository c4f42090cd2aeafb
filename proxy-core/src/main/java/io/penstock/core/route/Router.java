package io.penstock.core.route;

import io.penstock.core.command.Command;

/**
 * Decides where commands go. One per event loop; chosen at assembly by what is behind the proxy.
 */
public interface Router {

  /**
   * Looks the command up and says what to do with it. Allocates nothing for a command that goes to
   * one node.
   *
   * @param command its frame is set; it is resolved here
   */
  RoutePlan route(Command command);

  /**
   * Goes by what was found out about one request before, until it is told of another; {@link
   * KnownSlots#NONE} for none.
   */
  default void know(KnownSlots slots) {
    // A router that looks at no keys needs to know nothing.
  }
}
