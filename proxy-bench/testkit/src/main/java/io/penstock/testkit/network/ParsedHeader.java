package io.penstock.testkit.network;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A header of the PROXY protocol, read as the specification describes it, without Netty. Immutable.
 *
 * @param version 1 or 2
 * @param length number of its bytes
 * @param source null if the header has none: {@code UNKNOWN}, {@code LOCAL}, or an address family
 *     other than TCP's
 * @param destination null if {@code source} is
 */
public record ParsedHeader(
    int version,
    int length,
    @Nullable InetSocketAddress source,
    @Nullable InetSocketAddress destination) {

  private static final byte[] SIGNATURE = {
    0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A
  };

  private static final int LONGEST_LINE = 107;
  private static final int FIXED = 16;
  private static final int TCP4 = 0x11;
  private static final int TCP6 = 0x21;
  private static final Pattern DIGITS_AND_COLONS = Pattern.compile("[0-9a-fA-F:.]+");

  /**
   * Reads the header at the beginning of the bytes.
   *
   * @return null if more bytes are necessary
   * @throws IllegalArgumentException if they do not begin with a header
   */
  public static @Nullable ParsedHeader parse(byte[] bytes) {
    if (bytes.length == 0) {
      return null;
    }
    return bytes[0] == 'P' ? line(bytes) : binary(bytes);
  }

  private static @Nullable ParsedHeader line(byte[] bytes) {
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    int end = text.indexOf("\r\n");
    if (end < 0 && bytes.length < LONGEST_LINE) {
      return null;
    }
    int length = end + 2;
    if (end < 0 || length > LONGEST_LINE) {
      throw new IllegalArgumentException("the line is too long");
    }
    String[] words = text.substring(0, end).split(" ", -1);
    if (!words[0].equals("PROXY") || words.length < 2) {
      throw new IllegalArgumentException("no PROXY line");
    }
    if (words[1].equals("UNKNOWN")) {
      return new ParsedHeader(1, length, null, null);
    }
    boolean ipv6 = words[1].equals("TCP6");
    if (words.length != 6 || !(ipv6 || words[1].equals("TCP4"))) {
      throw new IllegalArgumentException("no addresses of TCP");
    }
    return new ParsedHeader(
        1, length, address(words[2], words[4], ipv6), address(words[3], words[5], ipv6));
  }

  private static InetSocketAddress address(String host, String port, boolean ipv6) {
    if (ipv6 != host.contains(":") || !DIGITS_AND_COLONS.matcher(host).matches()) {
      throw new IllegalArgumentException("no such address: " + host);
    }
    return new InetSocketAddress(InetAddress.ofLiteral(host), Integer.parseInt(port));
  }

  private static @Nullable ParsedHeader binary(byte[] bytes) {
    int compared = Math.min(bytes.length, SIGNATURE.length);
    if (!Arrays.equals(bytes, 0, compared, SIGNATURE, 0, compared)) {
      throw new IllegalArgumentException("no signature");
    }
    if (bytes.length < FIXED) {
      return null;
    }
    int command = bytes[12] & 0xFF;
    if (command != 0x20 && command != 0x21) {
      throw new IllegalArgumentException("no such version or command: " + command);
    }
    int rest = ((bytes[14] & 0xFF) << 8) | (bytes[15] & 0xFF);
    if (bytes.length < FIXED + rest) {
      return null;
    }
    int family = bytes[13] & 0xFF;
    if (command == 0x20 || (family != TCP4 && family != TCP6)) {
      return new ParsedHeader(2, FIXED + rest, null, null);
    }
    int size = family == TCP4 ? 4 : 16;
    if (rest < 2 * (size + 2)) {
      throw new IllegalArgumentException("no room for addresses");
    }
    ByteBuffer ports = ByteBuffer.wrap(bytes, FIXED + 2 * size, 4);
    return new ParsedHeader(
        2,
        FIXED + rest,
        address(bytes, FIXED, size, ports.getShort()),
        address(bytes, FIXED + size, size, ports.getShort()));
  }

  private static InetSocketAddress address(byte[] bytes, int from, int size, short port) {
    try {
      return new InetSocketAddress(
          InetAddress.getByAddress(Arrays.copyOfRange(bytes, from, from + size)), port & 0xFFFF);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
