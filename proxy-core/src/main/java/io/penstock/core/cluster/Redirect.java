package io.penstock.core.cluster;

import io.netty.buffer.ByteBuf;
import io.penstock.core.upstream.Endpoint;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A redirect of a cluster node: {@code MOVED 3999 127.0.0.1:6381} or {@code ASK 3999 …}.
 *
 * @param kind permanent, or for one command
 * @param slot 0 to 16383
 * @param host host name or address as announced, without brackets; empty if it is the node's own
 *     host (Redis sends nothing with {@code cluster-preferred-endpoint-type unknown-endpoint}, and
 *     {@code ?} for a node with an unknown host name)
 * @param port TCP port, 1 to 65535
 */
public record Redirect(Kind kind, int slot, String host, int port) {

  /** The kind of a redirect. */
  public enum Kind {
    /** The slot has another owner: the slot map is outdated. */
    MOVED,
    /**
     * The slot is being migrated and this key was migrated already: {@code ASKING} is sent first,
     * and the slot map stays as it is.
     */
    ASK
  }

  private static final int MAX_PORT = 65_535;

  /**
   * Reads an error line, with or without its leading {@code -} and its CR LF. Borrows {@code
   * buffer} and moves none of its indexes. Returns null if the line is not a redirect or is
   * malformed.
   *
   * @param offset absolute index of the line's first byte
   */
  public static @Nullable Redirect parse(ByteBuf buffer, int offset, int length) {
    int end = offset + length;
    while (end > offset && (buffer.getByte(end - 1) == '\n' || buffer.getByte(end - 1) == '\r')) {
      end--;
    }
    int at = offset < end && buffer.getByte(offset) == '-' ? offset + 1 : offset;
    Kind kind = kindAt(buffer, at, end);
    if (kind == null) {
      return null;
    }
    int slotAt = at + kind.name().length() + 1;
    int slotEnd = indexOfSpace(buffer, slotAt, end);
    int slot = number(buffer, slotAt, slotEnd, SlotMap.SLOTS - 1);
    int endpointAt = slotEnd + 1;
    int endpointEnd = indexOfSpace(buffer, endpointAt, end);
    int colon = lastColon(buffer, endpointAt, endpointEnd);
    if (slot < 0 || colon < 0) {
      return null;
    }
    int port = number(buffer, colon + 1, endpointEnd, MAX_PORT);
    String host = host(buffer, endpointAt, colon);
    return port < 1 || host == null ? null : new Redirect(kind, slot, host, port);
  }

  /**
   * Returns the node to send the command to, with the same access as {@code answered}, the node
   * that sent this redirect.
   */
  public Endpoint target(Endpoint answered) {
    return answered.at(host.isEmpty() ? answered.host() : host, port);
  }

  private static @Nullable Kind kindAt(ByteBuf buffer, int at, int end) {
    if (startsWith(buffer, at, end, "MOVED ")) {
      return Kind.MOVED;
    }
    return startsWith(buffer, at, end, "ASK ") ? Kind.ASK : null;
  }

  private static boolean startsWith(ByteBuf buffer, int at, int end, String word) {
    if (end - at < word.length()) {
      return false;
    }
    for (int i = 0; i < word.length(); i++) {
      if (buffer.getByte(at + i) != word.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** Returns the index of the first space, or {@code end}. */
  private static int indexOfSpace(ByteBuf buffer, int from, int end) {
    int i = from;
    while (i < end && buffer.getByte(i) != ' ') {
      i++;
    }
    return i;
  }

  /**
   * Returns the index of the last colon, which separates the port (an IPv6 address contains
   * colons), or -1.
   */
  private static int lastColon(ByteBuf buffer, int from, int end) {
    int i = end - 1;
    while (i >= from && buffer.getByte(i) != ':') {
      i--;
    }
    return i < from ? -1 : i;
  }

  /** Parses a decimal number from 0 to {@code max}; returns -1 for anything else. */
  private static int number(ByteBuf buffer, int from, int end, int max) {
    int value = from < end ? 0 : -1;
    for (int i = from; i < end; i++) {
      int digit = buffer.getByte(i) - '0';
      if (digit < 0 || digit > 9 || value * 10 + digit > max) {
        return -1;
      }
      value = value * 10 + digit;
    }
    return value;
  }

  /**
   * Returns the host, empty if the node names none, or null if it contains bytes that no host name
   * has.
   */
  private static @Nullable String host(ByteBuf buffer, int from, int end) {
    for (int i = from; i < end; i++) {
      byte b = buffer.getByte(i);
      if (b <= ' ' || b == 0x7F) {
        return null;
      }
    }
    String host = buffer.toString(from, end - from, StandardCharsets.US_ASCII);
    if (host.equals("?")) {
      return "";
    }
    boolean bracketed = host.length() > 2 && host.startsWith("[") && host.endsWith("]");
    return bracketed ? host.substring(1, host.length() - 1) : host;
  }
}
