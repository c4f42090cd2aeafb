package io.penstock.core.resync;

/** Names of keys for people: cut, and with all bytes that are no printable character escaped. */
final class KeyName {

  private static final int LONGEST = 100;

  private KeyName() {}

  static String of(byte[] key) {
    var text = new StringBuilder();
    for (int i = 0; i < Math.min(key.length, LONGEST); i++) {
      int each = key[i] & 0xFF;
      if (each == '\\' || each == '"') {
        text.append('\\').append((char) each);
      } else if (each >= ' ' && each < 0x7F) {
        text.append((char) each);
      } else {
        text.append("\\x%02x".formatted(each));
      }
    }
    return key.length <= LONGEST
        ? text.toString()
        : text.append("... (").append(key.length).append(" bytes)").toString();
  }
}
