package io.penstock.core.reply;

import io.penstock.core.backend.HandshakeError;
import io.penstock.core.resp.ReplyWriter;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Penstock's own error replies. Errors that Redis has as well are worded as in Redis. */
public final class ErrorReplies {

  public static final byte[] NO_AUTH = encode("NOAUTH Authentication required.");
  public static final byte[] NOT_SERVED = encode("CLUSTERDOWN Hash slot not served");
  public static final byte[] OVERLOADED =
      encode("OVERLOADED too many commands wait for this node; the command did not run");
  public static final byte[] TOO_MANY_IN_TOTAL =
      encode("OVERLOADED too many commands of all clients are pending; the command did not run");
  public static final byte[] USER_RATE =
      encode("OVERLOADED more requests of this user than permitted; retry later");
  public static final byte[] USER_BYTES =
      encode("OVERLOADED too many bytes of requests of this user are pending; retry later");
  public static final byte[] USER_CONNECTIONS =
      encode("OVERLOADED too many connections of this user; retry later");
  public static final byte[] REQUEST_TOO_LONG =
      encode("OVERLOADED the request is too long for the proxy's memory; the command did not run");
  public static final byte[] NO_LEASE =
      encode(
          "OVERLOADED too many exclusive connections to this node;" + " the command did not run");
  public static final byte[] TOO_MANY_PATTERNS =
      encode(
          "OVERLOADED too many patterns of all clients are subscribed to; the command did not run");
  public static final byte[] CLOSING =
      encode("UNAVAILABLE this proxy is closing the connection; the command did not run");
  public static final byte[] UNAVAILABLE =
      encode("UNAVAILABLE no connection to the node in time; the command did not run");
  public static final byte[] NO_REPLICA =
      encode("UNAVAILABLE no replica of the shard can be read; the command did not run");
  public static final byte[] SLOT_MIGRATING =
      encode("UNAVAILABLE the slot is being migrated; the command did not run");
  public static final byte[] TIMEOUT_READ = encode("TIMEOUT the node did not answer in time");
  public static final byte[] TIMEOUT_WRITE =
      encode("TIMEOUT the node did not answer in time; the command may have run or may still run");
  public static final byte[] CONNLOST_READ =
      encode("CONNLOST the connection to the node was lost before it answered");
  public static final byte[] CONNLOST_WRITE =
      encode("CONNLOST the connection to the node was lost; the command may have run");
  public static final byte[] MERGED_REPLY_TOO_LARGE =
      encode("ERR the replies to the parts of this command are too large to be merged");
  public static final byte[] EXEC_REPLY_TOO_LARGE =
      encode("ERR the transaction ran, but the replies are too large to be merged");

  private ErrorReplies() {}

  /**
   * Returns the error for a node without a connection, with the reason if it is known.
   *
   * @param error the error with which the node rejects Penstock's connections; null if it does not
   */
  public static byte[] unavailable(@Nullable HandshakeError error) {
    if (error == null) {
      return UNAVAILABLE;
    }
    return encode(
        "UNAVAILABLE the node %s does not accept connections from this proxy: %s; the command did not run"
            .formatted(error.node(), shorten(error.error())));
  }

  /**
   * Returns the error for a slot without an owner in the topology.
   *
   * @param failure why the topology is unknown; null if it is known
   */
  public static byte[] notServed(@Nullable String failure) {
    return failure == null
        ? NOT_SERVED
        : encode("CLUSTERDOWN Hash slot not served: the topology is unknown: " + shorten(failure));
  }

  /**
   * Returns the error for an upstream whose only master is not known.
   *
   * @param failure why it is not known; null if there is no reason
   */
  public static byte[] noMaster(@Nullable String failure) {
    return encode(
        failure == null
            ? "UNAVAILABLE no master is known; the command did not run"
            : "UNAVAILABLE no master is known: %s; the command did not run"
                .formatted(shorten(failure)));
  }

  private static String shorten(String text) {
    int longest = 256;
    String line = text.length() > longest ? text.substring(0, longest) : text;
    return line.endsWith(".") ? line.substring(0, line.length() - 1) : line;
  }

  /** Quotes an argument of a client as servers do in an error: up to the first zero byte. */
  public static String quoted(String argument) {
    return "'" + ReplyStrings.cString(argument) + "'";
  }

  /**
   * Encodes an error line, given without its leading {@code -}; characters are bytes, one to one.
   */
  public static byte[] encode(String line) {
    return ReplyWriter.errorLine(line).getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Returns the line that {@link #encode} has encoded. */
  public static String line(byte[] error) {
    return new String(error, 1, error.length - 1, StandardCharsets.ISO_8859_1).strip();
  }
}
