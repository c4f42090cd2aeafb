package io.penstock.core.client;

/**
 * What is taken off the names of channels before a client sees them. Immutable.
 *
 * @param channel in front of each channel that the client names
 * @param pattern in front of each pattern, which matches {@code channel} alone
 */
public record ChannelPrefix(byte[] channel, byte[] pattern) {

  /**
   * Returns the name as the client gave it.
   *
   * @param name one character per byte
   */
  public String strip(String name, boolean isPattern) {
    return name.substring(Math.min(name.length(), (isPattern ? pattern : channel).length));
  }
}
