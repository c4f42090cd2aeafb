package io.penstock.core.acl;

import io.netty.buffer.ByteBuf;
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
  private final NamePattern[] keys;
  private final int[] accesses; // of each pattern of keys
  private final boolean allChannels;
  private final NamePattern[] channels;

  private SelectorPermissions(AclSelector selector, CommandPermissions commands, TableKeys table) {
    this.table = table;
    this.commands = commands;
    List<AclSelector.KeyPattern> patterns = selector.keys();
    keys = new NamePattern[patterns.size()];
    accesses = new int[keys.length];
    boolean readsAll = false;
    for (int i = 0; i < keys.length; i++) {
      AclSelector.KeyPattern pattern = patterns.get(i);
      keys[i] = NamePattern.of(pattern.pattern());
      accesses[i] = access(pattern);
      readsAll |= pattern.read() && pattern.pattern().equals(ALL);
    }
    allKeys = selector.allKeys();
    mayReadAllKeys = readsAll;
    allChannels = selector.allChannels();
    channels = selector.channels().stream().map(NamePattern::of).toArray(NamePattern[]::new);
  }

  static SelectorPermissions of(AclSelector selector, CommandTable table, TableKeys keys) {
    var commands = CommandPermissions.of(selector.commands(), table);
    return new SelectorPermissions(selector, commands, keys);
  }

  private static int access(AclSelector.KeyPattern pattern) {
    return (pattern.read() ? KeyAccesses.READ : 0) | (pattern.write() ? KeyAccesses.WRITE : 0);
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
      return permitsKey(frame, key, access) ? -1 : key;
    }
    return access == TableKeys.NO_KEYS ? -1 : deniedKey(frame, spec, FOUND.get());
  }

  private int deniedKey(RequestFrame frame, CommandSpec spec, KeyAccesses found) {
    if (!found.find(frame, spec, table.accesses(spec))) {
      return 0; // they may be anywhere
    }
    for (int i = 0; i < found.size(); i++) {
      if (!permitsKey(frame, found.position(i), found.access(i))) {
        return found.position(i);
      }
    }
    return -1;
  }

  private boolean permitsKey(RequestFrame frame, int argument, int access) {
    ByteBuf buffer = frame.buffer();
    int offset = frame.offset(argument);
    int length = frame.length(argument);
    for (int i = 0; i < keys.length; i++) {
      if ((accesses[i] & access) == access && keys[i].matches(buffer, offset, length)) {
        return true;
      }
    }
    return false;
  }

  private boolean permitsChannel(RequestFrame frame, int argument, boolean isPattern) {
    ByteBuf buffer = frame.buffer();
    int offset = frame.offset(argument);
    int length = frame.length(argument);
    for (NamePattern pattern : channels) {
      if (isPattern
          ? pattern.isWritten(buffer, offset, length)
          : pattern.matches(buffer, offset, length)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether a channel or, literally, a pattern of channels is permitted. */
  boolean permitsChannel(String channel, boolean isPattern) {
    if (allChannels) {
      return true;
    }
    for (NamePattern pattern : channels) {
      if (isPattern ? pattern.text().equals(channel) : pattern.matches(channel)) {
        return true;
      }
    }
    return false;
  }
}
