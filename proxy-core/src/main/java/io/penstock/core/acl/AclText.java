package io.penstock.core.acl;

import io.penstock.core.acl.AclSelector.KeyPattern;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/**
 * Writes users as {@code ACL LIST} and {@code ACL GETUSER} show them, as Redis from 7.2 on. All
 * texts have one character per byte (ISO-8859-1).
 */
public final class AclText {

  private AclText() {}

  /**
   * Returns the line of {@code ACL LIST} and of an ACL file: {@code user NAME RULE …}. It has the
   * hashes of passwords.
   */
  public static String line(AclUser user) {
    StringJoiner line = new StringJoiner(" ");
    line.add("user").add(user.name());
    flags(user).forEach(line::add);
    user.passwords().forEach(hash -> line.add("#" + hash));
    for (int i = 0; i < user.selectors().size(); i++) {
      String rules = rules(user.selectors().get(i));
      line.add(i == 0 ? rules : "(" + rules + ")");
    }
    return line.toString();
  }

  private static String rules(AclSelector selector) {
    StringJoiner rules = new StringJoiner(" ");
    selector.keys().forEach(pattern -> rules.add(text(pattern)));
    if (!selector.allChannels()) {
      rules.add("resetchannels");
    }
    selector.channels().forEach(channel -> rules.add("&" + channel));
    return rules.add(commands(selector)).toString();
  }

  /** Returns the field {@code flags} of {@code GETUSER}. */
  public static List<String> flags(AclUser user) {
    List<String> flags = new ArrayList<>();
    flags.add(user.enabled() ? "on" : "off");
    if (user.noPassword()) {
      flags.add("nopass");
    }
    flags.add(user.sanitizesPayloads() ? "sanitize-payload" : "skip-sanitize-payload");
    return flags;
  }

  /** Returns the field {@code commands} of a selector in {@code GETUSER}. */
  public static String commands(AclSelector selector) {
    return String.join(" ", selector.commands());
  }

  /** Returns the field {@code keys} of a selector in {@code GETUSER}. */
  public static String keys(AclSelector selector) {
    StringJoiner keys = new StringJoiner(" ");
    selector.keys().forEach(pattern -> keys.add(text(pattern)));
    return keys.toString();
  }

  /** Returns the field {@code channels} of a selector in {@code GETUSER}. */
  public static String channels(AclSelector selector) {
    StringJoiner channels = new StringJoiner(" ");
    selector.channels().forEach(channel -> channels.add("&" + channel));
    return channels.toString();
  }

  private static String text(KeyPattern pattern) {
    if (pattern.read() && pattern.write()) {
      return "~" + pattern.pattern();
    }
    return (pattern.read() ? "%R~" : "%W~") + pattern.pattern();
  }
}
