package io.penstock.server.mapping;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.core.acl.AclRuleException;
import io.penstock.core.acl.AclRules;
import io.penstock.core.acl.AclUser;
import io.penstock.core.command.CommandTable;
import io.penstock.core.users.UserSettings;
import io.penstock.core.users.UsersSettings;
import io.penstock.server.config.InvalidConfigurationException;
import io.penstock.server.config.PenstockProperties;
import io.penstock.server.config.PropertiesReader;
import io.penstock.server.secret.SecretFile;
import io.penstock.server.secret.SecretFileException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Maps the users of listeners to the core's settings. No message contains a password. */
final class UsersMapping {

  private static final String RULES_OR_FILE =
      "write rules, such as \"user app on >password ~app:* +@all -@dangerous\", or acl-file";

  private final PropertiesReader reader;
  private final UserOptionsMapping options;
  private final PenstockProperties.@Nullable Users ofAll;
  private final CommandTable commands = CommandTable.load();
  private @Nullable UsersSettings
      shared; // read once, for all listeners that have none of their own

  /**
   * @param ofAll the users of listeners that have none of their own; null if there are none
   */
  UsersMapping(PropertiesReader reader, PenstockProperties.@Nullable Users ofAll) {
    this.reader = reader;
    this.ofAll = ofAll;
    this.options = new UserOptionsMapping(reader);
  }

  /**
   * Returns who may connect to a listener; null if its password is all there is.
   *
   * @param prefix of the keys of the listener
   * @throws InvalidConfigurationException if a rule, a file or a setting is invalid
   */
  @Nullable UsersSettings map(PenstockProperties.Listener listener, String prefix) {
    PenstockProperties.Users own = listener.users();
    if (own == null && ofAll == null) {
      return null;
    }
    rejectPassword(prefix);
    if (own != null) {
      return read(own, prefix + "users");
    }
    UsersSettings known = shared;
    if (known == null && ofAll != null) {
      known = read(ofAll, "users");
      shared = known;
    }
    return known;
  }

  private void rejectPassword(String prefix) {
    for (String key : List.of("password", "password-file")) {
      if (reader.isSet(prefix + key)) {
        throw reader.invalid(
            prefix + key,
            "there are users, and each has its own passwords",
            "remove it, and write a rule: \"user default on >password ~* &* +@all\"");
      }
    }
  }

  private UsersSettings read(PenstockProperties.Users users, String section) {
    String file = users.aclFile();
    if (file != null && !users.rules().isEmpty()) {
      throw reader.invalid(
          section + ".acl-file",
          reader.written(section + ".rules") + " is set too",
          "remove one of them");
    }
    if (file == null && users.rules().isEmpty()) {
      String set = reader.firstSet(section);
      throw reader.invalid(set == null ? section : set, "there are no users", RULES_OR_FILE);
    }
    String key = section + ".settings.";
    Map<String, UserSettings> settings = new HashMap<>();
    users
        .settings()
        .forEach((name, each) -> settings.put(bytes(name), options.map(name, each, key + name)));
    List<AclUser> known = file == null ? inline(users, section) : ofFile(users, file, section);
    rejectUnknown(settings, known, key);
    return new UsersSettings(
        PropertiesReader.keyOf(section),
        known,
        file == null ? null : path(file, section),
        settings,
        users.passwordSelectsUser());
  }

  /** A misspelt name would let a user see all keys, or have Penstock's rights. */
  private void rejectUnknown(Map<String, UserSettings> settings, List<AclUser> known, String key) {
    settings.forEach((name, own) -> {
      boolean exists = known.stream().anyMatch(user -> user.name().equals(name));
      if (!exists && (own.keyPrefix() != null || own.passThrough())) {
        String text = new String(name.getBytes(ISO_8859_1), UTF_8);
        throw reader.invalid(
            key + text + (own.passThrough() ? ".pass-through" : ".key-prefix"),
            "there is no user " + text + ", so nobody would have it",
            "correct the name (in brackets if it has dots, colons or the like: \"[team:app]\"), or"
                + " add the user");
      }
    });
  }

  private Path path(String file, String section) {
    try {
      return Path.of(file.strip()).toAbsolutePath();
    } catch (InvalidPathException e) {
      throw reader.invalid(section + ".acl-file", "it is no path", "write the path of a file");
    }
  }

  private List<AclUser> inline(PenstockProperties.Users users, String section) {
    Map<String, AclUser> byName = new LinkedHashMap<>();
    for (int i = 0; i < users.rules().size(); i++) {
      AclUser user = user(users.rules().get(i), section + ".rules[" + i + "]");
      if (byName.putIfAbsent(user.name(), user) != null) {
        throw reader.invalid(
            section + ".rules[" + i + "]",
            "user " + user.name() + " is in the list twice",
            "write all rules of a user into one text");
      }
    }
    users
        .settings()
        .forEach((name, each) -> addPasswords(byName, name, each, section + ".settings." + name));
    return List.copyOf(byName.values());
  }

  private AclUser user(String line, String key) {
    List<String> words = Arrays.asList(bytes(line.strip()).split(" +"));
    if (words.size() < 2 || !words.getFirst().equals("user")) {
      throw reader.invalid(
          key,
          "it does not begin with the word user and the name of one",
          "write it as in an ACL file of Redis: user app on >password ~app:* +@all");
    }
    if (!AclRules.isUserName(words.get(1))) {
      throw reader.invalid(key, "the name of the user has white space", "write another name");
    }
    return changed(AclUser.created(words.get(1)), words.subList(2, words.size()), key);
  }

  private AclUser changed(AclUser user, List<String> rules, String key) {
    try {
      return AclRules.change(user, rules, commands);
    } catch (AclRuleException e) {
      throw reader.invalid(
          key,
          "user " + user.name() + ": " + reason(e),
          "correct the rule; docs/reference/users.md says where rules are described");
    }
  }

  /** Only the name of a command or category is no secret for sure. */
  private static String reason(AclRuleException e) {
    return e.isUnknownCommand() ? e.reason() + ": " + e.rule() : e.reason();
  }

  /** The core has one character per byte. */
  static String bytes(String text) {
    return new String(text.getBytes(UTF_8), ISO_8859_1);
  }

  private void addPasswords(
      Map<String, AclUser> byName, String name, PenstockProperties.UserOptions own, String key) {
    List<String> passwords = new ArrayList<>();
    for (int i = 0; i < own.passwordFiles().size(); i++) {
      String fileKey = key + ".password-files[" + i + "]";
      try {
        passwords.add(">" + bytes(SecretFile.read(own.passwordFiles().get(i))));
      } catch (SecretFileException e) {
        throw reader.invalid(fileKey, e.reason(), e.fix());
      }
    }
    if (passwords.isEmpty()) {
      return;
    }
    AclUser user = byName.get(bytes(name));
    if (user == null) {
      throw reader.invalid(
          key + ".password-files[0]",
          "there is no rule of user " + name,
          "add one to rules, such as \"user " + name + " on ~* &* +@all\"");
    }
    byName.put(user.name(), changed(user, passwords, key + ".password-files[0]"));
  }

  private List<AclUser> ofFile(PenstockProperties.Users users, String file, String section) {
    users
        .settings()
        .forEach((name, each) -> {
          if (!each.passwordFiles().isEmpty()) {
            throw reader.invalid(
                section + ".settings." + name + ".password-files[0]",
                "users of acl-file have their passwords there",
                "remove it, or use rules in place of acl-file");
          }
        });
    return new AclFileReader(reader, section + ".acl-file", commands).read(path(file, section));
  }
}
