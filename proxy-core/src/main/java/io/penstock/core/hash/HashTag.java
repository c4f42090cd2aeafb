package io.penstock.core.hash;

/**
 * The part of a key that is hashed instead of the whole: between the first {@code open} and the
 * first {@code close} after it. If that is not there, the whole key is hashed.
 *
 * @param open the character before it, ASCII
 * @param close the character after it, ASCII
 * @param mayBeEmpty whether nothing between them is hashed as an empty text; otherwise the whole
 *     key is hashed then
 */
public record HashTag(byte open, byte close, boolean mayBeEmpty) {

  public static HashTag of(String characters, boolean mayBeEmpty) {
    return new HashTag((byte) characters.charAt(0), (byte) characters.charAt(1), mayBeEmpty);
  }
}
