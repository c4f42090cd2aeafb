package io.penstock.core.acl;

import io.penstock.core.command.CommandTable;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandFlag;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.KeySpec;
import io.penstock.core.spec.Trait;

/** Where the commands of a table have keys and channels, by their ids. Immutable. */
final class TableKeys {

  /** There are no keys. */
  static final int NO_KEYS = -1;

  /** {@link KeyAccesses} finds the keys. */
  static final int TO_BE_FOUND = -2;

  private static final byte ONE_CHANNEL = 1;
  private static final byte CHANNELS = 2;
  private static final byte PATTERNS = 3;

  private final byte[] keys;
  private final byte[] channels;

  TableKeys(CommandTable table) {
    keys = new byte[table.size()];
    channels = new byte[keys.length];
    for (CommandSpec spec : table.specs()) {
      keys[spec.id()] = (byte) keysOf(spec);
      channels[spec.id()] = channelsOf(spec);
    }
  }

  private static int keysOf(CommandSpec spec) {
    int specs = 0;
    int access = 0;
    for (KeySpec each : spec.keySpecs()) {
      if (each.hasKeys()) {
        specs++;
        access = KeyAccesses.of(each);
      }
    }
    if (specs == 0) {
      // A module finds the keys of such a command itself.
      boolean unknown =
          spec.has(CommandFlag.MODULE)
              && (spec.has(CommandFlag.MOVABLEKEYS) || spec.facts().range().first() > 0);
      return unknown ? TO_BE_FOUND : NO_KEYS;
    }
    boolean single = spec.keySpecs().size() == 1 && spec.firstKeyIndex() > 0;
    return single && !KeyAccesses.depends(spec) ? access : TO_BE_FOUND;
  }

  private static byte channelsOf(CommandSpec spec) {
    if (spec.has(Trait.NAMES_CHANNEL_PATTERNS)) {
      return PATTERNS;
    }
    if (spec.has(Trait.NAMES_CHANNEL)) {
      return ONE_CHANNEL;
    }
    return spec.has(Trait.NAMES_CHANNELS) ? CHANNELS : 0;
  }

  /**
   * Returns the access to the only key, at {@link CommandSpec#firstKeyIndex}; {@link #NO_KEYS} or
   * {@link #TO_BE_FOUND} for other commands.
   */
  int keys(CommandSpec spec) {
    return spec.id() < keys.length ? keys[spec.id()] : TO_BE_FOUND;
  }

  /** Returns the argument index after the last channel; channels begin at 1. */
  int endOfChannels(RequestFrame frame, CommandSpec spec) {
    return switch (spec.id() < channels.length ? channels[spec.id()] : 0) {
      case ONE_CHANNEL -> 2;
      case CHANNELS, PATTERNS -> frame.argc();
      default -> 0;
    };
  }

  /** Returns whether the channels are patterns. */
  boolean areChannelPatterns(CommandSpec spec) {
    return channels[spec.id()] == PATTERNS;
  }
}
