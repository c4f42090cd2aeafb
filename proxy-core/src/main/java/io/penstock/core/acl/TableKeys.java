package io.penstock.core.acl;

import io.penstock.core.command.CommandTable;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandFlag;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.KeySpec;
import io.penstock.core.spec.Trait;
import java.util.List;

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
  private final byte[][] accesses; // of the key specs
  private final byte[] channels;

  TableKeys(CommandTable table) {
    keys = new byte[table.size()];
    accesses = new byte[keys.length][];
    channels = new byte[keys.length];
    for (CommandSpec spec : table.specs()) {
      keys[spec.id()] = (byte) keysOf(spec);
      accesses[spec.id()] = KeyAccesses.of(spec);
      channels[spec.id()] = channelsOf(spec);
    }
  }

  private static int keysOf(CommandSpec spec) {
    List<KeySpec> specs = spec.keySpecs();
    if (specs.stream().noneMatch(KeySpec::hasKeys)) {
      // With this flag, a module finds the keys itself.
      return spec.has(CommandFlag.MOVABLEKEYS) ? TO_BE_FOUND : NO_KEYS;
    }
    KeySpec only = specs.getFirst();
    boolean fixed = specs.size() == 1 && only.fixedKeyIndex() > 0 && spec.firstKeyIndex() > 0;
    return fixed && !KeyAccesses.depends(spec) ? KeyAccesses.of(spec)[0] : TO_BE_FOUND;
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

  /** Returns the access of each key spec. */
  byte[] accesses(CommandSpec spec) {
    return spec.id() < keys.length ? accesses[spec.id()] : KeyAccesses.of(spec);
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
