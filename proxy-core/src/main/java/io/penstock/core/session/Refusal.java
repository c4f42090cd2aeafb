package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.penstock.core.observe.ProxyStats.Redirection;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tells the error replies that mean "it did not run, try again" from all others. */
final class Refusal {

  private Refusal() {}

  /**
   * What the error reply from {@code from} to before {@code to} asks for; null for any other error.
   *
   * @param kinds what may be meant
   */
  static @Nullable Redirection of(ByteBuf buffer, int from, int to, List<Redirection> kinds) {
    for (Redirection kind : kinds) {
      if (says(kind, buffer, from, to)) {
        return kind;
      }
    }
    return null;
  }

  /** Whether the error reply says that a command with keys did not run. */
  static boolean isOne(ByteBuf buffer, int from, int to, SessionLoop loop) {
    return of(buffer, from, to, loop.isSharded() ? BY_SLOT : SINGLE) != null;
  }

  /** The same of a call that blocked, which a node that becomes a replica ends as well. */
  static boolean isOneOfBlocked(ByteBuf buffer, int from, int to, SessionLoop loop) {
    return isOne(buffer, from, to, loop)
        || ReplyStrings.startsWith(buffer, from, to, "-UNBLOCKED force unblock");
  }

  /** Of a server that is not part of a cluster, which may redirect. */
  private static final List<Redirection> SINGLE = List.of(Redirection.LOADING);

  /** Of a node that was asked for a key's slot. */
  private static final List<Redirection> BY_SLOT =
      List.of(
          Redirection.MOVED,
          Redirection.ASK,
          Redirection.TRYAGAIN,
          Redirection.CLUSTERDOWN,
          Redirection.LOADING);

  /**
   * Of a node that was asked as its shard's master. Without a key it cannot redirect; these say
   * that it has become a replica.
   */
  private static final List<Redirection> BY_SHARD =
      List.of(
          Redirection.READONLY,
          Redirection.MASTERDOWN,
          Redirection.CLUSTERDOWN,
          Redirection.LOADING);

  /**
   * The refusals that a request may meet.
   *
   * @param sharded whether the server is part of a cluster
   * @param forShard whether the request is for a whole shard, and not for a slot
   */
  static List<Redirection> expected(boolean sharded, boolean forShard) {
    if (!sharded) {
      return SINGLE;
    }
    return forShard ? BY_SHARD : BY_SLOT;
  }

  private static final List<String> SERVERS_OWN =
      List.of(
          "-TRYAGAIN Multiple keys request during rehashing of slot",
          "-CLUSTERDOWN The cluster is down",
          "-CLUSTERDOWN Hash slot not served",
          "-CLUSTERDOWN The cluster is down and only accepts read commands",
          "-LOADING Redis is loading the dataset in memory",
          "-LOADING Valkey is loading the dataset in memory",
          "-READONLY You can't write against a read only replica.",
          "-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.");

  /**
   * Whether a script's error may be taken for the server's. A script may return any error it likes:
   * one that is not in the words of Redis (cluster.c, server.c) or Valkey says nothing about
   * whether it ran. Where a redirect leads has to be looked at as well.
   */
  static boolean isBelievable(@Nullable Redirection kind, ByteBuf buffer, int from, int to) {
    if (kind == Redirection.MOVED || kind == Redirection.ASK) {
      return true;
    }
    String line = buffer.toString(from, to - from, StandardCharsets.ISO_8859_1);
    return SERVERS_OWN.contains(line.stripTrailing());
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
