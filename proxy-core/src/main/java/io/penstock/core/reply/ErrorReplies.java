package io.penstock.core.reply;

import io.penstock.core.backend.HandshakeError;
import io.penstock.core.resp.ReplyWriter;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Penstock's own error replies, and Redis's words where it has them. */
public final class ErrorReplies {

  public static final byte[] NO_AUTH = encode("NOAUTH Authentication required.");
  public static final byte[] NOT_SERVED = encode("CLUSTERDOWN Hash slot not served");
  public static final byte[] OVERLOADED =
      encode("OVERLOADED too many commands wait for this node; the command did not run");
  public static final byte[] TOO_MANY_IN_TOTAL =
      encode("OVERLOADED too many commands of all clients are unanswered; the command did not run");
  public static final byte[] REQUEST_TOO_LONG =
      encode("OVERLOADED the request is too long for the proxy's memory; the command did not run");
  public static final byte[] NO_LEASE =
      encode(
          "OVERLOADED too many clients have connections to this node for themselves;"
              + " the command did not run");
  public static final byte[] SHUTTING_DOWN =
      encode("UNAVAILABLE this proxy shuts down; the command did not run");
  public static final byte[] UNAVAILABLE =
      encode("UNAVAILABLE no connection to the node in time; the command did not run");
  public static final byte[] SLOT_MIGRATING =
      encode("UNAVAILABLE the slot is being moved; the command did not run");
  public static final byte[] TIMEOUT_READ = encode("TIMEOUT the node did not answer in time");
  public static final byte[] TIMEOUT_WRITE =
      encode("TIMEOUT the node did not answer in time; the command may have run or may run yet");
  public static final byte[] CONNLOST_READ =
      encode("CONNLOST the connection to the node was lost before it answered");
  public static final byte[] CONNLOST_WRITE =
      encode("CONNLOST the connection to the node was lost; the command may have run");
  public static final byte[] MERGED_REPLY_TOO_LARGE =
      encode("ERR the replies to the parts of this command are too large to be put together");
  public static final byte[] EXEC_REPLY_TOO_LARGE =
      encode("ERR the transaction ran, but the replies are too large to be put together");

  private ErrorReplies() {}

  /**
   * No connection to a node, and why if that is known.
   *
   * @param refusal by which the node does not let Penstock in; null when it is not so
   */
  public static byte[] unavailable(@Nullable HandshakeError refusal) {
    if (refusal == null) {
      return UNAVAILABLE;
    }
    return encode(
        "UNAVAILABLE the node %s does not let this proxy in: %s; the command did not run"
            .formatted(refusal.node(), brief(refusal.error())));
  }

  /**
   * Nobody serves the slot, as far as is known.
   *
   * @param failure why no node has told of any slot; null when one has
   */
  public static byte[] notServed(@Nullable String failure) {
    return failure == null
        ? NOT_SERVED
        : encode(
            "CLUSTERDOWN Hash slot not served: no node tells who serves it: " + brief(failure));
  }

  private static String brief(String words) {
    int longest = 256;
    String line = words.length() > longest ? words.substring(0, longest) : words;
    return line.endsWith(".") ? line.substring(0, line.length() - 1) : line;
  }

  /** A client's words as servers quote them in an error: up to the first zero byte. */
  public static String quoted(String words) {
    return "'" + ReplyStrings.cString(words) + "'";
  }

  /**
   * An error line without its leading {@code -} becomes a reply; characters are bytes, one to one.
   */
  public static byte[] encode(String line) {
    return ReplyWriter.errorLine(line).getBytes(StandardCharsets.ISO_8859_1);
  }
}
