package io.penstock.core.acl;

import java.util.List;

/**
 * Commands together with the keys and channels that they may name. Immutable.
 *
 * @param commands rules about commands as {@code ACL LIST} writes them, for example {@code +@all}
 *     and {@code -@dangerous}, in their order: the last one that applies to a command decides
 * @param keys patterns of keys; {@code ~*} for all keys
 * @param channels patterns of channels, without {@code &}; {@code *} for all channels
 */
public record AclSelector(List<String> commands, List<KeyPattern> keys, List<String> channels) {

  /** Permits nothing. */
  public static final AclSelector NOTHING = new AclSelector(List.of("-@all"), List.of(), List.of());

  static final List<KeyPattern> ALL_KEYS = List.of(KeyPattern.ALL);
  static final List<String> ALL_CHANNELS = List.of("*");

  /**
   * A pattern of keys.
   *
   * @param read whether what reads the key is permitted
   * @param write whether what writes the key is permitted
   */
  public record KeyPattern(boolean read, boolean write, String pattern) {

    /** All keys. */
    public static final KeyPattern ALL = new KeyPattern(true, true, "*");
  }

  public AclSelector {
    commands = List.copyOf(commands);
    keys = List.copyOf(keys);
    channels = List.copyOf(channels);
  }

  /** Returns whether every key may be read and written. */
  public boolean allKeys() {
    return keys.equals(ALL_KEYS);
  }

  /** Returns whether every channel is permitted. */
  public boolean allChannels() {
    return channels.equals(ALL_CHANNELS);
  }
}
