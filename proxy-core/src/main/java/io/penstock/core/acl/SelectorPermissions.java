package io.penstock.core.acl;

import io.penstock.core.acl.AclSelector.KeyPattern;
import io.penstock.core.command.CommandTable;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandSpec;
import java.util.List;

/** What one selector permits, compiled for one command table. Immutable. */
final class SelectorPermissions {

  private static final String ALL = "*";

  private static final ThreadLocal<KeyAccesses> FOUND =
      ThreadLocal.withInitial(KeyAccesses::new); // of requests that may have several keys

  private final TableKeys table;
  private final CommandPermissions commands;
  private final boolean allKeys;
  private final boolean mayReadAllKeys;
  private final NamePatterns keys;
  private final boolean allChannels;
  private final NamePatterns channels;

  private SelectorPermissions(AclSelector selector, CommandPermissions commands, TableKeys table) {
    this.table = table;
    this.commands = commands;
    List<KeyPattern> patterns = selector.keys();
    byte[] accesses = new byte[patterns.size()];
    boolean readsAll = false;
    for (int i = 0; i < accesses.length; i++) {
      KeyPattern pattern = patterns.get(i);
      accesses[i] = access(pattern);
      readsAll |= pattern.read() && pattern.pattern().equals(ALL);
    }
    allKeys = selector.allKeys();
    mayReadAllKeys = readsAll;
    keys = new NamePatterns(patterns.stream().map(KeyPattern::pattern).toList(), accesses);
    allChannels = selector.allChannels();
    channels = new NamePatterns(selector.channels(), new byte[selector.channels().size()]);
  }

  static SelectorPermissions of(AclSelector selector, CommandTable table, TableKeys keys) {
    var commands = CommandPermissions.of(selector.commands(), table);
    return new SelectorPermissions(selector, commands, keys);
  }

  private static byte access(KeyPattern pattern) {
    return (byte)
        ((pattern.read() ? KeyAccesses.READ : 0) | (pattern.write() ? KeyAccesses.WRITE : 0));
  }

  boolean permitsEverything() {
    return commands.permitsEverything() && allKeys && allChannels;
  }

  boolean hasAllKeys() {
    return allKeys;
  }

  boolean mayReadAllKeys() {
    return mayReadAllKeys;
  }

  /**
   * Checks a request whose arity is accepted.
   *
   * @return {@link Permissions#PERMITTED}, or the reason in the lower half and the argument in the
   *     upper one
   */
  long check(RequestFrame frame, CommandSpec spec) {
    if (!commands.permits(frame, spec)) {
      return Permissions.COMMAND;
    }
    if (!allKeys) {
      int denied = deniedKey(frame, spec);
      if (denied >= 0) {
        return result(Permissions.KEY, denied);
      }
    }
    int end = allChannels ? 0 : table.endOfChannels(frame, spec);
    for (int i = 1; i < end; i++) {
      if (!permitsChannel(frame, i, table.areChannelPatterns(spec))) {
        return result(Permissions.CHANNEL, i);
      }
    }
    return Permissions.PERMITTED;
  }

  private static long result(int reason, int argument) {
    return (long) argument << Integer.SIZE | reason;
  }

  /** Returns the argument index of the first key that is not permitted; negative if all are. */
  private int deniedKey(RequestFrame frame, CommandSpec spec) {
    int access = table.keys(spec);
    if (access >= 0) {
      int key = spec.firstKeyIndex();
      return keys.permit(frame, key, access) ? -1 : key;
    }
    return access == TableKeys.NO_KEYS ? -1 : deniedKey(frame, spec, FOUND.get());
  }

  private int deniedKey(RequestFrame frame, CommandSpec spec, KeyAccesses found) {
    if (!found.find(frame, spec, table.accesses(spec))) {
      return 0; // they may be anywhere
    }
    for (int i = 0; i < found.size(); i++) {
      if (!keys.permit(frame, found.position(i), found.access(i))) {
        return found.position(i);
      }
    }
    return -1;
  }

  private boolean permitsChannel(RequestFrame frame, int argument, boolean isPattern) {
    return isPattern ? channels.contain(frame, argument) : channels.permit(frame, argument, 0);
  }

  /** Returns whether a channel or, literally, a pattern of channels is permitted. */
  boolean permitsChannel(String channel, boolean isPattern) {
    return allChannels || channels.permit(channel, isPattern);
  }
}
