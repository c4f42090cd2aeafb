package io.penstock.core.command;

import java.util.Locale;

/**
 * The commands that Penstock answers itself. A constant's name is the command's, words joined by
 * {@code _}.
 */
public enum LocalCommand {
  PING,
  ECHO,
  QUIT,
  RESET,
  HELLO,
  AUTH,
  SELECT,
  CLIENT_ID,
  CLIENT_GETNAME,
  CLIENT_SETNAME,
  CLIENT_SETINFO,
  CLIENT_INFO,
  CLIENT_LIST,
  CLIENT_REPLY,
  CLIENT_NO_EVICT,
  CLIENT_NO_TOUCH,
  COMMAND,
  COMMAND_COUNT,
  COMMAND_INFO,
  COMMAND_LIST,
  COMMAND_GETKEYS;

  /**
   * The constant for a command's name.
   *
   * @throws IllegalArgumentException when Penstock does not answer that command itself
   */
  static LocalCommand named(String command) {
    return valueOf(command.toUpperCase(Locale.ROOT).replace('|', '_').replace('-', '_'));
  }
}
