package io.penstock.core.answer;

import io.penstock.core.command.Command;
import io.penstock.core.reply.ErrorReplies;
import org.jspecify.annotations.Nullable;

/**
 * The options behind the version in a {@code HELLO}.
 *
 * @param userAt argument index of the user, followed by the password; 0 without AUTH
 * @param name the name of SETNAME, or null
 * @param error the error in the options, or null
 */
record HelloOptions(int userAt, @Nullable String name, @Nullable String error) {

  static HelloOptions read(Command command) {
    int userAt = 0;
    String name = null;
    int argc = command.argc();
    for (int i = 2; i < argc; i++) {
      if (command.argEqualsIgnoreCase(i, "auth") && i + 2 < argc) {
        userAt = i + 1;
        i += 2;
      } else if (command.argEqualsIgnoreCase(i, "setname") && i + 1 < argc) {
        name = command.frame().text(++i);
        if (!ClientCommands.isPrintable(name)) {
          return new HelloOptions(0, null, ClientCommands.BAD_NAME);
        }
      } else {
        String option = command.frame().text(i);
        return new HelloOptions(
            0, null, "ERR Syntax error in HELLO option " + ErrorReplies.quoted(option));
      }
    }
    return new HelloOptions(userAt, name, null);
  }

  /** Argument index of the password; 0 without AUTH. */
  int passwordAt() {
    return hasCredentials() ? userAt + 1 : 0;
  }

  boolean hasCredentials() {
    return userAt > 0;
  }
}
