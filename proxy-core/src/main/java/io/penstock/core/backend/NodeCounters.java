package io.penstock.core.backend;

import io.netty.buffer.ByteBuf;
import io.penstock.core.observe.ErrorPrefix;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ProxyChain;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One loop's counters for one node. Plain fields: read on the loop. */
public final class NodeCounters {

  private static final ErrorPrefix[] PREFIXES = ErrorPrefix.values();
  private static final byte[][] WORDS =
      Arrays.stream(PREFIXES)
          .map(prefix -> prefix.label().getBytes(StandardCharsets.US_ASCII))
          .toArray(byte[][]::new);

  private long connections;
  private long exclusive;
  private long bytesSentBefore; // on channels that are closed
  private long bytesReceived;
  private long reconnects;
  private long errors;
  private final long[] errorReplies = new long[PREFIXES.length];
  private boolean hasConnected; // at least once
  private @Nullable HandshakeError handshakeError; // of the latest attempt to connect

  public void connected(boolean again) {
    connections++;
    hasConnected = true;
    handshakeError = null;
    if (again) {
      reconnects++;
    }
  }

  public void disconnected(long bytesSent) {
    connections--;
    bytesSentBefore += bytesSent;
  }

  /** Adds {@code change} to the number of leased connections. */
  public void leased(int change) {
    exclusive += change;
  }

  public void countError() {
    errors++;
  }

  /**
   * Counts an error reply by its first word.
   *
   * @param reply borrowed; the reply, with {@code -}, is from index {@code from} to before {@code
   *     to}
   */
  void countErrorReply(ByteBuf reply, int from, int to) {
    int prefix = 0;
    while (prefix < ErrorPrefix.OTHER.ordinal()
        && !isFirstWord(WORDS[prefix], reply, from + 1, to)) {
      prefix++;
    }
    errorReplies[prefix]++;
  }

  /** Returns whether the word is followed by a space or the end of the line. */
  private static boolean isFirstWord(byte[] word, ByteBuf reply, int from, int to) {
    int end = from + word.length;
    if (end >= to || (reply.getByte(end) != ' ' && reply.getByte(end) != '\r')) {
      return false;
    }
    for (int i = 0; i < word.length; i++) {
      if (reply.getByte(from + i) != word[i]) {
        return false;
      }
    }
    return true;
  }

  /** An attempt to connect failed, or a connection was lost. */
  public void onFailed(Endpoint node, Throwable cause) {
    String error = cause instanceof BackendException known ? known.handshakeError() : null;
    handshakeError = error == null ? null : new HandshakeError(node, error, isPermanent(error));
  }

  private boolean isPermanent(String error) {
    return Handshake.isAccessDenied(error)
        || ProxyChain.isRefusal(error)
        || (!hasConnected && !Handshake.isTemporary(error));
  }

  /** The error with which the node answered the latest handshake; null if none. */
  public @Nullable HandshakeError handshakeError() {
    return handshakeError;
  }

  public void received(int bytes) {
    bytesReceived += bytes;
  }

  public long connections() {
    return connections;
  }

  /** Number of leased connections, in use or idle. */
  public long exclusive() {
    return exclusive;
  }

  public long bytesSentBefore() {
    return bytesSentBefore;
  }

  public long bytesReceived() {
    return bytesReceived;
  }

  public long reconnects() {
    return reconnects;
  }

  public long errors() {
    return errors;
  }

  /** Error replies by their first word; without those that never came. */
  public Map<ErrorPrefix, Long> errorReplies() {
    Map<ErrorPrefix, Long> counts = new EnumMap<>(ErrorPrefix.class);
    for (ErrorPrefix prefix : PREFIXES) {
      if (errorReplies[prefix.ordinal()] > 0) {
        counts.put(prefix, errorReplies[prefix.ordinal()]);
      }
    }
    return counts;
  }
}
