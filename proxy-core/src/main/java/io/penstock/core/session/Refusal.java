package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.penstock.core.observe.ProxyStats.Redirection;
import org.jspecify.annotations.Nullable;

/** Tells the error replies that mean "it did not run, try again" from all others. */
final class Refusal {

  private Refusal() {}

  /**
   * What the error reply from {@code from} to before {@code to} asks for; null for any other error.
   *
   * @param sharded whether the server is part of a cluster, which may redirect
   */
  static @Nullable Redirection of(ByteBuf buffer, int from, int to, boolean sharded) {
    if (!sharded) {
      return says(Redirection.LOADING, buffer, from, to) ? Redirection.LOADING : null;
    }
    for (Redirection kind : Redirection.values()) {
      if (says(kind, buffer, from, to)) {
        return kind;
      }
    }
    return null;
  }

  private static boolean says(Redirection kind, ByteBuf buffer, int from, int to) {
    String word = kind.name();
    int end = from + 1 + word.length();
    if (to <= end || buffer.getByte(end) != ' ') {
      return false;
    }
    for (int i = 0; i < word.length(); i++) {
      if (buffer.getByte(from + 1 + i) != word.charAt(i)) {
        return false;
      }
    }
    return true;
  }
}
