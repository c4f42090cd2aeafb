package io.penstock.core.acl;

import io.penstock.core.command.CommandTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Reads and writes ACL files: a line {@code user NAME RULE …} for each user, and empty lines. All
 * texts have one character per byte (ISO-8859-1).
 */
public final class AclFile {

  private static final String NO_CHANGE =
      "WARNING: ACL errors detected, no change to the previously active ACL rules was performed";

  private final String name;
  private final CommandTable table;
  private final List<AclUser> users = new ArrayList<>();
  private final Set<String> names = new HashSet<>();
  private final StringBuilder errors = new StringBuilder();

  private AclFile(String name, CommandTable table) {
    this.name = name;
    this.table = table;
  }

  /**
   * Reads a file.
   *
   * @param text what it contains
   * @param name its path, for errors
   * @return the users in the file's order; without {@code default} if the file has none
   * @throws AclFileException with all errors
   */
  public static List<AclUser> read(String text, String name, CommandTable table)
      throws AclFileException {
    var file = new AclFile(name, table);
    String[] lines = text.split("\n", -1);
    for (int i = 0; i < lines.length; i++) {
      String line = trim(lines[i], " \t\r\n");
      if (!line.isEmpty()) {
        file.readLine(line, i + 1);
      }
    }
    if (!file.errors.isEmpty()) {
      throw new AclFileException(file.errors.append(NO_CHANGE).toString());
    }
    return List.copyOf(file.users);
  }

  /** Returns the text of a file with these users. */
  public static String write(Collection<AclUser> users) {
    StringBuilder text = new StringBuilder();
    for (AclUser user : users) {
      text.append(AclText.line(user)).append('\n');
    }
    return text.toString();
  }

  /** One or more errors in a file. The message is the server's: all of them in one line. */
  public static final class AclFileException extends Exception {

    private static final long serialVersionUID = 1L;

    AclFileException(String message) {
      super(message);
    }
  }

  private void readLine(String line, int number) {
    List<String> words = Arrays.asList(line.split(" ", -1));
    if (!words.getFirst().equals("user") || words.size() < 2) {
      error(number, " should start with user keyword followed by the username. ");
      return;
    }
    String user = words.get(1);
    if (RuleWords.hasSpaces(user)) {
      errors.append('\'');
      error(number, ": username '" + user + "' contains invalid characters. ");
    } else if (!names.add(user)) {
      errors
          .append("WARNING: Duplicate user '")
          .append(user)
          .append("' found on line ")
          .append(number)
          .append(". ");
    } else {
      readRules(user, words.subList(2, words.size()), number);
    }
  }

  private void readRules(String name, List<String> words, int number) {
    List<String> rules;
    try {
      rules = RuleWords.joinSelectors(words);
    } catch (AclRuleException _) {
      error(number, ": Unmatched parenthesis in selector definition.");
      return;
    }
    AclUser user = AclUser.created(name);
    boolean wrong = false;
    for (String rule : rules) {
      try {
        user = AclRules.change(user, List.of(trim(rule, "\t\r\n")), table);
      } catch (AclRuleException e) {
        // As on a server: what is unknown is named, the rest may be a password.
        if (e.isUnknownCommand()) {
          error(number, ": Error in applying operation '" + e.rule() + "': " + e.reason() + ". ");
        } else if (!wrong) {
          error(number, ": " + e.reason() + ". ");
          wrong = true;
        }
      }
    }
    users.add(user);
  }

  private void error(int number, String text) {
    errors.append(name).append(':').append(number).append(text);
  }

  private static String trim(String text, String characters) {
    int start = 0;
    int end = text.length();
    while (start < end && characters.indexOf(text.charAt(start)) >= 0) {
      start++;
    }
    while (end > start && characters.indexOf(text.charAt(end - 1)) >= 0) {
      end--;
    }
    return text.substring(start, end);
  }
}
