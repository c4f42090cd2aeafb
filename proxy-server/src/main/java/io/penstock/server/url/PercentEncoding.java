package io.penstock.server.url;

import io.penstock.server.url.ResourceUrl.InvalidUrlException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Decodes {@code %40} and the like in parts of a URL. */
final class PercentEncoding {

  private PercentEncoding() {}

  static String decode(String text) {
    ByteBuffer bytes = ByteBuffer.allocate(text.length() * 3);
    List<String> plain = new ArrayList<>(List.of(text.split("%", -1)));
    bytes.put(plain.removeFirst().getBytes(StandardCharsets.UTF_8));
    for (String part : plain) {
      int octet = part.length() < 2 ? -1 : hex(part.charAt(0)) << 4 | hex(part.charAt(1));
      if (octet < 0) {
        throw new InvalidUrlException(
            "a % in it is not followed by two hexadecimal digits", "write %25 for a percent sign");
      }
      bytes.put((byte) octet).put(part.substring(2).getBytes(StandardCharsets.UTF_8));
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString();
    } catch (CharacterCodingException e) {
      throw new InvalidUrlException(
          "what is percent-encoded in it is not UTF-8", "encode each character's UTF-8 bytes");
    }
  }

  private static int hex(char digit) {
    return Character.digit(digit, 16);
  }
}
