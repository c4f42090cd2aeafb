package io.penstock.core.command;

import java.util.Locale;

/**
 * The commands that Penstock answers itself. A constant's name is the command's, words joined by
 * {@code _}.
 */
public enum LocalCommand {
  PING(Area.CONNECTION),
  ECHO(Area.CONNECTION),
  QUIT(Area.CONNECTION),
  RESET(Area.CONNECTION),
  HELLO(Area.CONNECTION),
  AUTH(Area.CONNECTION),
  SELECT(Area.CONNECTION),
  CLIENT_ID(Area.CONNECTION),
  CLIENT_GETNAME(Area.CONNECTION),
  CLIENT_SETNAME(Area.CONNECTION),
  CLIENT_SETINFO(Area.CONNECTION),
  CLIENT_INFO(Area.CONNECTION),
  CLIENT_LIST(Area.CONNECTION),
  CLIENT_UNBLOCK(Area.CONNECTION),
  CLIENT_REPLY(Area.CONNECTION),
  CLIENT_NO_EVICT(Area.CONNECTION),
  CLIENT_NO_TOUCH(Area.CONNECTION),
  ACL_WHOAMI(Area.CONNECTION),
  COMMAND(Area.CONNECTION),
  COMMAND_COUNT(Area.CONNECTION),
  COMMAND_INFO(Area.CONNECTION),
  COMMAND_LIST(Area.CONNECTION),
  COMMAND_GETKEYS(Area.CONNECTION),
  MULTI(Area.TRANSACTION),
  EXEC(Area.TRANSACTION),
  DISCARD(Area.TRANSACTION),
  SUBSCRIBE(Area.SUBSCRIPTION),
  UNSUBSCRIBE(Area.SUBSCRIPTION),
  PSUBSCRIBE(Area.SUBSCRIPTION),
  PUNSUBSCRIBE(Area.SUBSCRIPTION),
  SSUBSCRIBE(Area.SUBSCRIPTION),
  SUNSUBSCRIBE(Area.SUBSCRIPTION);

  /** Which part of a session answers. */
  public enum Area {
    /** About the client's own connection, and about commands. */
    CONNECTION,
    /** Beginning and ending of transactions. */
    TRANSACTION,
    /** What the client listens to. */
    SUBSCRIPTION
  }

  private final Area area;

  LocalCommand(Area area) {
    this.area = area;
  }

  public Area area() {
    return area;
  }

  /**
   * The constant for a command's name.
   *
   * @throws IllegalArgumentException when Penstock does not answer that command itself
   */
  static LocalCommand named(String command) {
    return valueOf(command.toUpperCase(Locale.ROOT).replace('|', '_').replace('-', '_'));
  }
}
