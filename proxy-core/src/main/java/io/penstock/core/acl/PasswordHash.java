package io.penstock.core.acl;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Passwords as ACLs keep them: SHA-256 in lower-case hexadecimal digits. */
public final class PasswordHash {

  private static final int LENGTH = 64;
  private static final HexFormat HEX = HexFormat.of();

  private PasswordHash() {}

  /** Returns the hash of a password. */
  public static String of(byte[] password) {
    try {
      return HEX.formatHex(MessageDigest.getInstance("SHA-256").digest(password));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this Java runtime has no SHA-256, which ACLs need", e);
    }
  }

  /** Returns the hash of a password that has one character per byte. */
  static String of(String password) {
    return of(password.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Returns whether a text has the form of a hash. */
  public static boolean isValid(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
        return false;
      }
    }
    return text.length() == LENGTH;
  }

  /** Compares in the same time wherever the hashes differ. */
  static boolean isSame(String one, String other) {
    return MessageDigest.isEqual(
        one.getBytes(StandardCharsets.ISO_8859_1), other.getBytes(StandardCharsets.ISO_8859_1));
  }
}
